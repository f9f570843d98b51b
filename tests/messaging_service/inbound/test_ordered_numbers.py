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


def test_who_sends_under_a_number_of_somebody_else_gets_no_answers(own_service: RunningService):
    own_service.open_account(STRANGER)
    own_service.api.post("/v1/credit/order", json={"service": "number", "value": NUMBER})
    message = {"to": [{"phone_number": "420601123456"}], "body": "Hello", "sender": NUMBER, "tag": "transactional"}
    stranger = own_service.client(STRANGER)
    message_id = stranger.post("/v2/message", json=message).json()["accepted"][0]["message_id"]
    own_service.wait_until(
        lambda: stranger.get("/v1/message", params={"id": message_id}).json()["message"]["delivery_code"]
    )

    write(own_service, "an answer")

    assert (inbox(own_service, own_service.key), inbox(own_service, STRANGER)) == (["an answer"], [])
