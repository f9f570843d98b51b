"""The calls about templates of messaging apps, over a real socket (specification 4.3)."""

import json

import pytest
from pydantic import ValidationError
from scripted_server import Reply

from interface import errors
from interface.chat_templates import LibraryTemplate, TemplateCreate
from interface.client import Addresses, MessagingClient, RetryPolicy

TEMPLATE = {
    "name": "parcel",
    "language": "en_US",
    "category": "UTILITY",
    "library_template_name": "delivery_update_1",
    "library_template_button_inputs": [{"type": "URL", "url": {"base_url": "https://shop.example/{{1}}"}}],
}


@pytest.fixture
def client(server):
    with MessagingClient("a-key", Addresses.of(server.address), retries=RetryPolicy(), sleep=lambda _: None) as client:
        yield client


def test_templates_are_created_listed_and_deleted(server, client):
    listed = {"template_id": "17", "waba_id": "1", "name": "parcel", "language": "en_US", "category": "UTILITY"}
    listed |= {"status": "APPROVED", "parameters": {"body": 2}}
    server.will_answer(
        Reply(200, {"success": True, "template_id": "17", "status": "PENDING", "category": "UTILITY"}),
        Reply(200, {"success": True, "templates": [listed]}),
        Reply(200, {"success": True, "message": "Template parcel deleted"}),
    )

    created = client.create_chat_template("1", LibraryTemplate.model_validate(TEMPLATE))
    (template,) = client.chat_templates(waba_id="1")
    deleted = client.delete_chat_template("1", "parcel")

    assert (created.template_id, created.status, created.category) == ("17", "PENDING", "UTILITY")
    assert (template.status, template.parameters.body, template.parameters.buttons) == ("APPROVED", 2, 0)
    assert deleted.message == "Template parcel deleted"
    assert [(each.method, each.path, json.loads(each.body or "null")) for each in server.received] == [
        ("POST", "/v1/chatapp/templates/library/create", {"waba_id": "1", "template": TEMPLATE}),
        ("GET", "/v1/chatapp/templates?waba_id=1", None),
        ("POST", "/v1/chatapp/templates/delete", {"waba_id": "1", "template_name": "parcel"}),
    ]


def test_what_the_platform_does_not_do_is_an_error_with_its_sentence(server, client):
    server.will_answer(Reply(200, {"success": False, "message": "There is no template parcel."}))

    with pytest.raises(errors.Refused, match="no template parcel") as refused:
        client.delete_chat_template("1", "parcel")

    assert refused.value.status == 200


def test_a_template_whose_creation_may_have_happened_is_not_created_again(server, client):
    server.will_answer(Reply(503, {"message": "Try again"}))

    with pytest.raises(errors.ServerFailed):
        client.create_chat_template("1", LibraryTemplate.model_validate(TEMPLATE))

    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "Parcel"}, "template.name"),
        ({"language": "English"}, "template.language"),
        ({"category": "SPAM"}, "template.category"),
        ({"library_template_name": ""}, "template.library_template_name"),
        ({"library_template_button_inputs": [{"type": "OTHER"}]}, "template.library_template_button_inputs.0.type"),
        ({"library_template_button_inputs": [{"type": "URL"}]}, "template.library_template_button_inputs.0"),
    ],
)
def test_a_template_that_makes_no_sense_is_refused_by_its_field(change, field):
    with pytest.raises(ValidationError) as refused:
        TemplateCreate.model_validate({"waba_id": "1", "template": TEMPLATE | change})

    assert [".".join(map(str, error["loc"])) for error in refused.value.errors()] == [field]
