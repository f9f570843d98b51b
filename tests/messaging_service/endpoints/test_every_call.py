"""The architecture of the interface: every call is served, authenticates, and words refusals as its interface does."""

import gzip
import json
from xml.etree import ElementTree as ET

import pytest

from interface.calls import CALLS, SEND_XML, Base, Content
from interface.field_errors import FieldError
from interface.xml import STATUSES, XmlCode
from messaging_service.endpoints.problems import failed, refused
from messaging_service.endpoints.serving import PREFIXES
from messaging_service.refusals import (
    Coded,
    InvalidRequest,
    NotSetUp,
    PlatformBusy,
    PlatformFailed,
    Refusal,
    RefusedDocument,
    TooLarge,
    TooManyRecipients,
    WrongContentType,
)

IN_JSON = [call for call in CALLS if call.answers is Content.JSON]
NOT_AUTHORIZED = "User is not authorized to access this resource with an explicit deny"
ARGUMENTS = {
    Coded: ["EXPIRED", "The code has expired."],
    InvalidRequest: [[FieldError("body", "body is required.")]],
    RefusedDocument: [XmlCode.BAD_TEXT, "Request[1]/Message has no text."],
    PlatformBusy: ["klaviyo", 30],
    PlatformFailed: ["klaviyo"],
    TooLarge: [1],
    TooManyRecipients: [1000],
    WrongContentType: ["application/json"],
}


def request(client, call, **more):
    return client.request(call.method, PREFIXES[call.base] + call.path, **more)


@pytest.fixture(scope="module")
def blocked(service_on_sqlite):
    service_on_sqlite.add_key("a-blocked-key", subid="blocked", is_blocked=True)
    return "a-blocked-key"


@pytest.mark.parametrize("call", [call for call in IN_JSON if call.needs_key], ids=lambda call: call.name)
def test_every_call_refuses_a_missing_unknown_or_blocked_key(service_on_sqlite, blocked, call):
    clients = [service_on_sqlite.client(key) for key in (None, "an-unknown-key", blocked)]

    answers = [request(client, call) for client in clients]

    word, status = ("Message", 400) if call.base is Base.MESSAGING else ("message", 401)
    assert [(answer.status_code, answer.json()[word]) for answer in answers] == [(status, NOT_AUTHORIZED)] * 3


def test_only_a_proof_is_checked_without_a_key():
    assert [call.name for call in CALLS if not call.needs_key] == ["verify_proof"]


@pytest.mark.parametrize("call", IN_JSON, ids=lambda call: call.name)
def test_every_call_is_served_and_answers_json(service_on_sqlite, call):
    answer = request(service_on_sqlite.api, call)

    assert answer.status_code not in {405, 500}
    assert not answer.json().get("message", "").startswith("There is no /")
    assert answer.headers["content-type"] == "application/json"
    assert isinstance(answer.json(), dict)


@pytest.mark.parametrize("call", [call for call in CALLS if call.method != "PATCH"], ids=lambda call: call.name)
def test_another_method_is_not_answered(service_on_sqlite, call):
    answer = service_on_sqlite.api.request("PATCH", PREFIXES[call.base] + call.path)

    assert (answer.status_code, answer.json()) == (405, {"message": "PATCH isn't answered here."})
    assert call.method in answer.headers["allow"].split(", ")


@pytest.mark.parametrize("path", ["/v1", "/v1/nothing", "/v2/message/", "/v3/message", "/docs/assets/nothing"])
def test_an_unknown_path_is_not_there(service_on_sqlite, path):
    answer = service_on_sqlite.api.get(path)

    assert (answer.status_code, answer.json()) == (404, {"message": f"There is no {path} here."})


@pytest.mark.parametrize("call", [call for call in IN_JSON if call.body is not None], ids=lambda call: call.name)
def test_a_body_of_another_form_is_refused(service_on_sqlite, call):
    answer = request(service_on_sqlite.api, call, content=b"to=1", headers={"content-type": "text/plain"})

    assert answer.status_code == 415
    assert answer.json()["message"] == f"Content-Type must be {call.content.value}."


@pytest.mark.parametrize("call", [call for call in IN_JSON if call.body is not None], ids=lambda call: call.name)
def test_a_compressed_body_is_refused(service_on_sqlite, call):
    headers = {"content-type": call.content.value, "content-encoding": "gzip"}

    answer = request(service_on_sqlite.api, call, content=gzip.compress(b"{}"), headers=headers)

    assert answer.status_code == 415
    assert answer.json()["message"] == "The body must not be compressed: no Content-Encoding is understood."


@pytest.mark.parametrize("base", [base for base in Base if base is not Base.XML])
@pytest.mark.parametrize("refusal", Refusal.__subclasses__(), ids=lambda refusal: refusal.__name__)
def test_every_refusal_has_a_status_and_a_sentence_in_every_interface(refusal, base):
    response = refused(refusal(*ARGUMENTS.get(refusal, [])), base)

    (sentence,) = (text for name, text in json.loads(response.body).items() if name.lower() == "message")
    assert 400 <= response.status_code < 500 or refusal in {NotSetUp, PlatformFailed}
    assert sentence.endswith((".", "deny", "settings"))


@pytest.mark.parametrize("refusal", Refusal.__subclasses__(), ids=lambda refusal: refusal.__name__)
def test_every_refusal_is_a_document_in_the_xml_interface(refusal):
    response = refused(refusal(*ARGUMENTS.get(refusal, [])), Base.XML)

    answer = ET.fromstring(response.body).find("Response")
    assert (response.media_type, answer.get("Type")) == ("application/xml", "ERROR")
    assert response.status_code == STATUSES[XmlCode(int(answer.get("ID")))]
    assert answer.text


def test_a_failure_is_a_document_in_the_xml_interface():
    response = failed(SEND_XML, RuntimeError("a secret"), "Unexpected error")

    answer = ET.fromstring(response.body).find("Response")
    assert (response.status_code, answer.get("ID"), answer.text) == (500, "900", "Unexpected error.")


def test_a_sending_call_never_answers_to_head(service_on_sqlite):
    answer = service_on_sqlite.api.head("/v2/simple/message", params={"phone_number": "420777123456", "message": "x"})

    assert answer.status_code == 405
