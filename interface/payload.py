"""The caller's free-form ``payload``, checked so that it can always be stored and given back (specification 2.1)."""

import json
import re
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def _check(value: dict[str, Any]) -> dict[str, Any]:
    try:
        encoded = orjson.dumps(value)
        if b"null" in encoded:  # what orjson writes for NaN and infinities, which JSON doesn't have
            json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise PydanticCustomError(
            "payload",
            "must be plain JSON, with numbers of at most 64 bits and less than 200 levels deep",
        ) from error
    if b"\\u0000" in encoded and _NUL.search(encoded):
        raise PydanticCustomError("nul", "must not contain the NUL character")
    return value


Payload = Annotated[dict[str, Any], AfterValidator(_check)]
"""A JSON object: finite numbers of at most 64 bits, no NUL."""
