"""Null in a field that has a default: the same as leaving the field out, as programs do that write every field."""

from typing import Annotated, TypeVar

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, PydanticUseDefault, core_schema

Value = TypeVar("Value")


class _NullIsAbsent:
    """Validates null as the field's default; in the JSON schema, null is allowed."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        inner = handler(source)
        nullable = core_schema.nullable_schema(inner)
        return core_schema.no_info_before_validator_function(_unless_null, inner, json_schema_input_schema=nullable)


def _unless_null(value: object) -> object:
    if value is None:
        raise PydanticUseDefault
    return value


OrDefault = Annotated[Value, _NullIsAbsent()]
"""A value, or null for the field's default."""
