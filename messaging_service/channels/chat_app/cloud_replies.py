"""What the Cloud API's replies mean. Pure: a reply that we don't understand stays unknown."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from messaging_service.channels.channel import Answer, Taken
from messaging_service.clock import SECOND, Milliseconds

Json = Mapping[str, Any]

THROTTLED_FOR: Milliseconds = 5 * SECOND
"""How long to wait where the platform says to wait, but not how long."""
_LONGEST_WAIT: Milliseconds = 3600 * SECOND
# Codes that say: not now, and the message wasn't taken.
_THROTTLING = frozenset({4, 80007, 130429, 131056})
# Codes that say: something went wrong here. Whether the message was taken before that they don't say.
_TELLING_NOTHING = frozenset({1, 2, 131000, 131016})
_PREFIX = re.compile(r"^\(#\d+\)\s*")
_LONGEST_REASON = 200
_LARGEST_CODE = 2**31 - 1
_UNAUTHORIZED = "Unauthorized error"


class Reply(NamedTuple):
    """An HTTP answer; ``retry_after`` is its header as it stands."""

    status: int
    content: bytes
    retry_after: str | None = None

    def json(self) -> Json:
        """Return the JSON object of the body, an empty one where there is none."""
        try:
            value = orjson.loads(self.content)
        except orjson.JSONDecodeError:
            return {}
        return value if isinstance(value, dict) else {}


class Complaint(NamedTuple):
    """An error as the platform tells it: a code, a description, either or neither."""

    code: int | None
    reason: str | None


def answer_to(reply: Reply) -> Answer:
    """Return what the platform says to one message."""
    body = reply.json()
    if reply.status == 200:  # noqa: PLR2004 - the platform's one status of success
        return Answer(Taken.YES if _message_id(body) else Taken.UNKNOWN)
    complaint = complaint_of(body.get("error"))
    if reply.status == 429 or complaint.code in _THROTTLING:  # noqa: PLR2004
        return Answer(Taken.LATER, retry_in=_wait(reply.retry_after))
    if reply.status >= 500 or complaint.code in _TELLING_NOTHING:  # noqa: PLR2004
        return Answer(Taken.UNKNOWN)
    if reply.status == 401 and complaint == Complaint(None, None):  # noqa: PLR2004
        return Answer(Taken.NO, code=None, reason=_UNAUTHORIZED)
    if 400 <= reply.status < 500 and complaint != Complaint(None, None):  # noqa: PLR2004
        return Answer(Taken.NO, code=complaint.code, reason=complaint.reason)
    return Answer(Taken.UNKNOWN)


def complaint_of(error: object) -> Complaint:
    """Read an error object of a reply or of a webhook: its code, and the best of its descriptions."""
    if not isinstance(error, dict):
        return Complaint(None, None)
    code = error.get("code")
    data = error.get("error_data")
    told = [data.get("details") if isinstance(data, dict) else None, error.get("message"), error.get("title")]
    described = (_PREFIX.sub("", text.strip()) for text in told if isinstance(text, str))
    reason = next((text for text in described if text), None)
    return Complaint(
        code if isinstance(code, int) and not isinstance(code, bool) and 0 <= code <= _LARGEST_CODE else None,
        None if reason is None else reason.replace("\x00", "")[:_LONGEST_REASON],
    )


def sentence_of(reply: Reply) -> str:
    """Return why the platform doesn't do what it was asked, for whoever asked."""
    complaint = complaint_of(reply.json().get("error"))
    return complaint.reason or f"The platform answered with status {reply.status}."


def _message_id(body: Json) -> bool:
    messages = body.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and isinstance(first.get("id"), str) and bool(first["id"])


def _wait(retry_after: str | None) -> Milliseconds:
    if retry_after is None or not (retry_after.isascii() and retry_after.isdigit()):
        return THROTTLED_FOR
    return min(max(int(retry_after[:9]) * SECOND, SECOND), _LONGEST_WAIT)
