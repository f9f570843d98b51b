"""Puts short links into the text of a step, one recipient at a time, so that a click says whose it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, repeat
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from sqlalchemy import Connection

from interface.special_parameters import LinkEnhancement, LinkShortening, SpecialParameters
from messaging_service.clock import DAY, SECOND, Milliseconds
from messaging_service.links.codes import LENGTH, NewCode, fresh_codes, new_code
from messaging_service.links.finding import Link, find_links
from messaging_service.message import Message, Move
from messaging_service.process.steps import long_text_of, step_of
from messaging_service.store import links

PATH = "/l/"
LASTS: Milliseconds = 7 * DAY
"""How long a short link works unless the message says otherwise, from the moment of sending."""
_ANY_CODE = "0" * LENGTH


@lru_cache(maxsize=2048)
def _read(params: str) -> LinkShortening | None:
    return SpecialParameters.model_validate_json(params).url


def _wish(message: Message) -> LinkShortening | None:
    return None if message.content.params is None else _read(message.content.params)


@dataclass(frozen=True, slots=True)
class ShortLinks:
    """Shortens links. ``base`` is the address of the service for whoever gets a text; None: nobody knows it.

    ``scheme`` begins the links of a domain that a message names.
    """

    base: str | None = None
    scheme: str = "https"
    draw: NewCode = new_code

    def draft(self, message: Message) -> Message | None:
        """Return the message with a text as long as it will be, None when its short links would lead nowhere."""
        wish, found = _links_of(message)
        if wish is None or not found:
            return message
        prefix = self._prefix(wish)
        return None if prefix is None else message._replace(short_text=_replaced(message, found, prefix))

    def shorten(self, connection: Connection, moves: Sequence[Move], now: Milliseconds) -> Sequence[Move]:
        """Give texts that leave for the first time their links, and write where these lead. Returns the moves."""
        wishing = [move for move in moves if _wish(move.after) is not None and move.starts_sending]
        if not wishing:
            return moves
        count = sum(len(_links_of(move.after)[1]) for move in wishing)
        codes = iter(fresh_codes(connection, count, self.draw))
        rows: list[dict[str, Any]] = []
        shortened = {move.after.id: Move(move.before, self._shorten(move.after, codes, rows, now)) for move in wishing}
        links.add(connection, rows)
        return [shortened.get(move.after.id, move) for move in moves]

    def _shorten(
        self, message: Message, codes: Iterable[str], rows: list[dict[str, Any]], now: Milliseconds
    ) -> Message:
        wish, found = _links_of(message)
        prefix = None if wish is None else self._prefix(wish)
        if wish is None or prefix is None or not found:
            return message._replace(short_text=None)
        chosen = list(islice(codes, len(found)))
        ends = now + LASTS if wish.expires_at is None else wish.expires_at * SECOND
        rows += [
            {
                "code": code,
                "message_row": message.id,
                "target": _enhanced(link.target, wish, message.message_id, code),
                "expires_at": ends,
            }
            for link, code in zip(found, chosen, strict=True)
        ]
        return message._replace(short_text=_replaced(message, found, prefix, chosen))

    def _prefix(self, wish: LinkShortening) -> str | None:
        if wish.domain is None:
            return None if self.base is None else self.base + PATH
        return f"{self.scheme}://{wish.domain}{PATH}"


def _links_of(message: Message) -> tuple[LinkShortening | None, tuple[Link, ...]]:
    wish = _wish(message)
    if wish is None:
        return None, ()
    return wish, find_links(long_text_of(step_of(message), message.content), wish.type)


def _replaced(message: Message, found: Sequence[Link], prefix: str, codes: Iterable[str] = repeat(_ANY_CODE)) -> str:
    text = long_text_of(step_of(message), message.content)
    pieces, end = [], 0
    for link, code in zip(found, codes, strict=False):
        pieces += [text[end : link.start], prefix, code]
        end = link.end
    return "".join([*pieces, text[end:]])


def _enhanced(target: str, wish: LinkShortening, message_id: str, code: str) -> str:
    if wish.get_enhance is None:
        return target
    value = message_id if wish.get_enhance is LinkEnhancement.ID else code
    parts = urlsplit(target)
    added = f"{quote(wish.get_name)}={value}"
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))
