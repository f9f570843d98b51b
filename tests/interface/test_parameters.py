"""The parameters of the simple endpoints, of the status calls and of the account calls."""

import datetime as dt

import pytest
from pydantic import BaseModel, ValidationError

from interface.account import ApikeyUpdate, ListSubmission
from interface.message import Gateway, field_errors
from interface.queries import MessageQuery, MessagesQuery, RequestQuery, RequestsQuery
from interface.simple import SimpleMessage, SimpleQuery


def fields_refused(model: type[BaseModel], parameters: dict[str, str]) -> list[str]:
    with pytest.raises(ValidationError) as raised:
        model.model_validate(parameters)
    return [each.field for each in field_errors(raised.value)]


def test_simple_parameters_have_their_aliases():
    aliases = {"number": "1", "body": "Hi", "time": "2026-03-01T00:00:00", "customID": "7"}
    names = {"phone_number": "1", "message": "Hi", "datetime": "2026-03-01T00:00:00Z", "customID": "7"}

    assert SimpleMessage.model_validate(aliases) == SimpleMessage.model_validate(names)


def test_a_simple_message_stands_for_a_message_object():
    simple = SimpleMessage.model_validate({"number": "1", "body": "x" * 1001, "gateway": "gsm", "customID": "7"})

    found = simple.to_message()

    assert found.body == "x" * 1000
    assert found.payload == {"customID": "7"}
    assert found.steps()[0].gateway is Gateway.GSM


def test_empty_simple_parameters_count_as_absent():
    found = SimpleMessage.model_validate({"number": "1", "body": "Hi", "sender": "", "gateway": "", "time": ""})

    assert found == SimpleMessage(phone_number="1", message="Hi")


@pytest.mark.parametrize(
    ("parameters", "fields"),
    [
        ({}, ["phone_number", "message"]),
        ({"number": "1", "body": ""}, ["message"]),
        ({"number": "1", "body": "a", "gateway": "test"}, ["gateway"]),
        ({"number": "1", "body": "a", "gateway": "best"}, ["gateway"]),
        ({"number": "1", "body": "a", "time": "now"}, ["time"]),
    ],
)
def test_simple_parameters_that_are_wrong_are_named_as_they_were_written(parameters, fields):
    assert fields_refused(SimpleMessage, parameters) == fields


def test_the_key_of_a_simple_query_stands_in_no_repr():
    assert "secret" not in repr(SimpleQuery(phone_number="1", message="a", apikey="secret"))


def test_dates_are_separated_by_commas():
    query = RequestsQuery.model_validate({"dates": "2026-03-01,2026-03-02", "tag": "B, a"})

    assert query.dates == [dt.date(2026, 3, 1), dt.date(2026, 3, 2)]
    assert query.tag == "a,b"
    assert query.model_dump(mode="json")["dates"] == "2026-03-01,2026-03-02"


def test_a_request_is_named_by_either_name():
    assert RequestQuery.model_validate({"date": "2026-03-01", "id": "r"}).request_id == "r"
    assert RequestQuery.model_validate({"date": "2026-03-01", "request_id": "r"}).request_id == "r"


def test_no_tag_filters_nothing():
    assert MessagesQuery.model_validate({"date": "2026-03-01", "tag": ""}).tag is None


@pytest.mark.parametrize(
    ("model", "parameters", "fields"),
    [
        (MessageQuery, {}, ["id"]),
        (MessageQuery, {"id": ""}, ["id"]),
        (MessagesQuery, {}, ["date"]),
        (MessagesQuery, {"date": "1.3.2026"}, ["date"]),
        (MessagesQuery, {"date": "2026-02-30"}, ["date"]),
        (MessagesQuery, {"date": "1700000000"}, ["date"]),
        (RequestsQuery, {}, ["dates"]),
        (RequestsQuery, {"dates": "2026-03-01,"}, ["dates[1]"]),
        (RequestQuery, {}, ["date", "request_id"]),
    ],
)
def test_query_parameters_that_are_wrong_are_named(model, parameters, fields):
    assert fields_refused(model, parameters) == fields


def test_empty_settings_are_allowed_and_absent_ones_are_not():
    assert ApikeyUpdate.model_validate({"default_callback_url": "", "note": "", "default_sender": ""}).note == ""
    assert fields_refused(ApikeyUpdate, {}) == ["default_callback_url", "note"]
    assert fields_refused(ApikeyUpdate, {"default_callback_url": "ftp://a", "note": ""}) == ["default_callback_url"]


def test_the_secret_of_a_key_stands_in_no_repr():
    settings = ApikeyUpdate(default_callback_url="", note="", default_callback_secret="hush")

    assert "hush" not in repr(settings)


def test_numbers_are_submitted_one_a_line():
    assert ListSubmission(to="1\r\n\n 2 \n").numbers() == ["1", "2"]
    assert fields_refused(ListSubmission, {"to": ""}) == ["to"]
