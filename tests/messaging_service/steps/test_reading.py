"""Step 1: whatever bytes a call brings are read or refused, and whatever was accepted can be decided."""

import orjson
import pytest
from bench import RULES, VODAFONE, Bench
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interface.phone_numbers import InvalidPhoneNumber, normalise
from interface.results import Result
from messaging_service.accept.reading import read_message, read_messages
from messaging_service.process.decide import numbered
from messaging_service.refusals import InvalidRequest

GOOD = {"to": [{"phone_number": VODAFONE}], "body": "Hello"}
written_numbers = st.one_of(
    st.text(alphabet="0123456789+-() /", min_size=1, max_size=20),
    st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=64),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(
    ["to", "body", "sender", "tag", "callback", "payload", "datetime", "delivery_time", "flow", "params"],
)


@settings(max_examples=200, deadline=None)
@given(field=fields, value=json_values)
def test_any_value_of_a_field_is_read_or_refused(field, value):
    message = {**GOOD, field: value}
    try:
        body = orjson.dumps(message)
    except TypeError:  # a number that JSON written by orjson can't hold
        return

    assert read_or_refused(read_message, body)
    assert read_or_refused(read_messages, b"[" + body + b"]")


@pytest.mark.parametrize(
    "payload",
    [b"[" * 150 + b"]" * 150, b"[" * 230 + b"]" * 230, b"[" * 300 + b"]" * 300, b"[" * 2000 + b"]" * 2000, b"9" * 400],
    ids=["150 deep", "230 deep", "300 deep", "2000 deep", "400 digits"],
)
def test_what_is_too_deep_or_too_long_is_refused_and_no_error(payload):
    body = b'{"to": [{"phone_number": "420777123456"}], "body": "Hello", "payload": {"a": ' + payload + b"}}"

    assert read_or_refused(read_message, body)
    assert read_or_refused(read_messages, b"[" + body + b', {"to": []}]')


def read_or_refused(read, body):
    try:
        read(body)
    except InvalidRequest as refusal:
        return str(refusal)
    return True


@given(written_numbers, st.sampled_from(["420", "1", "44", "39", "7", "999"]))
def test_any_text_is_a_number_or_an_invalid_one(text, calling_code):
    try:
        number = normalise(text, calling_code)
    except InvalidPhoneNumber:
        return
    assert number.isascii()
    assert number.isdigit()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(numbers=st.lists(written_numbers, min_size=1, max_size=10), body=st.text(min_size=1, max_size=200))
def test_whatever_was_accepted_is_decided(bench: Bench, numbers, body):
    bench.clear()
    request = orjson.dumps({"to": [{"phone_number": number} for number in numbers], "body": body.replace("\0", " ")})
    read, _, _ = read_message(request)
    assert read is not None
    ids = bench.accept(*[recipient.phone_number for recipient in read.to], body=read.body)

    batch = bench.decide(rules=RULES)

    assert batch.claimed == len(ids)
    states = {bench.message(message_id).state for message_id in ids}
    assert states <= {Result.REJECTED, Result.SENDING, Result.ACCEPTED}
    assert all(numbered(message).phone_number == message.phone_number for message in bench.messages())
