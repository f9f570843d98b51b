"""Kinds of text that cross the wire: what they may hold and how they are tidied (specification 2.1, 8)."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, StringConstraints
from pydantic_core import PydanticCustomError, Url, ValidationError

from interface import patterns

BODY_LIMIT: Final = 1000
"""Characters of a body that are kept (specification 8)."""
DEFAULT_TAG: Final = "promotional"
"""The tag of a message that names none; such messages respect the recipient's opt-out."""

_NOT_IN_A_TAG = re.compile(r"[^a-z0-9._-]+")
_HTTP_URL = re.compile(r"https?://[^\s\x00-\x20\x7f]+", re.IGNORECASE)


def truncate_body(text: str) -> str:
    """Cut a body to its first 1000 characters (code points); longer text is never refused (specification 2.1)."""
    return text[:BODY_LIMIT]


def normalise_tags(text: str) -> str:
    """Bring comma-separated tags to the form they are stored and compared in: lower case, clean, sorted, each once.

    Only ``a-z 0-9 - . _`` are kept; text without any tag gives ``promotional`` (specification 2.1, 4.3).
    """
    tags = {_NOT_IN_A_TAG.sub("", tag) for tag in text.lower().split(",")}
    return ",".join(sorted(tags - {""})) or DEFAULT_TAG


def _tag(value: object) -> object:
    if value is None:
        return DEFAULT_TAG
    return normalise_tags(value) if isinstance(value, str) else value


def check_http_url(text: str) -> str:
    """Return ``text`` unchanged if it is an http or https URL with a host, else raise."""
    if _HTTP_URL.fullmatch(text):
        try:
            if Url(text).host:
                return text
        except ValidationError:
            pass
    raise PydanticCustomError("http_url", "must be an http or https URL")


def _url_of_callback(value: object) -> object:
    return value["url"] if isinstance(value, dict) and "url" in value else value


Text = Annotated[str, StringConstraints(pattern=patterns.NO_NUL)]
"""Any text without the NUL character, which neither a database nor a telephone takes."""

Body = Annotated[str, StringConstraints(pattern=patterns.NO_NUL), AfterValidator(truncate_body)]
"""A message text, cut to 1000 characters."""

Sender = Annotated[str, StringConstraints(pattern=patterns.SENDER)]
"""A sender name of at most 11 characters, or a number in digits without ``+``."""

SenderOrEmpty = Annotated[str, StringConstraints(pattern=patterns.SENDER_OR_EMPTY)]
"""A sender, or nothing where that deletes it."""

Tag = Annotated[str, StringConstraints(max_length=255), BeforeValidator(_tag, json_schema_input_type=str | None)]
"""Comma-separated tags in their normal form; null counts as absent."""

HttpUrl = Annotated[str, StringConstraints(max_length=2000), AfterValidator(check_http_url)]
"""An http or https address, kept as it was written."""

Callback = Annotated[HttpUrl, BeforeValidator(_url_of_callback, json_schema_input_type=str | dict[str, str])]
"""A callback address; the object ``{"url": ...}`` is taken too."""
