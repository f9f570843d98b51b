"""What a message object may be, what is refused, and in which words."""

import contextlib
import json
from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from interface.message import (
    DEFAULT_STEPS,
    MESSAGES,
    Channel,
    FlowStep,
    Gateway,
    MessageRequest,
    Recipient,
    SmsStep,
    SmsType,
    TtlCondition,
    ViberStep,
    Weekday,
    field_errors,
    field_path,
    normalise_tags,
)

NAMES = ["to", "body", "flow", "sms", "tag", "payload", "phone_number", "callback", "datetime"]
TO = [{"phone_number": "420777123456"}]


def message(**fields) -> MessageRequest:
    return MessageRequest.model_validate_json(json.dumps({"to": TO, "body": "Hello", **fields}))


def problems(**fields) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as raised:
        message(**fields)
    return [tuple(each) for each in field_errors(raised.value)]


def test_the_least_message_goes_as_one_sms_through_the_gateway_high():
    least = message()

    assert least.steps() is DEFAULT_STEPS
    [step] = least.steps()
    assert isinstance(step, SmsStep)
    assert (step.channel, step.gateway, step.type) == (Channel.SMS, Gateway.HIGH, SmsType.UTF)
    assert least.tag == "promotional"


def test_unknown_fields_are_ignored_and_null_is_absent():
    fields = dict.fromkeys(["sender", "tag", "callback", "payload", "datetime", "delivery_time", "flow", "params"])

    assert message(**fields, colour="red", to=[{**TO[0], "name": "A"}]) == message()


def test_a_long_body_is_cut_to_1000_characters_never_within_one():
    assert message(body="😀" * 1001).body == "😀" * 1000
    assert message(flow=[{"sms": {"body": "a" * 2000}}]).steps()[0].body == "a" * 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("News", "news"),
        ("b, a,B", "a,b"),
        ("Spring Sale! 2026", "springsale2026"),
        ("a-b_c.d", "a-b_c.d"),
        ("", "promotional"),
        (" ,!", "promotional"),
        ("ČAU", "au"),
    ],
)
def test_tags_are_normalised(text, expected):
    assert normalise_tags(text) == expected
    assert message(tag=text).tag == expected
    assert message(messageTag=text).tag == expected


@given(st.text())
def test_normalised_tags_stay_as_they_are(text):
    assert normalise_tags(normalise_tags(text)) == normalise_tags(text)


@pytest.mark.parametrize("sender", ["Dovecote", "A B & C-d.e", "Ďábel", "12345678901", "420777123456", "x" * 11])
def test_a_sender_is_a_short_name_or_a_number(sender):
    assert message(sender=sender).sender == sender


@pytest.mark.parametrize("sender", ["", "x" * 12, "+420777123456", "a\nb", "a\x00", "1" * 16, 5])
def test_another_sender_is_refused(sender):
    [(field, _)] = problems(sender=sender)

    assert field == "sender"


@pytest.mark.parametrize("callback", ["https://example.com/a?b=c", "http://localhost:1/"])
def test_a_callback_is_a_url_or_an_object_with_one(callback):
    assert message(callback=callback).callback == callback
    assert message(callback={"url": callback}).callback == callback


@pytest.mark.parametrize(
    "callback", ["", "ftp://example.com", "example.com", "http://", "http://a b", {"url": 5}, {}, 5]
)
def test_another_callback_is_refused(callback):
    [(field, _)] = problems(callback=callback)

    assert field == "callback"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-01T12:00:00Z", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("2026-03-01T12:00:00", datetime(2026, 3, 1, 12, tzinfo=UTC)),
        ("2026-03-01T12:00:00+02:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
    ],
)
def test_a_datetime_is_in_utc(written, expected):
    found = message(datetime=written).datetime

    assert (found, found.utcoffset()) == (expected, timedelta(0))


@pytest.mark.parametrize("written", [5, "1700000000", "tomorrow", "2026-13-01T00:00:00", "0001-01-01T00:00:00+14:00"])
def test_another_datetime_is_refused(written):
    [(field, sentence)] = problems(datetime=written)

    assert field == "datetime"
    assert sentence.startswith("datetime must be a date and time")


def test_a_delivery_window_is_every_whole_day_in_utc_by_default():
    window = message(delivery_time={}).delivery_time

    assert (window.days, window.start, window.end, window.tz) == (list(Weekday), time(0), None, "UTC")


