"""Cursors of paged lists: a place in the list, written as text that nobody needs to understand."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from uuid import UUID

from interface.field_errors import FieldError
from messaging_service.refusals import InvalidRequest
from messaging_service.store.message_lists import Place

_CURSOR = re.compile(r"[A-Za-z0-9_-]{24}", re.ASCII)
_ID_BYTES = 16


def write_cursor(place: Place) -> str:
    """Return the cursor that leads to what comes after ``place``."""
    return urlsafe_b64encode(UUID(place.content_id).bytes + place.position.to_bytes(2)).decode()


def read_cursor(cursor: str) -> Place:
    """Return the place that a cursor stands for. Raises InvalidRequest for a text that can't be a cursor.

    A cursor needs no signature: whatever place it names, a page holds messages of the calling key only.
    """
    if not _CURSOR.fullmatch(cursor):
        raise InvalidRequest([FieldError("cursor", "cursor must be the next_cursor of the page before.")])
    raw = urlsafe_b64decode(cursor)
    return Place(str(UUID(bytes=raw[:_ID_BYTES])), int.from_bytes(raw[_ID_BYTES:]))
