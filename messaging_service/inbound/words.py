"""The words by which a person opts out and back in, and what we answer (details, "Inbound messages"). Pure."""

import unicodedata
from collections.abc import Mapping

from interface.phone_numbers import country

OPT_OUT_WORDS = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"})
OPT_IN_WORDS = frozenset({"START"})

_CZECH = frozenset({"ODHLASIT", "ZRUSIT", "KONEC"})
_SLOVAK = frozenset({"ODHLASIT", "ZRUSIT", "KONIEC"})
_GERMAN = frozenset({"STOPP", "ABMELDEN", "ABBESTELLEN", "ENDE"})
_POLISH = frozenset({"WYPISZ", "REZYGNUJE", "ANULUJ", "KONIEC"})
_FRENCH = frozenset({"ARRET", "DESABONNER"})
_WORDS_OF_COUNTRIES: Mapping[str, frozenset[str]] = {
    "CZ": _CZECH,
    "SK": _SLOVAK | _CZECH,
    "DE": _GERMAN,
    "AT": _GERMAN,
    "CH": _GERMAN | _FRENCH | {"DISDIRE"},
    "PL": _POLISH,
    "FR": _FRENCH,
    "BE": _FRENCH | {"AFMELDEN"},
    "NL": frozenset({"AFMELDEN"}),
    "HU": frozenset({"LEIRATKOZAS", "LEMONDOM"}),
    "ES": frozenset({"BAJA", "CANCELAR"}),
    "IT": frozenset({"DISDIRE", "CANCELLA"}),
}
"""Besides those that hold everywhere, by ISO 3166 region code; written as ``plain`` writes them."""

_CONFIRMATION = "You won't get any more offers from us. To get them again: START."
_GERMAN_CONFIRMATION = "Sie erhalten keine Angebote mehr von uns. Wieder anmelden: START."
_CONFIRMATIONS: Mapping[str, str] = {
    "CZ": "Nabídky už vám posílat nebudeme. Obnovíte je slovem START.",
    "SK": "Ponuky vám už posielať nebudeme. Obnovíte ich slovom START.",
    "DE": _GERMAN_CONFIRMATION,
    "AT": _GERMAN_CONFIRMATION,
    "CH": _GERMAN_CONFIRMATION,
    "PL": "Nie będziemy już wysyłać ofert. Aby wrócić, napisz START.",
}
"""Each fits into one part."""


def plain(text: str) -> str:
    """Write a text without what makes no difference to words: case, diacritics, white space around it."""
    decomposed = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).upper()


def opts_out(body: str, phone_number: str) -> bool:
    """Whether a text is one of the words, alone, by which a person with this number opts out."""
    word = plain(body)
    return word in OPT_OUT_WORDS or word in _WORDS_OF_COUNTRIES.get(_region(phone_number), ())


def opts_in(body: str) -> bool:
    """Whether a text is the word, alone, that takes an opt-out back."""
    return plain(body) in OPT_IN_WORDS


def confirmation(phone_number: str) -> str:
    """Return what tells a person that the opt-out is done, in a language of the number's country."""
    return _CONFIRMATIONS.get(_region(phone_number), _CONFIRMATION)


def _region(phone_number: str) -> str:
    found = country(phone_number)
    return "" if found is None else found.region
