"""The XML interface over real HTTP: what is sent, and which error comes for what (specification 4.5)."""

import pytest
from sending_xml import NUMBER, document, post, read, request

from messaging_service.accounts.money import UNIT
from messaging_service.clock import utc_date
from messaging_service.idempotency import KEPT_FOR


def error_of(result):
    return result.status, result.type, result.code


def test_the_answer_is_written_as_the_specification_says(api):
    answer = api.post("/xml", data={"XMLDATA": document()})

    result = read(answer)
    (request_id,) = (identity for identity, _ in result.requests)
    assert answer.text == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<Result><ResultHeader><Interface Version="1.0"/></ResultHeader><Response Type="OK" ID="0"/>'
        f"<ResponseRequestList><ResponseRequest><RequestID>{request_id}</RequestID>"
        "<ResponseNumbersList><Number>420601123456</Number></ResponseNumbersList>"
        "</ResponseRequest></ResponseRequestList></Result>\n"
    )


def test_the_message_is_delivered_to_each_number_under_the_id_of_the_request(service):
    sent = document(request("Ahoj", [NUMBER, "00420 601 123 457"], 'Sender="Shop" Type="lowcost"'))

    result = post(service.api, sent)

    ((request_id, numbers),) = result.requests
    records = [service.wait_for_status(f"{request_id}-{index}", delivery_code="201") for index in range(2)]
    assert (result.status, result.type, result.code) == (200, "OK", 0)
    assert numbers == ["420601123456", "420601123457"] == [record["to"]["phone_number"] for record in records]
    assert {record["body"] for record in records} == {"Ahoj"}
    assert records[0]["flow"] == [{"sms": {"gateway": "lowcost"}}]


def test_requests_of_a_document_are_answered_in_their_order(service_on_sqlite):
    sent = document(request("First"), request("Second", ["420601123458"]))

    result = post(service_on_sqlite.api, sent)

    bodies = [
        service_on_sqlite.wait_for_status(f"{each}-0", delivery_code="201")["body"] for each, _ in result.requests
    ]
    assert bodies == ["First", "Second"]
    assert [numbers for _, numbers in result.requests] == [["420601123456"], ["420601123458"]]


def test_a_request_may_have_a_thousand_numbers(service):
    numbers = [f"+420601{index:06}" for index in range(1000)]

    result = post(service.api, document(request("To all", numbers, 'Type="direct"')))

    ((request_id, answered),) = result.requests
    records = [service.wait_for_status(f"{request_id}-{index}", delivery_code="201") for index in (0, 100, 999)]
    assert answered == [number[1:] for number in numbers]
    assert [record["to"]["phone_number"] for record in records] == ["420601000000", "420601000100", "420601000999"]
    assert service.api.get("/v1/message", params={"id": f"{request_id}-1000"}).json()["message"] is None


def test_invalid_numbers_are_left_out(service_on_sqlite):
    result = post(service_on_sqlite.api, document(request(numbers=["12", "letters", NUMBER, "", "+420601123457"])))

    ((request_id, numbers),) = result.requests
    record = service_on_sqlite.wait_for_status(f"{request_id}-1", delivery_code="201")
    assert numbers == ["420601123456", "420601123457"]
    assert record["to"]["phone_number"] == "420601123457"


def test_a_request_without_attributes_goes_by_the_best_gateway(service_on_sqlite):
    ((request_id, _),) = post(service_on_sqlite.api, document()).requests

    assert service_on_sqlite.wait_for_status(f"{request_id}-0")["flow"] == [{"sms": {"gateway": "high"}}]


@pytest.mark.parametrize("sender", ["A", "Elevenchars", "420777123456", "Krám &amp; syn"])
def test_a_sender_is_a_name_or_a_number(api, sender):
    assert post(api, document(request(attributes=f'Sender="{sender}"'))).code == 0


def test_the_key_may_stand_in_the_form_or_in_the_document(service_on_sqlite):
    client, key = service_on_sqlite.client(None), service_on_sqlite.key
    in_document = document(header=f"<RequestHeader><ApiKey>\n {key} </ApiKey></RequestHeader>")

    by_form = client.post("/xml", data={"XMLDATA": document(), "apikey": key})
    by_document = client.post("/xml", data={"XMLDATA": in_document})

    assert [read(answer).code for answer in (by_form, by_document)] == [0, 0]


def test_a_bad_key_is_103_wherever_it_stands(service_on_sqlite):
    service_on_sqlite.add_key("a-key-that-is-blocked", subid="blocked-xml", is_blocked=True)
    client, key = service_on_sqlite.client(None), service_on_sqlite.key
    good = document(header=f"<RequestHeader><ApiKey>{key}</ApiKey></RequestHeader>")
    results = [
        post(client, document()),
        post(client, document(header="<RequestHeader><ApiKey>wrong</ApiKey></RequestHeader>")),
        post(client, good, headers={"x-api-key": "wrong"}),
        post(client, document(), headers={"x-api-key": "a-key-that-is-blocked"}),
        read(client.post("/xml", data={"XMLDATA": good, "apikey": "wrong"})),
    ]

    assert [error_of(result) for result in results] == [(401, "ERROR", 103)] * 5


