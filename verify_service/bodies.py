"""Request bodies: JSON objects, read strictly, and checked by a model each."""

import re
from typing import Annotated, TypeVar

from flask import Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from interface.json_bodies import read_json
from interface.phone_numbers import InvalidPhoneNumber, normalise
from verify_service.problems import Problem
from verify_service.tokens import LONGEST

LARGEST_BODY = 16 * 1024
READ_AT_MOST = LARGEST_BODY + 1
"""One more, since of a body in chunks Flask returns what it may read and doesn't say that there was more."""
_PUNCTUATION = re.compile(r"[\s()./-]+")
_INTERNATIONAL = re.compile(r"[1-9][0-9]{6,14}")
_PROBLEM_OF_FIELD = {"phoneNumber": "invalid-phone", "code": "invalid-code-format"}


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, hide_input_in_errors=True)


Token = Annotated[str, StringConstraints(max_length=LONGEST)]


class Start(_Body):
    """A number as the person wrote it, and what it is verified for (given back with the result)."""

    phone_number: Annotated[str, StringConstraints(min_length=1, max_length=40)] = Field(alias="phoneNumber")
    purpose: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{0,64}\z")] = ""


class Resend(_Body):
    """A session that wants another code."""

    session: Token


class Check(_Body):
    """The code as the person typed it."""

    session: Token
    code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}\z")]


class Redeem(_Body):
    """A result to use up."""

    result: Token


class ProofGiven(_Body):
    """A proof with all that it covers; what is missing makes it invalid, not malformed."""

    phone_number: str = Field("", alias="phoneNumber")
    token: str = ""
    code: str = ""
    timestamp: str = ""
    proof: str = ""


Body = TypeVar("Body", bound=BaseModel)


def read(request: Request, model: type[Body]) -> Body:
    """Return the body of a request. Raises Problem (``json-only``, ``too-large``, ``invalid-…``)."""
    if request.mimetype != "application/json":
        raise Problem("json-only")
    content = request.get_data(cache=False)
    if len(content) > LARGEST_BODY:
        raise Problem("too-large")
    try:
        return model.model_validate(read_json(content))
    except ValidationError as error:
        raise _problem(error) from None
    except ValueError:
        raise Problem("invalid-request") from None


def read_number(text: str, calling_code: str) -> str:
    """Return a number's international digits; the upstream decides about one unknown here. Raises Problem."""
    try:
        return normalise(text, calling_code)
    except InvalidPhoneNumber:
        digits = _PUNCTUATION.sub("", text).removeprefix("+").removeprefix("00")
        if _INTERNATIONAL.fullmatch(digits):
            return digits
        raise Problem("invalid-phone", field="phoneNumber") from None


def _problem(error: ValidationError) -> Problem:
    details = error.errors(include_url=False, include_input=False, include_context=False)
    first = details[0]
    field = str(first["loc"][0]) if first["loc"] else None
    if first["type"] == "missing" or field is None:
        return Problem("invalid-request", field=field)
    return Problem(_PROBLEM_OF_FIELD.get(field, "invalid-request"), field=field)
