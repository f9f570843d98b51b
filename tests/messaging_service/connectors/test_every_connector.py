"""What every connector does, whatever its platform (details, "connector")."""

import pytest
from platforms import ask

from messaging_service.connectors.kit.registry import names

SEGMENT = {"demo": "spring-sale", "klaviyo": "SPRING"}
EVERY = pytest.mark.parametrize("connector", sorted(names()))


@EVERY
def test_segments_have_ids_and_names(on_sqlite, connector):
    answer = ask(on_sqlite.api, "segments", connector)

    body = answer.json()
    assert (answer.status_code, body["success"], list(body)) == (200, True, ["success", "segments"])
    assert SEGMENT[connector] in [segment["id"] for segment in body["segments"]]
    assert all(segment.keys() == {"id", "name"} and segment["name"] for segment in body["segments"])


@EVERY
def test_recipients_are_numbers_in_digits_each_once(on_sqlite, connector):
    answer = ask(on_sqlite.api, "recipients", connector, segment_id=SEGMENT[connector])

    body = answer.json()
    assert (answer.status_code, body["success"], list(body)) == (200, True, ["success", "recipients"])
    assert body["recipients"]
    assert len(set(body["recipients"])) == len(body["recipients"])
    assert all(number.isdigit() and not number.startswith("0") for number in body["recipients"])


@EVERY
def test_senders_have_types_and_names(on_sqlite, connector):
    answer = ask(on_sqlite.api, "senders", connector)

    assert (answer.status_code, answer.json()["success"]) == (200, True)
    assert [sender.keys() for sender in answer.json()["senders"]] == [{"type", "name"}]


@EVERY
def test_me_is_an_account_with_a_currency(on_sqlite, connector):
    answer = ask(on_sqlite.api, "me", connector)

    body = answer.json()
    assert (answer.status_code, body["success"]) == (200, True)
    assert body["account"].keys() == {"id", "name"}
    assert len(body["currency"]) == 3


@EVERY
@pytest.mark.parametrize("segment", ["NOTHING", "../recipients", "..%2Faccounts", "/etc/passwd", "a b?c#d"])
def test_a_segment_that_is_not_there_is_not_found(on_sqlite, connector, segment):
    answer = ask(on_sqlite.api, "recipients", connector, segment_id=segment)

    assert (answer.status_code, answer.json()) == (404, {"message": "The platform has no such segment."})


@EVERY
def test_recipients_need_a_segment(on_sqlite, connector):
    answer = ask(on_sqlite.api, "recipients", connector)

    assert (answer.status_code, answer.json()) == (400, {"message": "segment_id is required."})


@EVERY
@pytest.mark.parametrize("action", ["segments", "recipients", "senders", "me"])
def test_every_action_needs_an_app_userid(on_sqlite, connector, action):
    answer = on_sqlite.api.post(f"/v1/connect/{connector}/{action}", json={"segment_id": "SPRING"})

    assert (answer.status_code, answer.json()) == (400, {"message": "app_userid is required."})


@pytest.mark.parametrize("path", ["demo/delete", "nobody/segments", "kit/segments", "klaviyo/SEGMENTS", "__init__/me"])
def test_what_is_not_supported_is_not_found(on_sqlite, path):
    answer = on_sqlite.api.post(f"/v1/connect/{path}", json={"app_userid": "shop"})

    assert (answer.status_code, answer.json()) == (404, {"message": "Unsupported connector or action"})


def test_a_connector_that_is_not_set_up_is_not_supported(service_on_sqlite):
    answer = ask(service_on_sqlite.api, "segments", "demo")

    assert (answer.status_code, answer.json()) == (404, {"message": "Unsupported connector or action"})


def test_a_key_that_may_only_send_and_read_may_ask(on_sqlite):
    on_sqlite.add_key("a-key-that-sends-0001", subid="sends", scope="api")

    answer = ask(on_sqlite.client("a-key-that-sends-0001"), "segments", "demo")

    assert answer.json()["success"]
