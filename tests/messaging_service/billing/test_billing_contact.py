"""Whom invoices are made out to, and where credit is paid (specification 2.9, 4.3)."""

import pytest
from accounting import CONTACT, billing
from typer.testing import CliRunner

from messaging_service.commands import app as credit_app

EMPTY = dict.fromkeys(CONTACT, "")
FOREIGN = {"message": "The billing_id isn't that of this key."}
SHARED = {"message": "A sub-key that shares its parent's credit has no billing record."}


@pytest.fixture(scope="module")
def keys(billed_on_sqlite):
    """A client for each kind of key that isn't the first account's own."""
    billed_on_sqlite.add_key("a-shared-sub-key-0001", subid="shared")
    billed_on_sqlite.open_account("the-key-of-another-account-0001")
    return {
        "shared": billed_on_sqlite.client("a-shared-sub-key-0001"),
        "another": billed_on_sqlite.client("the-key-of-another-account-0001"),
    }


def test_a_contact_is_empty_until_it_is_set(billed):
    before = billing(billed)

    done = billed.api.post("/v1/billing/set", json={"billing_id": before["billing_id"], **CONTACT})

    assert (done.status_code, done.json()) == (200, {"success": True})
    assert before == {"billing_id": before["billing_id"], **EMPTY}
    assert billing(billed) == {"billing_id": before["billing_id"], **CONTACT}


def test_what_is_absent_stays_and_an_empty_text_deletes(billed):
    billing_id = billing(billed)["billing_id"]
    billed.api.post("/v1/billing/set", json={"billing_id": billing_id, **CONTACT})

    billed.api.post("/v1/billing/set", json={"billing_id": billing_id, "street": "", "city": "Brno", "country": "SK"})

    assert billing(billed) == {**CONTACT, "billing_id": billing_id, "street": "", "city": "Brno", "country": "sk"}


def test_a_contact_is_found_by_its_id_too(billed_on_sqlite):
    own = billing(billed_on_sqlite)

    answer = billed_on_sqlite.api.post("/v1/billing/get", json={"billing_id": own["billing_id"]})

    assert answer.json() == {"success": True, "billing": own}


@pytest.mark.parametrize("path", ["get", "set", "invoices/list", "invoices/pdf"])
def test_the_billing_id_of_another_account_is_refused(billed_on_sqlite, keys, path):
    billing_id = billing(billed_on_sqlite)["billing_id"]
    body = {"billing_id": billing_id, "name": "Mine now", "invoice_id": "2026000001"}

    answer = keys["another"].post(f"/v1/billing/{path}", json=body)

    assert (answer.status_code, answer.json()) == (403, FOREIGN)
    assert billing(billed_on_sqlite)["name"] != "Mine now"


@pytest.mark.parametrize("path", ["get", "set", "invoices/list", "invoices/pdf"])
def test_a_shared_sub_key_has_no_billing_record_not_even_its_parents(billed_on_sqlite, keys, path):
    billing_id = billing(billed_on_sqlite)["billing_id"]
    body = {"billing_id": billing_id, "name": "Mine now", "invoice_id": "2026000001"}

    answer = keys["shared"].post(f"/v1/billing/{path}", json=body)

    assert (answer.status_code, answer.json()) == (403, SHARED)


