"""Credit, prices and orders (details, "credit")."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from running_service import run_service
from sqlalchemy import select

from interface.credit import Credit
from interface.orders import Order, Service
from messaging_service.accounts.money import UNIT
from messaging_service.accounts.prices import SHIPPED, read_prices
from messaging_service.store.tables import orders

NAME = {"service": "name", "value": "Shop"}
NUMBER = {"service": "number", "value": "447700900101"}


def post(service, path, body, key=None):
    return service.client(key or service.key).post(f"/v1/credit/{path}", json=body)


def order(service, body=NAME, key=None, **more):
    return post(service, "order", body | more, key)


def balance(service, key=None):
    return service.client(key or service.key).get("/v1/credit").json()["credit"]["credit_czk"]


def senders(service, key=None):
    listed = service.client(key or service.key).get("/v1/apikey/me").json()["me"]["senders"]
    return [sender["value"] for sender in listed]


def free_numbers(service):
    services = service.api.get("/v1/credit/services").json()["services"]
    return next(each["values"] for each in services if each["service"] == "number")


def test_credit_is_told_in_the_currency_of_the_wallet(service):
    service.open_account("the-key-of-an-account-in-euro", currency="eur", credit=12 * UNIT + UNIT // 2)

    answer = service.client("the-key-of-an-account-in-euro").get("/v1/credit")

    assert answer.json()["credit"].keys() == Credit.model_fields.keys()
    credit = answer.json()["credit"]
    assert (credit["credit_eur"], credit["credit_czk"], credit["currency"]) == ("12.50", "0.00", "EUR")
    assert (credit["priceLevels"]["high"], credit["priceLevels"]["lowcost"]) == ("1", "0.7")
    assert (credit["vat"], credit["tz"]) == (None, "UTC")
    assert credit["billing_id"]


def test_the_tax_rate_is_told_where_invoices_are_issued(tmp_path):
    issuer = Path(__file__).parents[3] / "examples" / "issuer.toml"

    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, issuer=issuer, vat="21") as service:
        credit = service.api.get("/v1/credit").json()["credit"]
        me = service.api.get("/v1/apikey/me").json()["me"]

    assert (credit["vat"], me["vat"]) == (21.0, 21.0)


def test_prices_are_those_of_the_price_list(service_on_sqlite):
    answer = service_on_sqlite.api.get("/v1/credit/prices").json()

    shipped = read_prices(SHIPPED).file.prices
    assert answer["success"] is True
    assert answer["prices"]["sms"]["420"] == {
        "mcc": 230,
        "price_czk": "0.85",
        "price_eur": "0.034",
        "operators": {
            "1": {"price_czk": "0.85", "price_eur": "0.034"},
            "2": {"price_czk": "0.85", "price_eur": "0.034"},
            "3": {"price_czk": "0.87", "price_eur": "0.0348"},
        },
    }
    assert answer["prices"]["viber"]["default"]["mcc"] is None
    assert {channel: answer["prices"][channel].keys() for channel in answer["prices"]} == {
        channel.value: countries.keys() for channel, countries in shipped.items()
    }


def test_services_are_names_and_the_numbers_that_are_free(service):
    before = service.api.get("/v1/credit/services").json()["services"]

    order(service, NUMBER)

    assert [each.keys() for each in before] == [Service.model_fields.keys()] * 2
    assert [(each["service"], each["flow"], each["price_czk"]) for each in before] == [
        ("name", "sms", "500.00"),
        ("number", "sms", "250.00"),
    ]
    assert "447700900101" in before[1]["values"]
    assert "447700900101" not in free_numbers(service)


def test_an_order_charges_the_wallet_and_gives_the_sender(service):
    answer = order(service)

    assert answer.status_code == 200
    told = answer.json()["order"]
    assert told.keys() == Order.model_fields.keys()
    assert (told["service"], told["value"], told["flow"], told["dryrun"]) == ("name", "Shop", "sms", False)
    assert (told["price"], told["currency"], told["ts_cancelled"]) == ("500.00", "CZK", None)
    assert balance(service) == "500.00"
    assert senders(service) == ["Dovecote", "Shop"]


def test_a_dry_run_tells_the_price_and_does_nothing(service):
    answer = order(service, NUMBER, dryrun=True)

    told = answer.json()["order"]
    assert (told["order_id"], told["price"], told["dryrun"], told["ts_created"]) == (None, "250.00", True, None)
    assert balance(service) == "1000.00"
    assert senders(service) == ["Dovecote"]


def test_an_order_in_euro_is_charged_in_euro(service):
    service.open_account("the-key-of-an-account-in-euro", currency="eur", credit=100 * UNIT)

    told = order(service, key="the-key-of-an-account-in-euro").json()["order"]

    assert (told["price"], told["currency"]) == ("20.00", "EUR")


def test_ordering_the_same_again_charges_nothing_more(service):
    first = order(service).json()

    again = order(service).json()

    assert again == first
    assert balance(service) == "500.00"


def test_orders_of_the_same_at_the_same_time_are_charged_once(service):
    with ThreadPoolExecutor(8) as callers:
        answers = list(callers.map(lambda _: order(service).json()["order"]["order_id"], range(16)))

    assert len(set(answers)) == 1
    assert balance(service) == "500.00"


def test_a_number_is_given_to_one_of_those_who_order_it_at_the_same_time(service):
    others = [f"the-key-of-account-{number}" for number in range(6)]
    for key in others:
        service.open_account(key)

    with ThreadPoolExecutor(6) as callers:
        answers = list(callers.map(lambda key: order(service, NUMBER, key), others))

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 5
    assert sorted(balance(service, key) for key in others) == ["1000.00"] * 5 + ["750.00"]


def test_a_number_that_somebody_has_is_not_free(service):
    service.open_account("the-key-of-another-account")
    order(service, NUMBER)

    answers = [order(service, NUMBER, "the-key-of-another-account", dryrun=dryrun) for dryrun in (True, False)]

    assert [(answer.status_code, answer.json()) for answer in answers] == [
        (409, {"message": "This number is not free."})
    ] * 2
    assert balance(service, "the-key-of-another-account") == "1000.00"


def test_an_order_that_the_credit_does_not_suffice_for_is_refused_and_not_made(service):
    service.open_account("the-key-of-a-poor-account", credit=499 * UNIT)

    answer = order(service, key="the-key-of-a-poor-account")

    assert (answer.status_code, answer.json()) == (402, {"message": "The credit doesn't suffice."})
    assert balance(service, "the-key-of-a-poor-account") == "499.00"
    assert senders(service, "the-key-of-a-poor-account") == ["Another"]


def test_a_cancelled_order_stays_paid_and_its_number_is_free_again(service):
    made = order(service, NUMBER).json()["order"]

    answers = [post(service, "cancel", {"order_id": made["order_id"]}).json()["order"] for _ in range(2)]

    assert answers[0] == answers[1] == made | {"ts_cancelled": answers[0]["ts_cancelled"]}
    assert answers[0]["ts_cancelled"]
    assert balance(service) == "750.00"
    assert senders(service) == ["Dovecote"]
    assert "447700900101" in free_numbers(service)


def test_a_sender_that_was_cancelled_can_be_ordered_and_paid_again(service):
    made = order(service, NUMBER).json()["order"]
    post(service, "cancel", {"order_id": made["order_id"]})

    again = order(service, NUMBER).json()["order"]

    assert again["order_id"] != made["order_id"]
    assert balance(service) == "500.00"


def test_what_was_charged_is_kept_for_invoices(service):
    made = order(service, NUMBER).json()["order"]
    post(service, "cancel", {"order_id": made["order_id"]})

    with service.store.reading() as connection:
        (kept,) = connection.execute(select(orders)).mappings().all()
    assert (kept["order_id"], kept["charged"], kept["currency"]) == (made["order_id"], 250 * UNIT, "czk")


def test_nobody_cancels_the_order_of_another_key(service):
    service.open_account("the-key-of-another-account")
    made = order(service).json()["order"]

    answers = [
        post(service, "cancel", {"order_id": made["order_id"]}, "the-key-of-another-account"),
        post(service, "cancel", {"order_id": "nobodys"}),
    ]

    sentence = "This key has no such order."
    assert [(answer.status_code, answer.json()) for answer in answers] == [(404, {"message": sentence})] * 2
    assert senders(service) == ["Dovecote", "Shop"]


def test_a_sub_key_has_the_senders_of_its_parent_only_where_they_are_shared(service):
    order(service)
    shared, apart = (
        service.api.post("/v1/apikey/add", json={"share_senders": share_senders}).json()["apikey"]
        for share_senders in (True, False)
    )

    assert senders(service, shared) == ["Dovecote", "Shop"]
    assert senders(service, apart) == ["Dovecote"]


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("order", {"service": "car", "value": "Shop"}, "service must be one of name, number."),
        ("order", {"service": "name", "value": "447700900101"}, "value must be a name, not a number."),
        ("order", {"service": "number", "value": "Shop"}, "value must be a number in digits."),
        (
            "order",
            {"service": "number", "value": "420777123456"},
            "value must be one of the numbers of /credit/services.",
        ),
        ("order", NAME | {"flow": "viber"}, "flow must be a channel for which /credit/services has a name."),
        ("order", {"service": "name"}, "value is required."),
        ("cancel", {}, "order_id is required."),
    ],
)
def test_an_order_that_can_not_be_is_named(service_on_sqlite, path, body, sentence):
    answer = post(service_on_sqlite, path, body)

    assert (answer.status_code, answer.json()) == (400, {"message": sentence})


def test_a_key_of_scope_api_reads_and_orders_nothing(service):
    service.add_key("the-key-of-scope-api", scope="api")
    client = service.client("the-key-of-scope-api")

    read = [client.get(f"/v1/credit{path}").status_code for path in ("", "/prices", "/services", "/notify")]
    changed = [
        post(service, path, body, "the-key-of-scope-api")
        for path, body in (("order", NAME), ("cancel", {"order_id": "x"}), ("notify", {}))
    ]

    assert read == [200] * 4
    assert {answer.status_code for answer in changed} == {403}
