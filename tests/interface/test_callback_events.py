"""The events of a callback's body, and its signature."""

import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from interface.flow_steps import Channel
from interface.notifications import (
    CHANNEL_OBJECTS,
    EVENTS,
    IncomingMessage,
    IncomingReplyMessage,
    LowCredit,
    SentMessage,
    UnknownEvent,
    parse_events,
)
from interface.results import Result
from interface.signatures import Proven, check_callback, check_proof, sign_callback, sign_proof

SENT = {
    "request_id": "r",
    "message_id": "m-0",
    "gateway": "sms",
    "timestamp": 1772323200,
    "payload": {"order": 17},
    "type": "outgoing",
    "to": {"phone_number": "420777123456"},
    "result": "delivered",
    "result_info": "[0] Delivered",
    "sms": {
        "sender": "Dovecote",
        "country": 230,
        "operator": 0,
        "price_czk": 1.2,
        "price_eur": 0.05,
        "count": 1,
        "gateway": "high",
    },
}
INCOMING = {
    "gateway": "sms",
    "timestamp": 1772323200,
    "type": "incoming",
    "sender": "420777123456",
    "recipient": "420900123",
    "body": "YES",
}


def test_each_kind_of_event_is_told_apart():
    reply = {**INCOMING, "request_id": "r", "message_id": "m-0", "payload": None}
    low = {"type": "lowCredit", "timestamp": 1772323200, "credit": "12.50", "value": "50.00", "currency": "CZK"}
    raw = json.dumps([SENT, reply, INCOMING, low, {"type": "clicked", "link": "l"}]).encode()

    events = parse_events(raw)

    kinds = [SentMessage, IncomingReplyMessage, IncomingMessage, LowCredit, UnknownEvent]
    assert [type(event) for event in events] == kinds
    assert events[0].result is Result.DELIVERED
    assert events[0].details().gateway == "high"
    assert events[1].message_id == "m-0"


def test_an_event_is_written_as_it_is_read():
    [event] = parse_events(json.dumps([SENT]).encode())

    assert json.loads(EVENTS.dump_json([event], exclude_none=True)) == [SENT]


@pytest.mark.parametrize("raw", [b"", b"{}", b"[5", b"[{}, 5]", b'[{"type": "outgoing"}]'])
def test_what_is_not_an_array_of_events_is_refused(raw):
    with pytest.raises(ValidationError):
        parse_events(raw)


def test_every_channel_has_its_object_in_an_event():
    assert set(CHANNEL_OBJECTS) == set(Channel)
    assert set(CHANNEL_OBJECTS.values()) <= set(SentMessage.model_fields)
    assert CHANNEL_OBJECTS[Channel.WHATSAPP_TEXT] == "whatsapp_body"


def test_a_callback_is_signed_with_lower_case_hex_hmac_sha256_of_its_raw_body():
    expected = hmac.new(b"hush", b"[]", hashlib.sha256).hexdigest()

    assert sign_callback(b"[]", "hush") == expected
    assert check_callback(b"[]", expected, "old", "hush")
    assert not check_callback(b"[] ", expected, "hush")
    assert not check_callback(b"[]", expected)


@given(st.binary(), st.text(), st.characters())
def test_no_other_signature_passes_and_none_breaks_the_check(body, signature, character):
    secret = "hush"
    right = sign_callback(body, secret)

    assert check_callback(body, right, secret)
    assert not check_callback(body, signature, secret) or signature == right
    assert not check_callback(body, right + character, secret)
    assert not check_callback(body, "\ud800", secret)


def test_a_proof_covers_every_field():
    proven = Proven("420777123456", "token", "123456", "2026-03-01T00:00:00Z")
    joined = b"420777123456\ntoken\n123456\n2026-03-01T00:00:00Z"

    proof = sign_proof(proven, "hush")

    assert proof == hmac.new(b"hush", joined, hashlib.sha256).hexdigest()
    assert check_proof(proven, proof, "hush")
    assert not check_proof(proven._replace(code="123457"), proof, "hush")
