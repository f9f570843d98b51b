"""``docs/interface.md`` proves the interface row by row: nothing of it is left out, and every proof is there."""

import ast
import re
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import getmodule
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import AliasChoices, BaseModel, TypeAdapter

from interface import (
    account,
    billing,
    bulk,
    chat_templates,
    connectors,
    credit,
    delivery_time,
    flow_steps,
    inbox,
    keys,
    lists,
    message,
    notifications,
    orders,
    partner,
    queries,
    responses,
    simple,
    special_parameters,
    verification,
    xml,
)
from interface.calls import CALLS
from interface.results import Result, ResultCode
from messaging_service.endpoints.documentation import DESCRIBED_PAGES
from messaging_service.endpoints.serving import PREFIXES

PAGE = Path(__file__).parents[2] / "docs" / "interface.md"
MODELS: Mapping[str, list[ModuleType | type[BaseModel]]] = {
    "Message request object": [message.MessageRequest, message.Recipient],
    "Delivery window": [delivery_time.DeliveryTime],
    "Steps of a flow": [flow_steps],
    "Special parameters": [special_parameters],
    "Answers of the sending calls": [responses.SendResponse, responses.Accepted, responses.Rejected],
    "Simple message": [simple.SimpleMessage, simple.SimpleQuery, responses.SimpleResponse],
    "Status of a message": [
        queries.MessageQuery,
        responses.MessageResponse,
        responses.MessageStatus,
        responses.StatusRecipient,
        responses.StepStatus,
    ],
    "List of messages": [queries.MessagesQuery, responses.MessagesResponse, responses.MessageRow],
    "Statistics by date": [
        queries.RequestsQuery,
        responses.RequestStatistics,
        responses.DateStatistics,
        responses.DateCounters,
    ],
    "Statistics of a request": [
        queries.RequestQuery,
        responses.SingleRequestStatistics,
        responses.RequestCounters,
    ],
    "Inbound message": [inbox],
    "Keys": [
        keys,
        account.ApikeyMeResponse,
        account.ApikeyMe,
        account.ApikeyUpdate,
        account.SenderEntry,
        account.Success,
    ],
    "Credit and orders": [credit, orders],
    "Billing": [billing],
    "Bulk upload": [bulk],
    "Lists": [account.ListSubmission, account.ListResponse, lists],
    "Connectors": [connectors],
    "Partner": [partner],
    "Chat-app templates": [chat_templates],
    "Verification": [verification],
    "XML interface": [xml],
    "Notifications": [notifications],
    "Errors": [
        responses.Problem,
        responses.AuthenticationProblem,
        responses.ValidationProblem,
        responses.FieldProblem,
    ],
}
VALUES = {
    "States and results": {result.value for result in Result},
    "Codes of `result_info`": {f"[{code.value}]" for code in ResultCode},
    "XML interface": {str(code.value) for code in xml.XmlCode},
    "Bulk upload": {state.value for state in bulk.BulkState},
}
PROOF = re.compile(r"\[([^\]]+)\]\(\.\./(tests/[\w/]+\.py)\)")
Rows = list[tuple[str, str]]


@cache
def sections() -> dict[str, Rows]:
    """Return the rows of each section (the key's cell, the proofs' cell), by heading without its numbers."""
    found: dict[str, Rows] = {}
    rows: Rows = []
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            rows = found.setdefault(re.sub(r" \([^)]*\)$", "", line.removeprefix("## ")), [])
        elif line.startswith("| ") and line != "| Row | Proven by |":
            key, _, proofs = line.strip("| ").partition(" | ")
            rows.append((key, proofs))
    return found


def keys_of(heading: str) -> set[str]:
    return {key for cell, _ in sections()[heading] for key in re.findall(r"`([^`]+)`", cell)}


@cache
def functions_of(path: str) -> set[str]:
    tree = ast.parse((PAGE.parents[1] / path).read_text())
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return {node.name for node in functions}


def wire_names(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        if isinstance(field.validation_alias, AliasChoices):
            yield from map(str, field.validation_alias.choices)
        else:
            yield field.alias or name


def models_in(kind: object, found: set[type[BaseModel]]) -> None:
    kind = kind._type if isinstance(kind, TypeAdapter) else kind  # noqa: SLF001 - it has no other way to say
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in found:
        found.add(kind)
        for field in kind.model_fields.values():
            models_in(field.annotation, found)
    for argument in typing.get_args(kind):
        models_in(argument, found)


def models_of(heading: str) -> Iterator[type[BaseModel]]:
    """Yield the models of a section: those named, and all that a module named defines."""
    for each in MODELS[heading]:
        candidates = vars(each).values() if isinstance(each, ModuleType) else [each]
        for model in candidates:
            if isinstance(model, type) and issubclass(model, BaseModel) and each in {model, getmodule(model)}:
                yield model


@pytest.mark.parametrize("heading", sections())
def test_every_row_names_tests_that_are_there(heading):
    proofs = [(key, PROOF.findall(cell)) for key, cell in sections()[heading]]

    assert [key for key, named in proofs if not named] == []
    missing = [
        f"{path}: {sentence}"
        for _, named in proofs
        for sentence, path in named
        if f"test_{sentence.replace(' ', '_')}" not in functions_of(path)
    ]
    assert missing == []


def test_every_call_and_page_has_a_row():
    served = {f"{call.method} {PREFIXES[call.base]}{path}" for call in CALLS for path in (call.path, *call.aliases)} | {
        f"{method.upper()} {path}" for path, item in DESCRIBED_PAGES.items() for method in item
    }

    rows = {key for key in keys_of("Calls") if key.split(" ")[0] in {"GET", "POST", "PUT", "PATCH", "DELETE"}}
    assert rows == served


@pytest.mark.parametrize("heading", MODELS)
def test_every_field_has_a_row(heading):
    fields = {name for model in models_of(heading) for name in wire_names(model)}

    assert fields - keys_of(heading) == set()


@pytest.mark.parametrize("heading", VALUES)
def test_every_value_has_a_row(heading):
    assert VALUES[heading] - keys_of(heading) == set()


def test_every_model_of_the_interface_belongs_to_a_section():
    used: set[type[BaseModel]] = set()
    for call in CALLS:
        for model in (call.body, call.query, call.answer, *(body for error in call.errors for body in error.bodies)):
            models_in(model, used)
    models_in(notifications.Event, used)

    described = {model for heading in MODELS for model in models_of(heading)}

    assert {model.__name__ for model in used - described} == set()
