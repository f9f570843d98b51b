"""Invoices: issued once a month from what was charged, and never changed (details, "billing")."""

import threading
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from accounting import CONTACT, ISSUER, NUMBER, OTHER, billing, charge, end_month, invoices, pdf, send, text_of
from running_service import run_service

from messaging_service.accounts.money import UNIT
from messaging_service.billing.invoicing import Invoicing
from messaging_service.billing.issuer import read_issuer
from messaging_service.clock import moment
from messaging_service.store import invoices as invoice_queries
from messaging_service.store.engine import open_store
from messaging_service.store.tables import orders

WALLETS = 12


def milliseconds(text):
    return moment(datetime.fromisoformat(text).replace(tzinfo=UTC))


class Stopped:
    """A clock that stands on a moment."""

    def __init__(self, text):
        self._now = milliseconds(text)

    def now(self):
        return self._now


def issuing(store, now="2026-04-01T02:00:00", vat="21"):
    return Invoicing(store, Stopped(now), read_issuer(ISSUER), vat)


def numbers(service):
    with service.store.reading() as connection:
        return sorted(connection.exec_driver_sql("SELECT number FROM invoices").scalars())


def test_what_was_charged_in_a_month_is_invoiced_after_it(billed):
    send(billed, NUMBER, OTHER)
    send(billed, NUMBER, flow=[{"viber": {"sender": "Dove", "body": "Hello"}}])
    spent = Decimal(1000) - balance(billed)
    before = invoices(billed)
    month = end_month(billed)

    (invoice,) = billed.wait_until(lambda: invoices(billed))

    net = spent.quantize(Decimal("0.01"))
    vat = (net * 21 / 100).quantize(Decimal("0.01"))
    assert before == []
    assert invoice == {
        "invoice_id": f"{invoice['issued'][:4]}000001",
        "billing_id": billing(billed)["billing_id"],
        "month": month,
        "issued": invoice["issued"],
        "currency": "CZK",
        "vat_rate": "21",
        "net": f"{net:.2f}",
        "vat": f"{vat:.2f}",
        "total": f"{net + vat:.2f}",
    }
    assert invoice["issued"] > month


def balance(service):
    with service.store.reading() as connection:
        return Decimal(connection.exec_driver_sql("SELECT balance FROM wallets WHERE id = 1").scalar()) / UNIT


def test_the_file_shows_what_was_charged_in_letters_with_accents(billed):
    billed.api.post("/v1/billing/set", json={"billing_id": billing(billed)["billing_id"], **CONTACT})
    send(billed, NUMBER)
    end_month(billed)
    (invoice,) = billed.wait_until(lambda: invoices(billed))

    content = pdf(billed, invoice["invoice_id"])

    text = text_of(content)
    assert content.startswith(b"%PDF-")
    for shown in (
        "daňový doklad",
        "Žluťoučký kůň s.r.o.",
        "Ďáblická 12",
        "Ústí nad Labem",
        "Holubník s.r.o.",
    ):
        assert shown in text
    for shown in (invoice["invoice_id"], "Zprávy SMS", "Uhrazeno z kreditu. Neplaťte.", "DIČ: CZ87654321"):
        assert shown in text
    assert f"{invoice['total'].replace('.', ',')} CZK" in text


def test_an_invoice_never_changes_once_it_is_issued(billed):
    billed.api.post("/v1/billing/set", json={"billing_id": billing(billed)["billing_id"], **CONTACT})
    send(billed, NUMBER)
    end_month(billed)
    (first,) = billed.wait_until(lambda: invoices(billed))
    before = pdf(billed, first["invoice_id"])

    billed.api.post("/v1/billing/set", json={"billing_id": billing(billed)["billing_id"], "name": "Somebody else"})
    issuing(billed.store, now="2030-01-01T00:00:00", vat="10").issue()

    assert invoices(billed) == [first]
    assert pdf(billed, first["invoice_id"]) == before


def test_a_file_that_is_first_asked_for_later_shows_the_contact_of_the_day_of_issue(billed):
    billed.api.post("/v1/billing/set", json={"billing_id": billing(billed)["billing_id"], **CONTACT})
    charge(billed.store, 1, "2026-03-10", 5 * UNIT)
    issuing(billed.store).issue()
    billed.api.post("/v1/billing/set", json={"billing_id": billing(billed)["billing_id"], "name": "Somebody else"})

    (invoice,) = invoices(billed)
    text = text_of(pdf(billed, invoice["invoice_id"]))

    assert "Žluťoučký kůň s.r.o." in text
    assert "Somebody else" not in text


def test_each_month_has_its_own_invoice_and_the_newest_comes_first(service):
    charged = {"2026-01-31": 3, "2026-02-01": 5, "2026-02-28": 7, "2026-03-31": 11, "2026-04-01": 13}
    for date, amount in charged.items():
        charge(service.store, 1, date, amount * UNIT)

    count = issuing(service.store).issue()

    assert count == 3
    assert [(each["month"], each["net"], each["invoice_id"]) for each in invoices(service)] == [
        ("2026-03", "11.00", "2026000003"),
        ("2026-02", "12.00", "2026000002"),
        ("2026-01", "3.00", "2026000001"),
    ]
    assert len(invoices(service, year=2026)) == 3
    assert invoices(service, year=2025) == []


