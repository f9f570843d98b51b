"""Messages can be checked without being sent: shape, numbers, lists, prices, credit (details, "bulk")."""

import pytest
from running_service import run_service
from uploading import message

from interface.results import ResultCode
from messaging_service.accounts.money import UNIT


def check(service, body, key=None):
    return service.client(key or service.key).post("/v1/messaging/validate", json=body)


def to(*numbers, **more):
    return {"to": [{"phone_number": number} for number in numbers], "body": "Hello"} | more


def verdict(service, body, key=None):
    answer = check(service, body, key)
    assert answer.status_code == 200, answer.text
    return answer.json()["validate"]


def test_a_good_message_has_no_errors_and_nothing_is_sent(bulk_service):
    before = bulk_service.api.get("/v1/apikey/me").json()

    found = verdict(bulk_service, to("420601123456", "+420 601 123 457"))

    assert found == {"accepted": 2, "rejected": 0, "errors": []}
    assert bulk_service.api.get("/v1/apikey/me").json() == before


def test_one_message_names_recipients_by_their_index(bulk_service):
    found = verdict(
        bulk_service, {"to": [{"phone_number": "12"}, {"phone": "x"}, {"phone_number": "420601123456"}], "body": "x"}
    )

    assert (found["accepted"], found["rejected"]) == (1, 2)
    assert sorted((error["key"], error["field"], error["code"]) for error in found["errors"]) == [
        ("0", "to[0].phone_number", 302),
        ("1", "to[1].phone_number", ResultCode.REJECTED),
    ]


def test_a_message_whose_last_step_cannot_leave_is_rejected_by_that_step(bulk_service):
    template = {"whatsapp_template": {"sender": "Dove", "template_name": "unheard_of", "language": "cs"}}

    found = verdict(
        bulk_service, [to("420601123456", flow=[template]), to("420601123456", flow=[template, {"sms": {}}])]
    )

    assert (found["accepted"], found["rejected"]) == (1, 1)
    assert [(error["key"], error["field"], error["code"]) for error in found["errors"]] == [
        ("0", "flow[0].whatsapp_template", 132001),
    ]


def test_several_messages_are_named_by_their_index(bulk_service):
    found = verdict(bulk_service, [message(), to("12", "420601123456"), {"to": [{"phone_number": "1"}] * 3}, 7])

    assert (found["accepted"], found["rejected"]) == (2, 5)
    assert [(error["key"], error["field"], error["code"]) for error in found["errors"]] == [
        ("2", "body", 2),
        ("3", "", 2),
        ("1", "to[0].phone_number", 302),
    ]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"to": [{"phone_number": "420601123456"}]}, "body"),
        (to("420601123456", flow=[]), "flow"),
        (to("420601123456", flow=[{"sms": {"gateway": "none"}}]), "flow[0].sms.gateway"),
        (to(*["420601123456"] * 11), "to"),
    ],
)
def test_a_wrong_message_is_told_by_field(bulk_service, body, field):
    found = verdict(bulk_service, body)

    assert found["accepted"] == 0
    assert [error["field"] for error in found["errors"]] == [field]


@pytest.mark.parametrize("depth", [150, 300, 900, 1000])
def test_what_is_nested_deeply_is_judged_or_refused(bulk_service, depth):
    deep = (
        b'{"to": [{"phone_number": "420601123456"}], "body": "x", "payload": '
        + b'{"a":' * depth
        + b"1"
        + b"}" * (depth + 1)
    )
    headers = {"content-type": "application/json"}

    answers = [
        bulk_service.api.post("/v1/messaging/validate", content=each, headers=headers)
        for each in (deep, b"[" + deep + b"]")
    ]

    assert {answer.status_code for answer in answers} == {200}
    assert {answer.json()["validate"]["accepted"] for answer in answers} == {int(depth == 150)}


@pytest.mark.parametrize("body", [[], [{}] * 11, "text", 7])
def test_what_is_no_message_at_all_is_refused(bulk_service, body):
    assert check(bulk_service, body).status_code == 400


def test_lists_count_by_tag(own_service):
    own_service.api.post("/v1/optout", json={"to": "420601123456"})
    own_service.api.post("/v1/blacklist", json={"to": "420601123457"})
    numbers = ("420601123456", "420601123457")

    promotional, transactional = (
        verdict(own_service, to(*numbers, tag=tag)) for tag in ("promotional", "transactional")
    )

    assert [error["key"] for error in promotional["errors"]] == ["0", "1"]
    assert [error["key"] for error in transactional["errors"]] == ["1"]
    assert {error["code"] for error in promotional["errors"]} == {304}


def test_a_number_without_a_price_is_told(tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'test = { price_czk = "0", price_eur = "0" }\n[prices.sms.420]\nprice_czk = "1"\nprice_eur = "0.04"\n',
    )
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, prices=prices) as service:
        found = verdict(service, to("420601123456", "421903123456"))

    assert found["accepted"] == 1
    assert [(error["key"], error["code"]) for error in found["errors"]] == [("1", 303)]


def test_credit_counts_for_as_many_as_it_pays(own_service):
    own_service.open_account("a-poor-key", credit=2 * UNIT)

    found = verdict(own_service, to(*(f"42060112345{digit}" for digit in range(5))), "a-poor-key")

    assert 1 <= found["accepted"] < 5
    assert {error["code"] for error in found["errors"]} == {307}


def test_neither_schedule_nor_window_matters(bulk_service):
    window = {"days": ["monday"], "start": "03:00", "end": "03:01"}

    found = verdict(bulk_service, to("420601123456", datetime="2099-01-01T00:00:00Z", delivery_time=window))

    assert (found["accepted"], found["errors"]) == (1, [])
