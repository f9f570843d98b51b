"""Null in a field that has a default: the same as leaving the field out, as programs do that write every field."""

from typing import Annotated, TypeVar

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticUseDefault, core_schema

Value = TypeVar("Value")


class _NullIsAbsent:
    """Validates null as the field's default. JSON schemas, and the forms made from them, don't offer it."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(_unless_null, handler(source))


def _unless_null(value: object) -> object:
    if value is None:
        raise PydanticUseDefault
    return value


OrDefault = Annotated[Value, _NullIsAbsent()]
"""A value, or null for the field's default."""
