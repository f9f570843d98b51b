"""What is wrong with a request, field by field, in sentences for the caller (details, "Responses and errors")."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ValidationError

from interface import patterns

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


class FieldError(NamedTuple):
    """One thing to correct: ``field`` is a path such as ``flow[0].sms.gateway``, empty for the request as a whole."""

    field: str
    message: str


def field_path(loc: Iterable[int | str]) -> str:
    """Write a Pydantic location as the path a caller reads: ``("flow", 0, "sms")`` becomes ``flow[0].sms``."""
    path = ""
    for part in loc:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path


def field_errors(error: ValidationError, whole: str = "The body") -> list[FieldError]:
    """Turn a ``ValidationError`` into sentences that name the field and say what is allowed, never the value given.

    ``whole`` is what a sentence calls the thing itself, where no field of it is wrong.
    """
    details = error.errors(include_url=False, include_input=False)
    return list(dict.fromkeys(_field_error(detail, whole) for detail in details))


def _field_error(detail: "ErrorDetails", whole: str) -> FieldError:
    context: dict[str, Any] = detail.get("ctx", {})
    parts = [part for part in detail["loc"] if part != "[key]"]
    field = field_path(parts)
    if "field" in context:
        field = ".".join(filter(None, (field, context["field"])))
    if detail["type"] == "json_invalid":
        return FieldError("", f"{whole} is not JSON: {context.get('error', 'it cannot be read')}.")
    return FieldError(field, f"{field or whole} {_sentence(detail, context)}.")


_PLURAL_OF_ONE = re.compile(r"( 1 (?:item|character))s\b")
_SENTENCES = {
    "missing": "is required",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode text",
    "list_type": "must be an array",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a whole number of a usual size",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "enum": "must be one of {expected}",
    "literal_error": "must be one of {expected}",
    "datetime_parsing": "must be a date and time written in ISO 8601, in UTC",
    "datetime_from_date_parsing": "must be a date and time written in ISO 8601, in UTC",
    "extra_forbidden": "is not a channel; a step has exactly one of sms, viber, whatsapp_text, whatsapp_template, rcs",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must have at least {min_length} characters",
    "too_long": "must have at most {max_length} items",
    "too_short": "must have at least {min_length} items",
}


def _sentence(detail: "ErrorDetails", context: dict[str, Any]) -> str:
    kind = detail["type"]
    if kind == "string_pattern_mismatch":
        return patterns.SENTENCES.get(context["pattern"], f"must match {context['pattern']}")
    if kind in _SENTENCES:
        expected = str(context.get("expected", "")).replace("'", "").replace(" or ", ", ")
        given = {name: f"{value:.15g}" if isinstance(value, float) else value for name, value in context.items()}
        return _PLURAL_OF_ONE.sub(r"\1", _SENTENCES[kind].format_map({**given, "expected": expected}))
    message = detail["msg"].removesuffix(".")
    return message[:1].lower() + message[1:]
