"""Reading the lists and taking numbers off them (specification 2.9, details "lists")."""

import csv

import httpx
import pytest

from messaging_service.clock import MINUTE, SECOND

LISTS = ["blacklist", "optout"]
MANY = [str(420_601_000_000 + number) for number in range(5_000)]


def add(service, name, *numbers, **more):
    answer = service.api.post(f"/v1/{name}", json={"to": "\n".join(numbers), **more})
    assert answer.json()["accepted"] == len(numbers)


def remove(service, name, body, key=None):
    return service.client(key or service.key).request("DELETE", f"/v1/{name}", json=body)


def address(service, name, **query):
    return service.api.get(f"/v1/{name}", params=query)


def downloaded(service, name, **query):
    """Return the numbers of a list as its file has them."""
    answer = address(service, name, **query)
    if answer.status_code == 404:
        return []
    rows = csv.DictReader(httpx.get(answer.json()["url"]).text.splitlines())
    return [row["phone_number"] for row in rows]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_downloaded_as_csv_without_a_key(service, name):
    add(service, name, "420777123457", "420777123456")

    answer = address(service, name)
    file = httpx.get(answer.json()["url"])

    assert (answer.status_code, answer.json().keys()) == (200, {"success", "url"})
    assert (file.status_code, file.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert file.headers["content-disposition"] == f'attachment; filename="{name}.csv"'
    head, *lines = file.text.splitlines()
    assert head == "phone_number,ts_created"
    assert [line.split(",")[0] for line in lines] == ["420777123456", "420777123457"]
    assert all(line.endswith("Z") for line in lines)


@pytest.mark.parametrize("name", LISTS)
def test_an_empty_list_is_not_there(service_on_sqlite, name):
    service_on_sqlite.add_key(f"the-key-without-{name}", subid=f"without-{name}")

    answer = address(service_on_sqlite, name, subid=f"without-{name}")

    assert (answer.status_code, answer.json()) == (404, {"success": True, "message": "The list is empty."})


def test_a_long_list_comes_whole(service):
    add(service, "optout", *MANY)

    assert downloaded(service, "optout") == MANY


@pytest.mark.parametrize("subid", ["", None])
def test_an_empty_sub_account_is_none(service, subid):
    add(service, "optout", "420777123456", subid=subid)

    assert downloaded(service, "optout", subid="") == ["420777123456"]


def test_a_list_is_emptied_by_nobody_who_names_an_empty_sub_account(service):
    add(service, "optout", "420777123456")

    answer = remove(service, "optout", {"all": True, "subid": ""})

    assert (answer.status_code, answer.json()) == (
        400,
        {"message": "subid must not be empty or contain the NUL character."},
    )
    assert downloaded(service, "optout") == ["420777123456"]


def test_an_address_holds_for_a_minute(service):
    add(service, "optout", "420777123456")
    url = address(service, "optout").json()["url"]

    service.clock.move(MINUTE - 5 * SECOND)
    before = httpx.get(url).status_code
    service.clock.move(5 * SECOND)

    assert (before, httpx.get(url).status_code) == (200, 403)


def test_an_address_can_not_be_made_up(service):
    add(service, "optout", "420777123456")
    url = address(service, "optout").json()["url"]
    start, _, signature = url.rpartition(".")
    other = f"{'x' if signature[0] != 'x' else 'y'}{signature[1:]}"

    answers = [httpx.get(forged) for forged in (f"{start}.{other}", f"{start[:-2]}.{signature}", f"{url}x")]

    sentence = "The address is not one of this service, or has expired.\n"
    assert [(answer.status_code, answer.text) for answer in answers] == [(403, sentence)] * 3


def test_the_address_of_a_blocked_key_holds_no_longer(service):
    secret = service.api.post("/v1/apikey/add", json={}).json()["apikey"]
    add(service, "optout", "420777123456")
    url = service.client(secret).get("/v1/optout").json()["url"]

    service.api.post("/v1/apikey/change", json={"apikey": secret, "disable": 1})

    assert httpx.get(url).status_code == 403


@pytest.mark.parametrize("name", LISTS)
def test_numbers_are_taken_off(service, name):
    add(service, name, "420777123456", "420777123457", "420777123458")

    answer = remove(service, name, {"to": "777123456\n+420 777 123 457\nnobody\n420777123459\n"})

    assert (answer.status_code, answer.json()) == (
        200,
        {"success": True, name: {"removed": 2, "remaining": 1, "invalid": ["nobody"]}},
    )
    assert downloaded(service, name) == ["420777123458"]


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_emptied(service, name):
    (other,) = set(LISTS) - {name}
    add(service, name, *MANY)
    add(service, other, "420777123456")

    answer = remove(service, name, {"all": True})

    assert (answer.status_code, answer.json()) == (200, {"success": True, name: {"wiped": True}})
    assert downloaded(service, name) == []
    assert downloaded(service, other) == ["420777123456"]


def test_entries_of_a_sub_account_are_apart(service):
    service.add_key("the-key-of-a-sub-account", subid="shop")
    add(service, "blacklist", "420777123456", "420777123457")
    add(service, "blacklist", "420777123456", "420777123458", subid="shop")

    answer = remove(service, "blacklist", {"to": "420777123456", "subid": "shop"})

    assert answer.json()["blacklist"] == {"removed": 1, "remaining": 1, "invalid": []}
    assert downloaded(service, "blacklist", subid="shop") == ["420777123458"]
    assert downloaded(service, "blacklist") == ["420777123456", "420777123457"]


def test_a_number_taken_off_is_sent_to_again(service):
    add(service, "blacklist", "420777123456")

    remove(service, "blacklist", {"to": "420777123456"})

    message = {"to": [{"phone_number": "420777123456"}], "body": "Hello"}
    message_id = service.api.post("/v2/message", json=message).json()["accepted"][0]["message_id"]
    assert service.wait_for_status(message_id, delivery_code="201")


def test_nobody_reads_or_empties_the_lists_of_another_account(service):
    service.open_account("the-key-of-another-account")
    stranger = service.client("the-key-of-another-account")
    service.add_key("the-key-of-a-sub-account", subid="shop")
    add(service, "optout", "420777123456")

    read = stranger.get("/v1/optout")
    emptied = remove(service, "optout", {"all": True}, "the-key-of-another-account")
    of_sub_account = stranger.get("/v1/optout", params={"subid": "shop"})

    assert (read.status_code, emptied.status_code) == (404, 200)
    sentence = "subid must be default or a sub-account of this key."
    assert (of_sub_account.status_code, of_sub_account.json()) == (400, {"message": sentence})
    assert downloaded(service, "optout") == ["420777123456"]


@pytest.mark.parametrize("body", [{}, {"all": False}, {"to": "420777123456", "all": True}, {"to": None}])
def test_either_numbers_or_all_are_asked_for(service_on_sqlite, body):
    answer = remove(service_on_sqlite, "optout", body)

    assert (answer.status_code, answer.json()) == (400, {"message": "The body must hold either to or all: true."})


def test_a_key_of_scope_api_reads_the_lists_and_takes_nothing_off(service):
    service.add_key("the-key-of-scope-api", scope="api")
    add(service, "optout", "420777123456")

    read = service.client("the-key-of-scope-api").get("/v1/optout")
    removed = remove(service, "optout", {"all": True}, "the-key-of-scope-api")

    assert (read.status_code, removed.status_code) == (200, 403)