def test_a_delivery_window_keeps_what_it_is_given():
    window = message(
        delivery_time={"days": ["monday"], "start": "22:00", "end": "06:30", "tz": "Europe/Prague"},
    ).delivery_time

    assert (window.days, window.start, window.end) == ([Weekday.MONDAY], time(22), time(6, 30))
    assert message(delivery_time={"end": "24:00"}).delivery_time.end is None


@pytest.mark.parametrize(
    ("window", "field"),
    [
        ({"days": ["Monday"]}, "days[0]"),
        ({"days": []}, "days"),
        ({"start": "9:00"}, "start"),
        ({"start": "24:00"}, "start"),
        ({"end": "12:60"}, "end"),
        ({"end": "12:00:00"}, "end"),
        ({"start": 9}, "start"),
        ({"start": "\u0660\u0669:00"}, "start"),
        ({"tz": "Mars/Olympus"}, "tz"),
        ({"tz": "../etc/passwd"}, "tz"),
        ({"start": "09:00", "end": "09:00"}, "end"),
    ],
)
def test_another_window_is_refused(window, field):
    [(found, _)] = problems(delivery_time=window)

    assert found == f"delivery_time.{field}"


def test_each_step_has_its_channel_and_its_defaults():
    steps = message(
        sender="Dovecote",
        flow=[
            {"whatsapp_template": {"template_name": "t", "language": "cs", "params": ["a"]}},
            {"viber": {"ttl": 0.5, "buttons": [{"title": "Go", "url": "https://example.com"}]}},
            {"whatsapp_text": {}},
            {"rcs": {}},
            {"sms": {"gateway": "test", "type": "sms", "ttl_condition": "delivered"}},
        ],
    ).steps()

    assert [step.channel for step in steps] == ["whatsapp_template", "viber", "whatsapp_text", "rcs", "sms"]
    assert {step.ttl_condition for step in steps} == {TtlCondition.DELIVERED}
    assert message(flow=[{"sms": {}}]).steps()[0].ttl_condition is TtlCondition.SENT


@pytest.mark.parametrize(
    ("flow", "field"),
    [
        ([], "flow"),
        ([{}], "flow[0]"),
        ([{"fax": {}}], "flow[0].fax"),
        ([{"sms": {}, "rcs": {}}], "flow[0]"),
        ([{"sms": {}, "fax": {}}], "flow[0].fax"),
        ([{"sms": None}], "flow[0]"),
        ([{"sms": {"gateway": "best"}}], "flow[0].sms.gateway"),
        ([{"rcs": {}}, {"sms": {"type": "morse"}}], "flow[1].sms.type"),
        ([{"sms": {"ttl": 0.4}}], "flow[0].sms.ttl"),
        ([{"sms": {"ttl": "5"}}], "flow[0].sms.ttl"),
        ([{"sms": {"ttl": True}}], "flow[0].sms.ttl"),
        ([{"sms": {"ttl": float("nan")}}], "flow[0].sms.ttl"),
        ([{"sms": {"ttl": 1e300}}], "flow[0].sms.ttl"),
        ([{"sms": {"ttl_condition": "opened"}}], "flow[0].sms.ttl_condition"),
        ([{"sms": {}}] * 21, "flow"),
        ([{"viber": {}}], "flow[0].viber.sender"),
        ([{"viber": {"sender": "a", "buttons": [{"title": "a", "url": "https://a.cz"}] * 2}}], "flow[0].viber.buttons"),
        ([{"whatsapp_template": {"language": "cs", "sender": "1"}}], "flow[0].whatsapp_template.template_name"),
    ],
)
def test_another_flow_is_refused(flow, field):
    [(found, sentence)] = problems(flow=flow)

    assert found == field
    assert sentence.startswith(field)


def test_a_gateway_that_does_not_exist_is_answered_with_those_that_do():
    assert problems(flow=[{"sms": {"gateway": "best"}}]) == [
        (
            "flow[0].sms.gateway",
            "flow[0].sms.gateway must be one of high, lowcost, direct, custom, simhost, gsm, test.",
        ),
    ]


