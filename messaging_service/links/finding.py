"""Finds the links of a text. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pydantic_core import Url, ValidationError

from interface.special_parameters import LinkType

MAX_LINKS = 20
"""Links of one text that are shortened; more stay as they are."""

_REST = r"[^\s<>\"\x00-\x20\x7f]"
_COMPLETE = rf"https?://{_REST}+"
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# What people write without a space after a full stop looks like a name, too, so an ending must be a usual one.
_ENDING = r"(?:com|net|org|info|biz|app|shop|store|online|site|dev|cloud|email|blog|page|link|[a-z]{2})"
_NOT_BEFORE = r"(?<![\w@.:/-])"
_NOT_AFTER = r"(?![\w@-]|\.\w)"
_PORT_AND_PATH = rf"(?::\d{{1,5}})?(?:[/?#]{_REST}*)?"
_NAME = (
    rf"(?i:www\.(?:{_LABEL}\.)+[a-z]{{2,24}}){_NOT_AFTER}"  # with www in any case
    rf"|(?:{_LABEL}\.)+{_ENDING}{_NOT_AFTER}"  # else in lower case,
    rf"|(?i:(?:{_LABEL}\.)+{_ENDING})(?=/)"  # or before a path
)
_PATTERNS = {
    LinkType.FULL: re.compile(rf"(?i:{_COMPLETE})"),
    LinkType.ALL: re.compile(rf"(?i:{_COMPLETE})|{_NOT_BEFORE}(?:{_NAME}){_PORT_AND_PATH}"),
}
_PUNCTUATION = ".,;:!?'\"…»«“”„\u2018\u2019"
_BRACKETS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a text: where it stands, and the complete address that it leads to, in ASCII."""

    start: int
    end: int
    target: str


@lru_cache(maxsize=1024)
def find_links(text: str, kind: LinkType) -> tuple[Link, ...]:
    """Return the first 20 links of a text: complete http and https addresses, with ``all`` names as well."""
    return tuple(link for link, _ in zip(_links(text, kind), range(MAX_LINKS), strict=False))


def _links(text: str, kind: LinkType) -> Iterator[Link]:
    for found in _PATTERNS[kind].finditer(text):
        written = _without_what_follows(found[0])
        target = _address(written)
        if target is not None:
            yield Link(found.start(), found.start() + len(written), target)


def _without_what_follows(written: str) -> str:
    """Leave out the punctuation of the sentence that an address stands in; brackets of its own stay."""
    while written:
        last = written[-1]
        opening = _BRACKETS.get(last)
        if last not in _PUNCTUATION and (opening is None or written.count(opening) >= written.count(last)):
            break
        written = written[:-1]
    return written


def _address(written: str) -> str | None:
    complete = written if written.lower().startswith(("http://", "https://")) else f"http://{written}"
    try:
        return str(Url(complete))
    except ValidationError:
        return None
