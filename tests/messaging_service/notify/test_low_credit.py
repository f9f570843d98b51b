"""The low-credit alert (details, "credit"): an e-mail and an event, once until credit has risen again."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from mail_receiving import receiving_mails
from notifying import MovableClock
from running_service import run_service
from sqlalchemy import func, insert, select

from interface.notifications import LowCredit, parse_events
from messaging_service.accounts.low_credit import LowCreditWatch
from messaging_service.accounts.money import UNIT
from messaging_service.store import wallets
from messaging_service.store.tables import credit_alerts, keys, mails
from messaging_service.store.tables import wallets as wallet_table

ALERT = {"email": "owner@example.com", "value": "999.50"}
MESSAGE = {"to": [{"phone_number": "420777123456"}], "body": "Hello", "tag": "transactional"}
SMTP = {"smtp_host": "127.0.0.1", "smtp_security": "none", "smtp_sender": "Dovecote <alerts@dovecote.example>"}


@pytest.fixture
def mail_server():
    with receiving_mails() as server:
        yield server


@pytest.fixture
def service(store_url, tmp_path, mail_server):
    with run_service(store_url, tmp_path, **SMTP, smtp_port=mail_server.port) as running:
        yield running


@pytest.fixture
def callback(receiver, service):
    """A receiver on this machine, which the first account's key is told of."""
    url = receiver.url.replace("receiver.test", "127.0.0.1")
    service.api.post("/v1/apikey/update", json={"default_callback_url": url, "note": "shop"})
    return receiver


def set_alert(service, key=None, **wanted):
    return service.client(key or service.key).post("/v1/credit/notify", json=wanted)


def alert(service, key=None):
    return service.client(key or service.key).get("/v1/credit/notify").json()


def spend(service, key=None):
    """Send a message and wait until it is paid."""
    client = service.client(key or service.key)
    before = client.get("/v1/credit").json()["credit"]["credit_czk"]
    client.post("/v2/message", json=MESSAGE)
    service.wait_until(lambda: client.get("/v1/credit").json()["credit"]["credit_czk"] != before)


def add_credit(service, amount):
    with service.store.writing() as connection:
        (wallet_id,) = connection.execute(select(wallet_table.c.id)).scalars().all()
        wallets.credit(connection, wallet_id, amount)


def is_told(service):
    with service.store.reading() as connection:
        return connection.execute(select(credit_alerts.c.is_told)).scalar_one()


def low_credit(receiver):
    events = [event for call in receiver.calls for event in parse_events(call.body)]
    return [event for event in events if isinstance(event, LowCredit)]


def test_low_credit_is_told_by_mail_and_to_the_callback_address(service, mail_server, callback):
    set_alert(service, **ALERT)

    spend(service)

    (mail,) = service.wait_until(lambda: mail_server.taken)
    (event,) = service.wait_until(lambda: low_credit(callback))
    assert (mail.sender, mail.recipient) == ("alerts@dovecote.example", "owner@example.com")
    assert mail.message["Subject"] == "Credit is low: 999.13 CZK"
    assert mail.message["From"] == "Dovecote <alerts@dovecote.example>"
    assert mail.message["Message-ID"].endswith("@dovecote.example>")
    text = mail.message.get_content()
    assert text.startswith("The credit of First account (shop) is 999.13 CZK, below 999.50 CZK.")
    assert service.key not in str(mail.message)
    assert (event.credit, event.value, event.currency, event.subid) == ("999.13", "999.50", "CZK", "default")


def test_low_credit_is_told_once_until_it_has_risen(service, mail_server):
    set_alert(service, **ALERT)
    spend(service)
    service.wait_until(lambda: mail_server.taken)

    spend(service)
    add_credit(service, 10 * UNIT)
    service.wait_until(lambda: not is_told(service))
    add_credit(service, -10 * UNIT)
    service.wait_until(lambda: len(mail_server.taken) == 2)

    subjects = [mail.message["Subject"] for mail in mail_server.taken]
    assert subjects == ["Credit is low: 999.13 CZK", "Credit is low: 998.26 CZK"]


def test_credit_that_is_low_already_is_told_at_once(service, mail_server):
    set_alert(service, email="owner@example.com", value=5000)

    assert service.wait_until(lambda: mail_server.taken)


