"""The devices and people of apps (details, "partner")."""

from concurrent.futures import ThreadPoolExecutor

import pytest

DEVICE = {"device_id": "a-device-of-jana", "platform": "android", "token": "a-push-token-of-jana"}
FOREIGN = (403, {"message": "The device belongs to another key."})


def register_device(client, **device):
    return client.post("/v1/push/device", json=DEVICE | device)


def register(client, **recipient):
    return client.post("/v1/recipient/register", json={"phone_number": "420777123456"} | recipient)


def told(answer):
    return answer.status_code, answer.json()


@pytest.fixture
def another(service):
    service.open_account("the-key-of-another-account-0001")
    return service.client("the-key-of-another-account-0001")


def test_a_device_is_registered_and_its_token_never_told(service):
    answer = register_device(service.api)

    device = answer.json()["device"]
    assert answer.json().keys() == {"success", "device"}
    assert device == {
        "device_id": "a-device-of-jana",
        "platform": "android",
        "reachable": True,
        "ts_registered": device["ts_registered"],
    }


def test_the_same_device_again_is_brought_up_to_date(service):
    first = register_device(service.api).json()["device"]

    again = register_device(service.api, platform="web", token="").json()["device"]

    assert again == first | {"platform": "web", "reachable": False}


def test_a_device_of_another_key_is_refused_and_stays_as_it_is(service, another):
    register_device(service.api)
    service.add_key("a-sub-key-of-the-account-01", subid="app")

    by_another = register_device(another, platform="ios")
    by_a_sub_key = register_device(service.client("a-sub-key-of-the-account-01"), platform="ios")
    for_a_recipient = register(another, device_id=DEVICE["device_id"])

    assert told(by_another) == told(by_a_sub_key) == told(for_a_recipient) == FOREIGN
    assert register_device(service.api).json()["device"]["platform"] == "android"


def test_a_device_registered_by_two_keys_at_once_is_one_keys(service, another):
    clients = [service.api, another] * 3
    with ThreadPoolExecutor(6) as people:
        answers = list(people.map(register_device, clients))

    statuses = [answer.status_code for answer in answers]
    assert sorted([statuses[::2], statuses[1::2]]) == [[200] * 3, [403] * 3]


def test_a_recipient_has_a_number_as_it_goes_on_the_wire(service):
    answer = register(service.api, phone_number="777 123 456", name="Jana")

    recipient = answer.json()["recipient"]
    assert answer.json().keys() == {"success", "recipient"}
    assert (recipient["phone_number"], recipient["name"], recipient["device_ids"]) == ("420777123456", "Jana", [])


def test_the_same_number_again_is_the_same_recipient(service):
    first = register(service.api, name="Jana").json()["recipient"]

    again = register(service.api, phone_number="+420 777 123 456").json()["recipient"]
    renamed = register(service.api, name="").json()["recipient"]

    assert again == first
    assert renamed == first | {"name": ""}


def test_the_same_number_of_another_key_is_another_recipient(service, another):
    first = register(service.api, name="Jana").json()["recipient"]

    other = register(another).json()["recipient"]

    assert other["recipient_id"] != first["recipient_id"]
    assert other["name"] == ""


def test_devices_belong_to_the_recipient_who_was_named_last(service):
    for name in ("one", "two"):
        register_device(service.api, device_id=name)
        register(service.api, device_id=name)

    moved = register(service.api, phone_number="420777123457", device_id="one").json()["recipient"]
    left = register(service.api).json()["recipient"]

    assert moved["device_ids"] == ["one"]
    assert left["device_ids"] == ["two"]


def test_a_device_that_is_not_registered_is_not_found(service_on_sqlite):
    answer = register(service_on_sqlite.api, device_id="nobody's")

    assert told(answer) == (404, {"message": "The device isn't registered."})


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("push/device", {}, "device_id is required. platform is required. token is required."),
        ("push/device", DEVICE | {"platform": "fax"}, "platform must be"),
        ("push/device", DEVICE | {"device_id": ""}, "device_id"),
        ("recipient/register", {}, "phone_number is required."),
        ("recipient/register", {"phone_number": "12"}, "phone_number: The phone number has fewer than 7 digits."),
        ("recipient/register", {"phone_number": "420777123456", "name": "two\nlines"}, "name"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(service_on_sqlite, path, body, message):
    answer = service_on_sqlite.api.post(f"/v1/{path}", json=body)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith(message)


def test_a_key_that_may_only_send_and_read_registers(service_on_sqlite):
    service_on_sqlite.add_key("a-key-that-only-sends-0001", subid="app-sends", scope="api")
    client = service_on_sqlite.client("a-key-that-only-sends-0001")

    answers = [register_device(client, device_id="of-a-sender"), register(client)]

    assert [answer.status_code for answer in answers] == [200, 200]
