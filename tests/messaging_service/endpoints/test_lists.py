"""The opt-out list and the blacklist (specification 2.9, 4.3)."""

import threading
import time

import pytest
from sqlalchemy import func, select

from messaging_service.store.tables import suppressions


def entries(service):
    table = suppressions
    question = select(table.c.list, table.c.phone_number, table.c.subid).order_by(table.c.list, table.c.phone_number)
    with service.store.reading() as connection:
        return [tuple(row) for row in connection.execute(question)]


def send(service, *, tag="promotional", key=None):
    request = {"to": [{"phone_number": "420777123456"}], "body": "Hello", "tag": tag}
    client = service.client(key or service.key)
    message_id = client.post("/v2/message", json=request).json()["accepted"][0]["message_id"]

    def final():
        record = client.get("/v1/message", params={"id": message_id}).json()["message"]
        return record if record["delivery_code"] or record["status_code"] not in {"100", "200"} else None

    return service.wait_until(final)["status_info"]


def test_numbers_are_normalised_and_those_that_are_none_are_told(service):
    numbers = "777123456\n+420 777 123 457\r\n\n  00420777123458 \nnobody\n12\n777123456"

    answer = service.api.post("/v1/optout", json={"to": numbers})

    assert answer.json() == {"success": True, "accepted": 4, "invalid": ["nobody", "12"]}
    assert entries(service) == [("optout", f"42077712345{digit}", "default") for digit in "678"]


def test_national_numbers_get_the_calling_code_of_the_account(service):
    service.open_account("the-key-of-a-slovak-account", calling_code="421")

    service.client("the-key-of-a-slovak-account").post("/v1/blacklist", json={"to": "0903 123 456"})

    assert entries(service) == [("blacklist", "421903123456", "default")]


def test_a_number_on_the_list_already_is_accepted_again(service):
    service.api.post("/v1/blacklist", json={"to": "420777123456"})

    answer = service.api.post("/v1/blacklist", json={"to": "420777123456"})

    assert answer.json() == {"success": True, "accepted": 1, "invalid": []}


def test_an_opt_out_stops_promotional_messages_only(service):
    service.api.post("/v1/optout", json={"to": "420777123456"})

    assert send(service).startswith("[304]")
    assert send(service, tag="transactional") == "[0] Delivered"


def test_the_blacklist_stops_every_message(service):
    service.api.post("/v1/blacklist", json={"to": "420777123456"})

    assert send(service, tag="transactional").startswith("[304]")


def test_the_lists_of_one_account_mean_nothing_to_another(service):
    service.open_account("the-key-of-another-account")

    service.api.post("/v1/blacklist", json={"to": "420777123456"})

    assert send(service, key="the-key-of-another-account") == "[0] Delivered"


def test_an_entry_of_a_sub_account_holds_for_it_alone(service):
    service.add_key("the-key-of-a-sub-account", subid="shop")

    service.api.post("/v1/blacklist", json={"to": "420777123456", "subid": "shop"})

    assert send(service, key="the-key-of-a-sub-account").startswith("[304]")
    assert send(service) == "[0] Delivered"


def test_an_entry_without_a_sub_account_holds_for_the_whole_account(service):
    service.add_key("the-key-of-a-sub-account", subid="shop")

    service.api.post("/v1/blacklist", json={"to": "420777123456"})

    assert send(service, key="the-key-of-a-sub-account").startswith("[304]")


def test_a_sub_account_of_somebody_else_is_refused(service):
    service.open_account("the-key-of-another-account")
    service.add_key("the-key-of-a-sub-account", subid="shop")
    submission = {"to": "420777123456", "subid": "shop"}

    answer = service.client("the-key-of-another-account").post("/v1/blacklist", json=submission)

    assert answer.status_code == 400
    assert answer.json() == {"message": "subid must be default or a sub-account of this key."}
    assert entries(service) == []


@pytest.mark.parametrize("submission", [{}, {"to": ""}, {"to": None}, {"to": ["420777123456"]}])
def test_a_submission_without_numbers_is_refused(service_on_sqlite, submission):
    answer = service_on_sqlite.api.post("/v1/optout", json=submission)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith("to ")


def test_a_submission_over_4_mib_is_refused(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v1/optout", json={"to": "1\n" * 2_200_000})

    assert (answer.status_code, answer.json()) == (413, {"message": "The request is larger than 4 MiB."})


def test_a_hundred_thousand_numbers_hold_up_nobody(service):
    numbers = "\n".join(str(420_601_000_000 + number) for number in range(100_000))
    slowest = Slowest(service)

    with slowest:
        answer = service.api.post("/v1/optout", json={"to": numbers}, timeout=60)

    assert answer.json() == {"success": True, "accepted": 100_000, "invalid": []}
    with service.store.reading() as connection:
        assert connection.execute(select(func.count()).select_from(suppressions)).scalar_one() == 100_000
    assert slowest.seconds < 2


def test_taking_a_hundred_thousand_numbers_off_holds_up_nobody(service):
    numbers = [str(420_601_000_000 + number) for number in range(100_000)]
    shared = {"account_id": 1, "list": "optout", "subid": "default", "created_at": 0}
    with service.store.writing() as connection:
        connection.execute(suppressions.insert(), [shared | {"phone_number": number} for number in numbers])
    slowest = Slowest(service)

    with slowest:
        answer = service.api.request("DELETE", "/v1/optout", json={"to": "\n".join(numbers)}, timeout=60)

    assert answer.json()["optout"] == {"removed": 100_000, "remaining": 0, "invalid": []}
    assert entries(service) == []
    assert slowest.seconds < 2


class Slowest:
    """Asks the service for something small all the while, and remembers its slowest answer."""

    def __init__(self, service):
        self._client = service.client(service.key)
        self._thread = threading.Thread(target=self._ask)
        self._ended = threading.Event()
        self.seconds = 0.0

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _ask(self):
        while not self._ended.is_set():
            started = time.perf_counter()
            self._client.post("/v1/apikey/update", json={"default_callback_url": "", "note": ""})
            self.seconds = max(self.seconds, time.perf_counter() - started)