def test_a_bad_key_in_the_header_is_refused_before_the_body_is_read(service_on_sqlite):
    result = post(service_on_sqlite.client("wrong"), "<not xml")

    assert error_of(result) == (401, "ERROR", 103)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"data": {"XMLDATA": ""}},
        {"data": {"other": "field"}},
        {"content": document(), "headers": {"content-type": "application/xml"}},
        {"json": {"XMLDATA": document()}},
    ],
    ids=["nothing", "empty", "another field", "as XML", "as JSON"],
)
def test_no_document_is_101(api, more):
    assert error_of(read(api.post("/xml", **more))) == (400, "ERROR", 101)


PARTS_MISSING = {
    "RequestList": "<RequestDocument/>",
    "Request": "<RequestDocument><RequestList/></RequestDocument>",
    "Message": document("<Request><NumbersList><Number>1</Number></NumbersList></Request>"),
    "NumbersList": document("<Request><Message>Hello</Message></Request>"),
}
WRONG = {
    "gateway": (104, request(attributes='Type="custom"')),
    "empty gateway": (104, request(attributes='Type=""')),
    "no number": (201, request(numbers=[])),
    "no valid number": (201, request(numbers=["12", "letters"])),
    "empty text": (202, request("")),
    "blank text": (202, request(" \n\t")),
    "long text": (202, request("x" * 1001)),
    "long sender": (203, request(attributes='Sender="Twelve chars"')),
    "empty sender": (203, request(attributes='Sender=""')),
    "sender with plus": (203, request(attributes='Sender="+420777123456"')),
    "message type": (102, request().replace('Type="Text"', 'Type="Binary"')),
    "elements in the text": (102, request().replace("Hello", "Hello <b>you</b>")),
    "two texts": (102, request().replace("<NumbersList>", "<Message>More</Message><NumbersList>")),
    "too many numbers": (102, request(numbers=["1"] * 1001)),
}


@pytest.mark.parametrize("part", PARTS_MISSING)
def test_a_missing_part_is_109(api, part):
    result = post(api, PARTS_MISSING[part])

    assert error_of(result) == (400, "ERROR", 109)
    assert result.sentence.endswith(f"/{part} is required.")


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_has_its_code(api, what):
    code, wrong = WRONG[what]

    result = post(api, document(wrong))

    assert error_of(result) == (400, "ERROR", code)
    assert result.sentence.endswith(".")


def test_a_document_with_one_wrong_request_sends_nothing(service_on_sqlite):
    service_on_sqlite.open_account("a-key-that-sends-nothing-00001")
    client = service_on_sqlite.client("a-key-that-sends-nothing-00001")

    result = post(client, document(request("Good"), request("Bad", attributes='Type="custom"')))

    assert (result.code, result.requests) == (104, [])
    assert result.sentence.startswith("Request[2]/@Type")
    assert messages_of(client, service_on_sqlite) == []


def test_a_text_of_a_thousand_characters_is_taken_whole(service_on_sqlite):
    text = "ž😀" * 500

    ((request_id, _),) = post(service_on_sqlite.api, document(request(text))).requests

    assert service_on_sqlite.wait_for_status(f"{request_id}-0")["body"] == text


def test_a_document_that_the_wallet_cannot_pay_as_a_whole_is_105(service_on_sqlite):
    service_on_sqlite.open_account("a-poor-key-of-the-tests-000001", credit=UNIT)
    client = service_on_sqlite.client("a-poor-key-of-the-tests-000001")

    result = post(client, document(request(), request()))

    assert error_of(result) == (402, "ERROR", 105)
    assert messages_of(client, service_on_sqlite) == []
    assert post(client, document()).code == 0


def test_the_test_number_needs_no_credit(service_on_sqlite):
    service_on_sqlite.open_account("a-penniless-key-of-the-tests-1", credit=0)

    result = post(
        service_on_sqlite.client("a-penniless-key-of-the-tests-1"), document(request(numbers=["420777777777"]))
    )

    assert result.code == 0


def test_a_repeated_document_gets_the_first_answer_also_when_the_credit_is_gone(service_on_sqlite):
    service_on_sqlite.open_account("a-key-with-a-little-credit-0001", credit=UNIT)
    client = service_on_sqlite.client("a-key-with-a-little-credit-0001")
    first = client.post("/xml", data={"XMLDATA": document()}, headers={"idempotency-key": "once"})
    ((request_id, _),) = read(first).requests
    service_on_sqlite.wait_until(lambda: is_delivered(client, f"{request_id}-0"))

    again = client.post("/xml", data={"XMLDATA": document()}, headers={"idempotency-key": "once"})
    other = post(client, document(), headers={"idempotency-key": "twice"})

    assert read(first).code == 0
    assert again.content == first.content
    assert other.code == 105


def test_an_idempotency_key_of_another_document_is_102(api):
    headers = {"idempotency-key": "of-one-document"}
    first = post(api, document(), headers=headers)

    other = post(api, document(request("Another text")), headers=headers)

    assert first.code == 0
    assert error_of(other) == (400, "ERROR", 102)


def test_an_idempotency_key_is_free_again_after_a_day(service):
    headers = {"idempotency-key": "of-one-day"}
    first = post(service.api, document(), headers=headers)
    service.clock.move(KEPT_FOR + 1)

    second = post(service.api, document(), headers=headers)

    assert second.code == 0
    assert second.requests != first.requests


def test_another_method_is_not_served(api):
    answer = api.get("/xml")

    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def messages_of(client, service):
    return client.get("/v1/messages", params={"date": utc_date(service.clock.now())}).json()["messages"]


def is_delivered(client, message_id):
    record = client.get("/v1/message", params={"id": message_id}).json()["message"]
    return record and record["delivery_code"] == "201"
