"""What people write to a virtual number is for whoever ordered it (details, "credit")."""

from running_service import RunningService

from interface.flow_steps import Channel
from messaging_service.channels.channel import Inbound
from messaging_service.clock import utc_date
from messaging_service.inbound.recorder import InboundRecorder

NUMBER = "447700900101"
STRANGER = "the-key-of-another-account"


def write(service: RunningService, body: str) -> None:
    now = service.clock.now()
    inbound = Inbound(f"operator:{body}", Channel.SMS, "420601123456", NUMBER, body, now)
    InboundRecorder(service.store, service.clock).record([inbound])


def inbox(service: RunningService, key: str) -> list[str]:
    answer = service.client(key).get("/v1/inbox", params={"date": utc_date(service.clock.now())})
    return [message["body"] for message in answer.json()["inbox"]]


def test_a_number_belongs_to_whoever_ordered_it_until_it_is_cancelled(own_service: RunningService):
    own_service.open_account(STRANGER, default_sender=NUMBER)
    wanted = {"service": "number", "value": NUMBER}
    order = own_service.api.post("/v1/credit/order", json=wanted).json()["order"]

    write(own_service, "while it was ordered")
    own_service.api.post("/v1/credit/cancel", json={"order_id": order["order_id"]})
    write(own_service, "after it was cancelled")

    assert inbox(own_service, own_service.key) == ["while it was ordered"]
    assert inbox(own_service, STRANGER) == ["after it was cancelled"]


def send_under_it(service: RunningService, key: str) -> str:
    """Send a message under the number and return what became of it."""
    message = {"to": [{"phone_number": "420601123456"}], "body": "Hello", "sender": NUMBER, "tag": "transactional"}
    client = service.client(key)
    message_id = client.post("/v2/message", json=message).json()["accepted"][0]["message_id"]

    def final() -> str | None:
        told = client.get("/v1/message", params={"id": message_id}).json()["message"]["status_info"]
        return told if (told or "").startswith("[") else None

    return service.wait_until(final)


def test_only_its_account_sends_under_an_ordered_number(own_service: RunningService):
    own_service.open_account(STRANGER)
    own_service.api.post("/v1/credit/order", json={"service": "number", "value": NUMBER})

    assert send_under_it(own_service, own_service.key) == "[0] Delivered"
    assert send_under_it(own_service, STRANGER) == "[3] The sender is a virtual number of another account"
    credit = own_service.client(STRANGER).get("/v1/credit").json()["credit"]
    assert credit["credit_czk"] == "1000.00"


def test_who_sent_under_a_number_before_it_was_ordered_gets_no_answers_any_more(own_service: RunningService):
    own_service.open_account(STRANGER)
    send_under_it(own_service, STRANGER)
    own_service.api.post("/v1/credit/order", json={"service": "number", "value": NUMBER})

    write(own_service, "an answer")

    assert (inbox(own_service, own_service.key), inbox(own_service, STRANGER)) == (["an answer"], [])
