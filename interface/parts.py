"""How a text is encoded and split into billed SMS parts (GSM 03.38). Pure."""

import re
import unicodedata
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from text_unidecode import unidecode  # type: ignore[import-untyped]

GSM_ALPHABET: Final = (
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
"""The default alphabet of GSM 7-bit, without its escape character."""
GSM_EXTENSION: Final = "\f^{}\\[~]|€"
"""The extension table; each of its characters costs two units, an escape and the character."""

_BASIC = f"[{re.escape(GSM_ALPHABET)}]"
_ANY = f"[{re.escape(GSM_ALPHABET + GSM_EXTENSION)}]"
_IS_BASIC = re.compile(f"{_BASIC}*").fullmatch
_IS_GSM = re.compile(f"{_ANY}*").fullmatch
_NOT_GSM = re.compile(f"[^{re.escape(GSM_ALPHABET + GSM_EXTENSION)}]")
_EXTENDED = re.compile(f"[{re.escape(GSM_EXTENSION)}]")
_ESCAPE: Final = "\x1b"
_SURROGATE_LEAD: Final = range(0xD8, 0xDC)


class Encoding(StrEnum):
    """The alphabet a text travels in."""

    GSM7 = "gsm7"
    UCS2 = "ucs2"


class Parts(NamedTuple):
    """``units`` are septets in GSM 7-bit and 16-bit code units in UCS-2; ``parts`` (at least 1) is what is billed."""

    encoding: Encoding
    units: int
    parts: int


class _Sizes(NamedTuple):
    alone: int
    joined: int


_GSM7_SIZES: Final = _Sizes(alone=160, joined=153)
_UCS2_SIZES: Final = _Sizes(alone=70, joined=67)


def count_parts(text: str) -> Parts:
    """Count the parts of ``text``: 160 or 153 a part in GSM 7-bit, 70 or 67 in UCS-2; no pair is split across parts."""
    if _IS_BASIC(text):
        return Parts(Encoding.GSM7, len(text), _evenly(len(text), _GSM7_SIZES))
    if _IS_GSM(text):
        septets = _EXTENDED.sub(_ESCAPE + r"\g<0>", text)
        return Parts(Encoding.GSM7, len(septets), _unsplit_septets(septets))
    encoded = text.encode("utf-16-be", "surrogatepass")
    units = len(encoded) // 2
    parts = _evenly(units, _UCS2_SIZES) if units == len(text) else _unsplit_pairs(encoded)
    return Parts(Encoding.UCS2, units, parts)


def _evenly(units: int, sizes: _Sizes) -> int:
    return 1 if units <= sizes.alone else -(-units // sizes.joined)


def _unsplit_septets(septets: str) -> int:
    if len(septets) <= _GSM7_SIZES.alone:
        return 1
    start = parts = 0
    while start < len(septets):
        start += _GSM7_SIZES.joined
        start -= septets[start - 1 : start] == _ESCAPE
        parts += 1
    return parts


def _unsplit_pairs(encoded: bytes) -> int:
    if len(encoded) <= 2 * _UCS2_SIZES.alone:
        return 1
    start = parts = 0
    while start < len(encoded):
        start += 2 * _UCS2_SIZES.joined
        if start < len(encoded) and encoded[start - 2] in _SURROGATE_LEAD:
            start -= 2
        parts += 1
    return parts


def transliterate(text: str) -> str:
    """Write ``text`` in the GSM 7-bit alphabet: look-alikes where they exist, ``?`` for what has none.

    Characters of the alphabet stay as they are; combining and invisible ones vanish.
    """
    if _IS_GSM(text):
        return text
    return _NOT_GSM.sub(_look_alike, unicodedata.normalize("NFC", text))


def _look_alike(match: re.Match[str]) -> str:
    return _in_gsm(match.group())


@lru_cache(maxsize=4096)
def _in_gsm(character: str) -> str:
    if character.isspace():
        return "\n" if character in "\v\x1c\x1d\x1e\x85\u2028\u2029" else " "
    plain = "".join(each for each in unicodedata.normalize("NFKD", character) if not unicodedata.combining(each))
    if plain and _IS_GSM(plain):
        return plain
    spelled = _NOT_GSM.sub("", unidecode(character).replace("`", "'"))
    if spelled:
        return spelled
    return "" if unicodedata.category(character)[0] in "MC" else "?"


def expensive_characters(text: str) -> tuple[str, ...]:
    """Return the characters that force UCS-2, each once, in order of appearance."""
    return tuple(dict.fromkeys(_NOT_GSM.findall(text)))
