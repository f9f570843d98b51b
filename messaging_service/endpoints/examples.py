"""Examples of answers for the OpenAPI document, put together from the examples of their fields. Pure."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from interface.responses import Problem

_OF_TYPE: dict[Any, Any] = {bool: True, str: "…", int: 0, date: "2026-03-01"}


def _itself(value: dict[str, Any]) -> Any:  # noqa: ANN401 - as what it is held in
    return value


_WRAPPED: dict[Any, Callable[[dict[str, Any]], Any]] = {list: lambda value: [value], dict: lambda value: {"0": value}}


def example(model: type[BaseModel]) -> dict[str, Any]:
    """Return an answer with every field: its example, an example of the model it holds, or its default."""
    return {field.alias or name: _value(field) for name, field in model.model_fields.items()}


def example_of_error(model: type[BaseModel], description: str) -> dict[str, Any]:
    """Return the body of an error; a plain one says what its description does."""
    return {"message": description} if model is Problem else example(model)


def _value(field: FieldInfo) -> Any:  # noqa: ANN401 - whatever JSON the field holds
    if field.examples:
        return field.examples[0]
    for held in _models_in(field.annotation):
        return _WRAPPED.get(get_origin(field.annotation), _itself)(example(held))
    if field.is_required():
        return _OF_TYPE.get(field.annotation)
    return field.get_default(call_default_factory=False)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - whatever a field is annotated with
    candidates = (annotation, *get_args(annotation))
    return (each for each in candidates if isinstance(each, type) and issubclass(each, BaseModel))
