"""The OpenAPI description (3.1), made from the definitions of the calls, so that it can't say anything else. Pure."""

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel, TypeAdapter

from interface.calls import IDEMPOTENCY_HEADER, KEY_HEADER, Call, Content, ErrorAnswer
from interface.simple import SimpleQuery
from messaging_service.endpoints.examples import example, example_of_error
from messaging_service.endpoints.serving import PREFIXES

_SCHEMAS = "#/components/schemas/"
_KEY_PARAMETER = "apikey"
_DESCRIPTION = """\
Sends text messages and tells what becomes of them.

Every call carries a key in the header `x-api-key`. A 200 of a sending call means that the message is on disk and will
be processed; its fate is told by notifications to the callback address and by the status calls. Errors of the messaging
API (`/v2`) are `{Message}` for a refused key and `{message, errors}` for a request that is not valid; errors of the
account API (`/v1`) are `{message}`, those of the verification API `{error, message}`, those of the
XML interface (`/xml`) `Result` documents.
"""
_IDEMPOTENCY_PARAMETER = {
    "name": IDEMPOTENCY_HEADER,
    "in": "header",
    "required": False,
    "description": "Makes the call repeatable: the same key and request within 24 hours get the first answer again.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}

Document = dict[str, Any]
_Model = type[BaseModel] | TypeAdapter[Any]


def describe(calls: Iterable[Call[Any]], pages: Mapping[str, Document]) -> Document:
    """Return the document of these calls; ``pages`` are the path items of what else is served."""
    schemas = _Schemas(calls)
    paths: dict[str, Document] = {}
    for call in schemas.calls:
        path = PREFIXES[call.base] + call.path
        paths.setdefault(path, {})[call.method.lower()] = _operation(call, schemas)
        for alias in call.aliases:
            paths[PREFIXES[call.base] + alias] = {"$ref": f"#/paths/{path.replace('/', '~1')}"}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Dovecote", "version": version("dovecote"), "description": _DESCRIPTION},
        "security": [{"key": []}],
        "paths": {**paths, **pages},
        "components": {
            "schemas": schemas.definitions,
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": KEY_HEADER},
                "keyParameter": {"type": "apiKey", "in": "query", "name": _KEY_PARAMETER},
            },
        },
    }


class _Schemas:
    """The JSON schemas of all that the calls take and answer, each named once."""

    def __init__(self, calls: Iterable[Call[Any]]) -> None:
        self.calls = tuple(calls)
        inputs = [(str(id(model)), mode, _adapter(model)) for model, mode in self._used()]
        self._references, document = TypeAdapter.json_schemas(inputs, ref_template=_SCHEMAS + "{model}")
        self.definitions: Document = document.get("$defs", {})

    def _used(self) -> Iterable[tuple[_Model, Any]]:
        for call in self.calls:
            if call.body is not None:
                yield call.body, "validation"
            yield call.answer, "serialization"
            for error in call.errors:
                yield from ((body, "serialization") for body in error.bodies)

    def taken(self, model: _Model) -> Document:
        """Return the schema of what a call takes."""
        return self._references[str(id(model)), "validation"]

    def answered(self, model: _Model) -> Document:
        """Return the schema of what a call answers."""
        return self._references[str(id(model)), "serialization"]


def _adapter(model: _Model) -> TypeAdapter[Any]:
    return model if isinstance(model, TypeAdapter) else TypeAdapter(model)


def _operation(call: Call[Any], schemas: _Schemas) -> Document:
    operation: Document = {
        "operationId": call.name,
        "tags": [call.group],
        "summary": call.summary,
        "parameters": _parameters(call),
        "responses": _responses(call, schemas),
    }
    if call.description:
        operation["description"] = call.description
    if call.body is not None:
        content = {call.content.value: {"schema": schemas.taken(call.body)}}
        operation["requestBody"] = {"required": True, "content": content}
    if call.query is SimpleQuery:
        operation["security"] = [{"key": []}, {"keyParameter": []}]
    if not call.needs_key:
        operation["security"] = []
    return operation


def _parameters(call: Call[Any]) -> list[Document]:
    parameters = [_path_parameter(name) for name in re.findall(r"{(\w+)}", call.path)]
    parameters += [] if call.query is None else list(_query_parameters(call.query))
    return [*parameters, _IDEMPOTENCY_PARAMETER] if call.takes_idempotency_key else parameters


def _path_parameter(name: str) -> Document:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}


def _query_parameters(model: type[BaseModel]) -> Iterable[Document]:
    document = model.model_json_schema()
    definitions = document.get("$defs", {})
    for name, schema in document["properties"].items():
        if name == _KEY_PARAMETER:
            continue
        described = _resolved(schema, definitions)
        yield {
            "name": name,
            "in": "query",
            "required": name in document.get("required", ()),
            "description": described.pop("description", ""),
            "schema": described,
        }


def _resolved(schema: Document, definitions: Document) -> Document:
    """Write out what a parameter's schema refers to, and leave out null, which a query can't carry."""
    resolved = dict(schema)
    if "$ref" in resolved:
        resolved = {**definitions[resolved.pop("$ref").rsplit("/", 1)[1]], **resolved}
    given = [option for option in resolved.pop("anyOf", []) if option != {"type": "null"}]
    if given:
        resolved = {**_resolved(given[0], definitions), **resolved}
    if resolved.get("default", "") is None:
        del resolved["default"]
    return resolved


def _responses(call: Call[Any], schemas: _Schemas) -> Document:
    given = {"answer": {"value": example(call.answer)}}
    answers = {"200": _answer(call, "The call succeeded.", schemas.answered(call.answer), given)}
    for error in sorted(call.errors, key=lambda error: error.status):
        given = {body.__name__: {"value": example_of_error(body, error.description)} for body in error.bodies}
        answers[str(error.status)] = _answer(call, error.description, _any_of(error, schemas), given)
    return answers


def _any_of(error: ErrorAnswer, schemas: _Schemas) -> Document:
    options = [schemas.answered(body) for body in error.bodies]
    return options[0] if len(options) == 1 else {"anyOf": options}


def _answer(call: Call[Any], description: str, schema: Document, examples: Document) -> Document:
    content: Document = {"schema": schema}
    if call.answers is Content.JSON:  # an example in XML is made of those of its fields by whoever shows it
        content["examples"] = examples
    return {"description": description, "content": {call.answers.value: content}}