def test_an_alert_that_is_off_tells_nothing_until_it_is_on(service, mail_server):
    set_alert(service, **ALERT, enable=False)
    spend(service)

    set_alert(service, enable=1)

    (mail,) = service.wait_until(lambda: mail_server.taken)
    assert mail.message["Subject"] == "Credit is low: 999.13 CZK"


def test_an_alert_is_told_as_it_was_set(service):
    before = alert(service)

    answer = set_alert(service, **ALERT)

    assert before == {"success": True, "notify": {"email": "", "value": None, "enable": False}}
    told = {"email": "owner@example.com", "value": "999.50", "enable": True}
    assert (answer.status_code, answer.json()) == (200, {"success": True, "notify": told})
    assert alert(service)["notify"] == told


def test_what_is_absent_stays_as_it_is(service):
    set_alert(service, **ALERT)

    set_alert(service, enable=0)
    set_alert(service, value=20)

    assert alert(service)["notify"] == {"email": "owner@example.com", "value": "20.00", "enable": False}


def test_each_key_has_its_own_alert(service):
    service.open_account("the-key-of-another-account")
    set_alert(service, **ALERT)

    assert alert(service, "the-key-of-another-account")["notify"]["email"] == ""


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({}, "email is required. value is required."),
        ({"email": "owner@example.com"}, "value is required."),
        ({"email": "owner", "value": 1}, "email must be an e-mail address."),
        ({"email": "a@b.cz\r\nBcc: c@d.cz", "value": 1}, "email must be an e-mail address."),
        *(
            (
                {"email": "owner@example.com", "value": value},
                "value must be an amount above 0 with at most six decimal places, such as 50.00.",
            )
            for value in (0, -1, "much", True, "1e-9", 1e30)
        ),
    ],
)
def test_what_is_wrong_with_an_alert_is_named(service_on_sqlite, wanted, sentence):
    service_on_sqlite.api.post("/v1/apikey/update", json={"default_callback_url": "http://127.0.0.1:9", "note": ""})

    answer = set_alert(service_on_sqlite, **wanted)

    assert (answer.status_code, answer.json()) == (400, {"message": sentence})


def test_without_a_mail_server_and_a_callback_address_there_is_nobody_to_tell(service_on_sqlite):
    key = "the-key-without-callback"
    service_on_sqlite.add_key(key, subid="without-callback", default_callback_url="")
    client = service_on_sqlite.client(key)

    untold = set_alert(service_on_sqlite, key=key, **ALERT | {"value": 1}).json()
    client.post("/v1/apikey/update", json={"default_callback_url": "http://127.0.0.1:9", "note": ""})
    by_callback = alert(service_on_sqlite, key)
    switched_off = set_alert(service_on_sqlite, key=key, enable=0).json()

    assert untold["message"].endswith("the key has no callback address: nothing tells of low credit.")
    assert by_callback["message"].endswith("low credit is told to the key's callback address only.")
    assert "message" not in switched_off


def test_low_credit_that_nobody_could_be_told_of_is_told_once_there_is_a_way(store_url, tmp_path, receiver):
    with run_service(store_url, tmp_path) as service:
        set_alert(service, email="owner@example.com", value=5000)
        url = receiver.url.replace("receiver.test", "127.0.0.1")

        service.api.post("/v1/apikey/update", json={"default_callback_url": url, "note": ""})

        (event,) = service.wait_until(lambda: low_credit(receiver))
        assert (event.credit, event.value) == ("1000.00", "5000.00")


def test_however_many_keys_and_workers_each_key_is_told_once(store):
    with store.writing() as connection:
        parent = dict(connection.execute(select(keys).limit(1)).mappings().one())
        del parent["id"]
        connection.execute(
            insert(keys), [parent | {"id": 10 + n, "subid": f"s{n}", "digest": f"d{n}"} for n in range(1200)]
        )
        ids = connection.execute(select(keys.c.id)).scalars().all()
        shared = {"wallet_id": parent["wallet_id"], "email": "owner@example.com", "value": UNIT, "is_enabled": True}
        connection.execute(insert(credit_alerts), [shared | {"key_id": key} for key in ids])

    def watch(_):
        watching = LowCreditWatch(store, MovableClock(), lambda: None, sends_mail=True)
        return sum(iter(watching.turn, 0))

    with ThreadPoolExecutor(2) as workers:
        told = sum(workers.map(watch, range(2)))

    with store.reading() as connection:
        written = connection.execute(select(func.count()).select_from(mails)).scalar_one()
    assert told == written == len(ids) == 1202
