"""What a caller reads of a wrong field names what is allowed in it (details, "Responses and errors")."""

import pytest
from pydantic import ValidationError

from interface import patterns
from interface.billing import BillingUpdate, InvoicesQuery
from interface.calls import CALLS
from interface.chat_templates import TemplateCreate
from interface.field_errors import field_errors
from interface.message import MessageRequest
from interface.orders import OrderRequest
from interface.partner import RecipientRegister
from interface.simple import SimpleMessage

MESSAGE = {"to": [{"phone_number": "420777123456"}], "body": "Hello"}
AN_AMOUNT = r"^(0\.\d{0,5}[1-9]|[1-9]\d{0,8}(\.\d{1,6})?)$"
"""Only describes what a validator of its own checks."""
SIMPLE = {"number": "420777123456", "message": "Hello"}


def sentence_about(model, field, document):
    with pytest.raises(ValidationError) as raised:
        model.model_validate(document)
    return dict(field_errors(raised.value))[field]


@pytest.mark.parametrize(
    ("model", "field", "document", "allowed"),
    [
        (MessageRequest, "body", MESSAGE | {"body": "a\0"}, "must not contain the NUL character."),
        (
            MessageRequest,
            "flow[0].sms.ttl",
            MESSAGE | {"flow": [{"sms": {"ttl": 1_000_000}}]},
            "must be at most 525600.",
        ),
        (RecipientRegister, "phone_number", {"phone_number": ""}, "must have at least 1 character."),
        (MessageRequest, "tag", MESSAGE | {"tag": "x" * 256}, "must have at most 255 characters."),
        (
            MessageRequest,
            "delivery_time.end",
            MESSAGE | {"delivery_time": {"start": "08:00", "end": "08:00"}},
            "must be another time than start.",
        ),
        (
            SimpleMessage,
            "gateway",
            SIMPLE | {"gateway": "best"},
            "must be one of high, lowcost, direct, custom, simhost, gsm.",
        ),
        (
            OrderRequest,
            "value",
            {"service": "name", "value": "TwelveLetters"},
            "must be a name of at most 11 characters, or a number of digits without +.",
        ),
        (BillingUpdate, "country", {"billing_id": "b", "country": "Czechia"}, "must be a country code of two letters."),
        (
            BillingUpdate,
            "name",
            {"billing_id": "b", "name": "a\nb"},
            "must be a single line without control characters.",
        ),
        (InvoicesQuery, "year", {"year": "last"}, "must be a whole number."),
        (
            TemplateCreate,
            "template.name",
            {"waba_id": "1", "template": {"name": "Ž"}},
            "must be 1 to 100 of the characters a-z, 0-9 and underscore.",
        ),
    ],
)
def test_a_sentence_tells_what_is_allowed(model, field, document, allowed):
    assert sentence_about(model, field, document) == f"{field} {allowed}"


def test_every_pattern_of_a_request_has_a_sentence():
    bodies = [call.body.json_schema() for call in CALLS if call.body is not None]
    queries = [call.query.model_json_schema() for call in CALLS if call.query is not None]

    found = {pattern for schema in bodies + queries for pattern in _patterns(schema)}

    assert found - patterns.SENTENCES.keys() == {AN_AMOUNT}


def _patterns(schema):
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("pattern"), str):
        yield schema["pattern"]
    for part in schema.values():
        yield from _patterns(part)
