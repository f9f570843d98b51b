"""The service as a caller meets it first."""


def test_a_message_is_accepted_and_delivered(service):
    sent = service.api.post("/v2/message", json={"to": [{"phone_number": "420777123456"}], "body": "Hello"})

    assert sent.status_code == 200
    assert len(sent.json()["accepted"]) == 1
