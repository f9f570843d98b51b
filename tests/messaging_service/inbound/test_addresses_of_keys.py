"""Where notifications go: to the message's own address, else to the key's (specification 2.1, 4.3, 6)."""

from running_service import RunningService
from sqlalchemy import select

from messaging_service.store.tables import callbacks

SENDS, ANSWERS = "420601123456", "420601129005"


def addresses(service: RunningService, word: str) -> list[str]:
    """Return the addresses of the deliveries that tell of something, in order."""
    question = select(callbacks.c.url, callbacks.c.events).order_by(callbacks.c.id)
    with service.store.reading() as connection:
        return [url for url, events in connection.execute(question) if word in events]


def set_address(service: RunningService, url: str) -> None:
    service.api.post("/v1/apikey/update", json={"default_callback_url": url, "note": ""})


def send(service: RunningService, number: str, **fields: str) -> None:
    body = {"to": [{"phone_number": number}], "body": "Hello", "tag": "transactional"} | fields
    service.api.post("/v2/message", json=body)


def test_a_message_without_an_address_is_told_at_that_of_its_key(own_service: RunningService):
    set_address(own_service, "http://127.0.0.1:9/of-the-key")

    send(own_service, SENDS)

    assert own_service.wait_until(lambda: addresses(own_service, "sending")) == ["http://127.0.0.1:9/of-the-key"]


def test_the_address_of_a_message_goes_before_that_of_its_key(own_service: RunningService):
    set_address(own_service, "http://127.0.0.1:9/of-the-key")

    send(own_service, SENDS, callback="http://127.0.0.1:9/of-the-message")

    assert own_service.wait_until(lambda: addresses(own_service, "sending")) == ["http://127.0.0.1:9/of-the-message"]


def test_a_new_address_of_a_key_holds_for_what_is_written_to_its_senders(own_service: RunningService):
    set_address(own_service, "http://127.0.0.1:9/old")
    set_address(own_service, "http://127.0.0.1:9/new")

    send(own_service, ANSWERS)

    assert own_service.wait_until(lambda: addresses(own_service, "incoming")) == ["http://127.0.0.1:9/new"]
