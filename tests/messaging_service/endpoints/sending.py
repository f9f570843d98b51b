"""Sends through a running service, for the tests of what it tells afterwards."""

from messaging_service.clock import utc_date


def send(service, *numbers, key=None, **fields):
    """Send one message and return the ids of its recipients' copies."""
    request = {"to": [{"phone_number": number} for number in numbers], "body": "Hello", "tag": "news"} | fields
    answer = service.client(key or service.key).post("/v2/message", json=request)
    return [item["message_id"] for item in answer.json()["accepted"]]


def send_hundreds(service, hundreds):
    """Send many messages to the test number, to which nothing happens, and return the ids of the recipients' copies."""
    message = {"to": [{"phone_number": "420777777777"}] * 10, "body": "Hello"}
    answers = [service.api.post("/v2/messages", json=[message] * 10).json() for _ in range(hundreds)]
    objects = [item["message_id"] for answer in answers for item in answer["accepted"]]
    return [f"{message_id}-{index}" for message_id in objects for index in range(10)]


def today(service):
    return utc_date(service.clock.now())
