"""The words, alone in a message, by which people opt out and back in. Pure."""

import unicodedata
from collections.abc import Iterable
from enum import StrEnum

OPT_OUT_WORDS = (
    "STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT",
    "STOPP", "ABMELDEN", "ABBESTELLEN", "ODHLASIT", "ZRUSIT", "KONEC", "KONIEC", "WYPISZ", "REZYGNUJE", "ANULUJ",
    "ARRET", "DESABONNER", "AFMELDEN", "BAJA", "CANCELAR", "DISDIRE", "CANCELLA", "LEIRATKOZAS", "LEMONDOM",
)  # fmt: skip
"""Words of many languages; accents, case and punctuation around them don't count."""
OPT_IN_WORDS = ("START",)


class Kind(StrEnum):
    """What an inbound message is; also the last part of its event's name."""

    MESSAGE = "message"
    OPT_OUT = "opt-out"
    OPT_IN = "opt-in"


def kind_of(body: str, opt_out_words: Iterable[str], opt_in_words: Iterable[str]) -> Kind:
    """Tell what a message is: only a word alone is a wish, so that "Don't stop" is none."""
    written = plain(body)
    if written in {plain(word) for word in opt_out_words}:
        return Kind.OPT_OUT
    if written in {plain(word) for word in opt_in_words}:
        return Kind.OPT_IN
    return Kind.MESSAGE


def plain(text: str) -> str:
    """Write a text without what makes no difference to a word: accents, case, and all that is no letter around it."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(each for each in decomposed if not unicodedata.combining(each))
    return letters.strip(" \t\r\n.,;:!?'\"-()*").upper()