def test_a_key_that_may_only_send_and_read_reads_but_does_not_change(billed_on_sqlite):
    billed_on_sqlite.open_account("the-key-of-a-third-account-0001", name="Third")
    record = billing(billed_on_sqlite, "the-key-of-a-third-account-0001")
    client = billed_on_sqlite.client("the-key-of-a-third-account-0001")
    change = {"billing_id": record["billing_id"], "name": "Third"}
    before = client.post("/v1/billing/set", json=change)
    with billed_on_sqlite.store.writing() as connection:
        connection.exec_driver_sql(
            "UPDATE keys SET scope = 'api' WHERE account_id = (SELECT id FROM accounts WHERE name = 'Third')"
        )
    billed_on_sqlite.clock.move(3_000)

    read, changed = client.post("/v1/billing/get", json={}), client.post("/v1/billing/set", json=change)

    assert (before.status_code, read.status_code) == (200, 200)
    assert (changed.status_code, changed.json()["message"]) == (
        403,
        "Apikey scope 'api' is not allowed to change settings",
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": "Shop"}, "billing_id is required."),
        (
            {"billing_id": "b-1"},
            "must hold at least one of name, email, street, city, zip, country, company_id, company_vat",
        ),
        ({"billing_id": "b-1", "email": "nobody"}, "email"),
        ({"billing_id": "b-1", "country": "Czechia"}, "country"),
        ({"billing_id": "b-1", "name": "two\nlines"}, "name"),
        ({"billing_id": "b-1", "name": "x" * 201}, "name must have at most 200 characters."),
    ],
)
def test_a_contact_that_makes_no_sense_is_refused_by_its_field(billed_on_sqlite, body, message):
    answer = billed_on_sqlite.api.post("/v1/billing/set", json=body)

    assert answer.status_code == 400
    assert message in answer.json()["message"]


def test_credit_is_paid_to_the_bank_account_of_the_issuer(billed_on_sqlite, keys):
    own = billed_on_sqlite.api.get("/v1/billing/topup").json()
    shared = keys["shared"].get("/v1/billing/topup").json()
    another = keys["another"].get("/v1/billing/topup").json()

    bank = {"account_number": "19-2000145399", "account_bank": "0800", "iban": "CZ6508000000192000145399"}
    assert own == {"success": True, "topup": {**bank, "vs": own["topup"]["vs"]}}
    assert own["topup"]["vs"].isdigit()
    assert len(own["topup"]["vs"]) == 10
    assert shared == own
    assert another["topup"]["vs"] != own["topup"]["vs"]


@pytest.fixture
def credit(billed_on_sqlite, monkeypatch):
    """Run `dovecote credit` on the service's store."""
    monkeypatch.setenv("DOVECOTE_DATABASE", billed_on_sqlite.settings.database)
    return lambda *arguments: CliRunner().invoke(credit_app, ["credit", *arguments])


def test_a_payment_is_added_by_its_symbol(billed_on_sqlite, keys, credit):
    symbol = keys["another"].get("/v1/billing/topup").json()["topup"]["vs"]

    done = credit("add", "250", "--vs", symbol)

    assert (done.exit_code, done.output) == (0, "The balance is now 1250.00 czk.\n")
    assert keys["another"].get("/v1/credit").json()["credit"]["credit_czk"] == "1250.00"
    assert billed_on_sqlite.api.get("/v1/credit").json()["credit"]["credit_czk"] == "1000.00"


@pytest.mark.parametrize("symbol", ["1999999999", "1", "17", "٠١٢٣٤٥٦٧٨٩", "0000000001"])
def test_a_payment_with_an_unknown_symbol_is_added_to_nobody(credit, symbol):
    done = credit("add", "250", "--vs", symbol)

    assert done.exit_code == 1
    assert f"There is no wallet with the payment symbol {symbol!r}." in done.stderr


def test_a_payment_goes_to_a_key_or_a_symbol(credit):
    done = credit("add", "250", "--vs", "1000000001", "--key", "default")

    assert done.exit_code == 2
    assert "by a key or by its payment symbol, not by both" in done.stderr


def test_without_an_issuer_there_is_nowhere_to_pay_and_no_invoice(service_on_sqlite):
    paying = service_on_sqlite.api.get("/v1/billing/topup")
    listed = service_on_sqlite.api.post("/v1/billing/invoices/list", json={})

    message = "Paying for credit is not set up: DOVECOTE_ISSUER names no file with a bank account."
    assert (paying.status_code, paying.json()) == (503, {"message": message})
    assert listed.json() == {"success": True, "invoices": []}