def test_ordered_services_stand_on_the_invoice_of_their_month(service):
    order(service.store, "2026-02-28T23:59:59", "name", "EARLIER", 10 * UNIT)
    order(service.store, "2026-03-01T00:00:00", "name", "Obchod", 100 * UNIT)
    order(service.store, "2026-03-31T23:59:59", "number", "420910123456", 200 * UNIT)
    charge(service.store, 1, "2026-03-10", UNIT)

    issuing(service.store).issue()

    (march, february) = invoices(service)
    text = text_of(pdf(service, march["invoice_id"]))
    assert (february["net"], march["net"]) == ("10.00", "301.00")
    assert "Jméno odesílatele Obchod" in text
    assert "Virtuální číslo 420910123456" in text
    assert "EARLIER" not in text


def order(store, created, service, value, charged):
    row = {"order_id": value, "key_id": 1, "wallet_id": 1, "service": service, "flow": "sms", "value": value}
    row |= {"charged": charged, "currency": "czk", "created_at": milliseconds(created)}
    with store.writing() as connection:
        connection.execute(orders.insert().values(row))


def test_a_month_is_not_invoiced_before_the_hour_after_its_end(service):
    charge(service.store, 1, "2026-03-31", UNIT)

    too_early = issuing(service.store, now="2026-04-01T00:59:59").issue()
    on_time = issuing(service.store, now="2026-04-01T01:00:00").issue()

    assert (too_early, on_time) == (0, 1)


@pytest.mark.parametrize(
    ("amount", "vat", "expected"),
    [
        (100 * UNIT, "21", ("100.00", "21.00", "121.00")),
        (UNIT // 200, "21", ("0.01", "0.00", "0.01")),
        (10_555_000, "21", ("10.56", "2.22", "12.78")),
        (100 * UNIT, "0", ("100.00", "0.00", "100.00")),
        (3 * UNIT, "12.5", ("3.00", "0.38", "3.38")),
        (-2 * UNIT, "21", ("-2.00", "-0.42", "-2.42")),
    ],
)
def test_sums_are_to_the_cent(service_of_a_test, amount, vat, expected):
    charge(service_of_a_test.store, 1, "2026-03-10", amount)

    issuing(service_of_a_test.store, vat=vat).issue()

    (invoice,) = invoices(service_of_a_test)
    assert (invoice["net"], invoice["vat"], invoice["total"]) == expected
    assert f"{expected[2].replace('.', ',')} CZK" in text_of(pdf(service_of_a_test, invoice["invoice_id"]))


@pytest.fixture
def service_of_a_test(tmp_path):
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path) as service:
        yield service


def test_less_than_half_a_cent_has_no_invoice(service_of_a_test):
    charge(service_of_a_test.store, 1, "2026-03-10", UNIT // 200 - 1)

    assert issuing(service_of_a_test.store).issue() == 0


def test_an_unknown_or_foreign_invoice_is_not_found(service_of_a_test):
    service_of_a_test.open_account("the-key-of-another-account-0001")
    charge(service_of_a_test.store, 2, "2026-03-10", UNIT)
    issuing(service_of_a_test.store).issue()
    (foreign,) = invoices(service_of_a_test, "the-key-of-another-account-0001")

    answers = [
        service_of_a_test.api.post("/v1/billing/invoices/pdf", json={"invoice_id": number})
        for number in (foreign["invoice_id"], "2026999999")
    ]

    message = {"message": "There is no such invoice."}
    assert [(answer.status_code, answer.json()) for answer in answers] == [(404, message)] * 2


def open_accounts(service, count):
    for number in range(count):
        service.open_account(f"the-key-of-account-number-{number:04d}", name=f"Account {number}")
    with service.store.reading() as connection:
        wallets = list(connection.exec_driver_sql("SELECT id FROM wallets").scalars())
    for wallet in wallets:
        charge(service.store, wallet, "2026-03-10", wallet * UNIT)
    return wallets


def test_workers_that_issue_at_once_issue_each_invoice_once_without_gaps(service):
    wallets = open_accounts(service, WALLETS)
    counts, stores = [], [open_store(service.settings.database) for _ in range(4)]
    threads = [threading.Thread(target=lambda each=store: counts.append(issuing(each).issue())) for store in stores]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()

    assert sum(counts) == len(wallets)
    assert numbers(service) == [f"2026{number:06d}" for number in range(1, len(wallets) + 1)]


def test_a_worker_that_dies_while_it_issues_leaves_neither_a_gap_nor_half_a_month(service, monkeypatch):
    wallets = open_accounts(service, 5)
    write, written = invoice_queries.add, []

    def die_at_the_third(connection, row):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(row["number"])
        write(connection, row)

    with monkeypatch.context() as patched:
        patched.setattr(invoice_queries, "add", die_at_the_third)
        with pytest.raises(KeyboardInterrupt):
            issuing(service.store).issue()
    left = numbers(service)
    with closing(open_store(service.settings.database)) as store:
        issuing(store).issue()

    assert left == []
    assert numbers(service) == [f"2026{number:06d}" for number in range(1, len(wallets) + 1)]


def test_numbers_begin_anew_each_year(service):
    charge(service.store, 1, "2025-11-10", UNIT)
    charge(service.store, 1, "2025-12-10", UNIT)
    issuing(service.store, now="2025-12-01T02:00:00").issue()

    issuing(service.store, now="2026-01-01T02:00:00").issue()

    assert numbers(service) == ["2025000001", "2026000001"]
