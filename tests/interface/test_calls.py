"""The one list of calls is complete, and good enough to describe the service with."""

import re
from collections import Counter
from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter

from interface import calls, errors, responses
from interface.calls import CALLS, Base, Call, Content, Repeatable
from interface.client import operations


def test_every_call_of_the_interface_so_far_is_listed_once():
    listed = Counter(f"{call.method} {call.base} {call.path}" for call in CALLS)

    assert listed == Counter(
        [
            "POST messaging /message",
            "POST messaging /message/priority",
            "POST messaging /messages",
            "GET messaging /simple/message",
            "POST messaging /simple/message",
            "GET rest /message",
            "GET rest /messages",
            "GET rest /request",
            "GET rest /requests",
            "GET rest /inbox",
            "POST rest /apikey/update",
            "GET rest /apikey/me",
            "GET rest /credit",
            "GET rest /credit/prices",
            "GET rest /credit/notify",
            "POST rest /credit/notify",
            "GET rest /credit/services",
            "POST rest /credit/order",
            "POST rest /credit/cancel",
            "POST rest /apikey/add",
            "GET rest /apikey/list",
            "POST rest /apikey/change",
            "POST rest /optout",
            "POST rest /blacklist",
            "GET rest /optout",
            "GET rest /blacklist",
            "DELETE rest /optout",
            "DELETE rest /blacklist",
            "POST rest /messaging/url",
            "POST rest /messaging/cancel",
            "POST rest /messaging/validate",
            "GET rest /messaging/bulk",
            "POST rest /billing/get",
            "POST rest /billing/set",
            "POST rest /billing/invoices/list",
            "POST rest /billing/invoices/pdf",
            "GET rest /billing/topup",
            "POST rest /connect/{connector}/{action}",
            "POST rest /partner/signup",
            "POST rest /push/device",
            "POST rest /recipient/register",
            "POST rest /chatapp/templates/library/create",
            "POST rest /chatapp/templates/delete",
            "GET rest /chatapp/templates",
            "POST verify /v1/validations",
            "POST verify /v1/validations/{token}/verify",
            "PATCH verify /v1/validations/{token}",
            "POST verify /v1/verify-proof",
            "POST xml ",
        ],
    )


def test_every_defined_call_is_in_the_list():
    defined = {value.name for value in vars(calls).values() if isinstance(value, Call)}

    assert defined == {call.name for call in CALLS}


def test_every_call_but_the_one_by_query_is_an_operation_of_the_client():
    modules = Path(operations.__file__).parent.glob("*.py")
    defined = {name for module in modules for name in re.findall(r"calls\.([A-Z_]+)", module.read_text("utf-8"))}

    assert {getattr(calls, name) for name in defined} == set(CALLS) - {calls.SEND_SIMPLE_BY_QUERY}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_call_describes_itself(call):
    schemas = [call.answer.model_json_schema(mode="serialization")]
    schemas += [call.body.json_schema()] if call.body else []
    schemas += [call.query.model_json_schema()] if call.query else []

    assert all(schemas)
    assert call.summary
    assert {error.status for error in call.errors} >= {400, 500}
    assert (call.method in {"POST", "PATCH", "DELETE"}) == (call.body is not None)


def test_only_calls_that_send_need_a_key_to_be_repeated():
    sending = {call.name for call in CALLS if call.repeatable is Repeatable.WITH_KEY}

    assert sending == {call.name for call in CALLS if call.base is Base.MESSAGING} | {"start_validation", "send_xml"}


def test_what_would_count_or_be_refused_the_second_time_is_never_repeated():
    never = {call.name for call in CALLS if call.repeatable is Repeatable.NEVER}

    assert never == {
        "verify_code",
        "bulk_url",
        "bulk_cancel",
        "apikey_add",
        "chat_template_create",
        "chat_template_delete",
    }


def test_only_the_simple_call_and_the_xml_interface_take_a_form():
    assert [call.name for call in CALLS if call.content is Content.FORM] == ["send_simple", "send_xml"]


def test_only_the_xml_interface_answers_xml():
    assert [call.name for call in CALLS if call.answers is not Content.JSON] == ["send_xml"]


def test_answers_ignore_what_a_provider_adds():
    answer = TypeAdapter(responses.SendResponse).validate_json('{"request_id": "r", "extra": 1}')

    assert (answer.accepted, answer.rejected) == ([], [])


def test_the_tree_in_the_docstring_is_the_tree_of_errors():
    drawn = set(re.findall(r"[├└]── (\w+)", errors.__doc__))
    defined = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}

    assert drawn == defined - {"DovecoteError"}


def test_models_of_the_interface_are_frozen():
    models = [call.answer for call in CALLS] + [call.query for call in CALLS if call.query]

    assert all(issubclass(model, BaseModel) and model.model_config.get("frozen") for model in models)