def test_a_body_is_required_at_the_top_or_in_every_step_that_carries_text():
    template = {"whatsapp_template": {"template_name": "t", "language": "cs", "sender": "1"}}

    assert problems(body=None) == [("body", "body is required.")]
    assert problems(body="") == [("body", "body is required.")]
    assert problems(body=None, flow=[{"sms": {"body": "a"}}, {"rcs": {}}])[0][0] == "flow[1].rcs.body"
    assert message(body=None, flow=[template, {"sms": {"body": "a"}}]).body is None
    assert message(body=None, flow=[template]).body is None


@pytest.mark.parametrize(
    ("to", "field"),
    [
        ([], "to"),
        (TO * 11, "to"),
        ([{}], "to[0].phone_number"),
        ([{"phone_number": 420777123456}], "to[0].phone_number"),
        ([{"phone_number": ""}], "to[0].phone_number"),
        ([{"phone_number": "1" * 65}], "to[0].phone_number"),
        ({"phone_number": "1"}, "to"),
        (None, "to"),
    ],
)
def test_another_list_of_recipients_is_refused(to, field):
    [(found, _)] = problems(to=to)

    assert found == field


@pytest.mark.parametrize("field", ["body", "sender", "callback"])
def test_nul_is_refused_everywhere(field):
    assert problems(**{field: "a\x00b"})[0][0] == field


@pytest.mark.parametrize("payload", [{"a": None}, {"ü": [1, 2.5, "\\u0000", {}]}, {"a": 2**63}, {}])
def test_a_payload_is_given_back_as_it_came(payload):
    assert message(payload=payload).payload == payload
    assert json.loads(message(payload=payload).model_dump_json(exclude_none=True))["payload"] == payload


@pytest.mark.parametrize(
    "payload", [{"a": float("nan")}, {"a": [float("inf")]}, {"a": 2**64}, {"a": "\x00"}, [], "a", 5]
)
def test_a_payload_that_could_not_be_stored_is_refused(payload):
    [(field, _)] = problems(payload=payload)

    assert field == "payload"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "5",
        '"a"',
        "null",
        '{"body": "\\ud800"}',
        '{"payload": ' + "[" * 100_000,
        b"\xff",
        '{"a":' + "9" * 5000 + "}",
    ],
)
def test_what_is_not_a_message_object_at_all_is_refused_in_a_sentence(text):
    with pytest.raises(ValidationError) as raised:
        MessageRequest.model_validate_json(text)

    [(field, sentence)] = field_errors(raised.value)
    assert field == ""
    assert sentence.startswith("The body ")


def test_a_lone_surrogate_is_refused_from_python_too():
    with pytest.raises(ValidationError):
        MessageRequest(to=[Recipient(phone_number="1")], body="\ud800")


def test_special_parameters_keep_their_names_on_the_wire():
    params = {"_url": {"type": "all", "expires": 1, "get_enhance": "id"}, "_incoming": {"reply": {"YES": "Thanks"}}}

    found = message(params=params).params

    assert (found.url.get_name, found.url.expires_at) == ("_", 1)
    assert found.model_dump(mode="json", by_alias=True, exclude_none=True) == {
        "_url": {"type": "all", "get_enhance": "id", "get_name": "_", "expires_at": 1},
        "_incoming": {"reply": {"YES": "Thanks"}},
    }


def test_the_wire_form_reads_back_as_the_same_message():
    original = MessageRequest(
        to=[Recipient(phone_number="1")],
        body="Hello",
        tag="B,a",
        datetime=datetime(2026, 3, 1, tzinfo=UTC),
        payload={"a": None},
        flow=[FlowStep.of(ViberStep(sender="Me", ttl=5)), FlowStep.of(SmsStep())],
    )

    wire = original.model_dump_json(by_alias=True, exclude_none=True)

    assert MessageRequest.model_validate_json(wire) == original


def test_a_call_holds_1_to_10_messages():
    with pytest.raises(ValidationError) as raised:
        MESSAGES.validate_json("[]")

    assert field_errors(raised.value)[0].message == "The body must have at least 1 item."


def test_paths_are_written_as_callers_read_them():
    assert field_path(("flow", 0, "sms", "gateway")) == "flow[0].sms.gateway"
    assert field_path((3, "to")) == "[3].to"
    assert field_path(()) == ""


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES), inner),
)


@given(json_values)
def test_no_json_breaks_it(value):
    text = json.dumps(value)

    with contextlib.suppress(ValidationError):
        assert MessageRequest.model_validate_json(text).steps()
