"""The client's calls about keys, credit and lists, against the running service."""

import httpx
import pytest
from running_service import run_service

from interface.client import Addresses, MessagingClient
from interface.credit import CreditAlertUpdate
from interface.errors import Conflict, Forbidden, NotFound, Refused, Unauthorized
from interface.keys import ApikeyAdd, ApikeyChange
from interface.lists import ListRemoval
from interface.orders import OrderRequest


@pytest.fixture
def service(tmp_path):
    """The service on SQLite: the database makes no difference to the client."""
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path) as running:
        yield running


@pytest.fixture
def connect(service):
    """Open clients, with the key of the first account unless another is named."""
    opened = []

    def connect(key=service.key):
        opened.append(MessagingClient(key, Addresses.of(service.url)))
        return opened[-1]

    yield connect
    for client in opened:
        client.close()


@pytest.fixture
def client(connect):
    return connect()


def test_a_parent_makes_lists_and_blocks_sub_keys(client, connect):
    made = client.apikey_add(ApikeyAdd(note="shop", scope="api"))
    child = connect(made.apikey)
    before = child.apikey_me()

    client.apikey_change(ApikeyChange(apikey=made.apikey, disable=True))

    (key,) = client.apikey_list()
    assert (before.note, before.scope, made.billing_id) == ("shop", "api", None)
    assert (key.note, key.is_blocked, key.shared) == ("shop", True, True)
    assert made.apikey not in repr(made)
    with pytest.raises(Unauthorized):
        child.apikey_me()


def test_a_foreign_key_is_not_changed(client):
    with pytest.raises(Forbidden):
        client.apikey_change(ApikeyChange(apikey="nobodys-key", scope="api"))


def test_credit_and_prices_are_told(client):
    credit, prices = client.credit(), client.credit_prices()

    assert (credit.credit_czk, credit.credit_eur, credit.currency) == ("1000.00", "0.00", "CZK")
    assert (prices["sms"]["420"].mcc, prices["sms"]["420"].operators["3"].price_czk) == (230, "0.87")


def test_a_sender_is_priced_ordered_and_cancelled(client):
    wanted = OrderRequest(service="number", value=client.credit_services()[1].values[0])

    priced = client.credit_order(wanted.model_copy(update={"dryrun": True}))
    ordered = client.credit_order(wanted)
    cancelled = client.credit_cancel(ordered.order_id)

    assert (priced.order_id, priced.price) == (None, "250.00")
    assert cancelled.order_id == ordered.order_id
    assert cancelled.ts_cancelled is not None
    assert client.credit().credit_czk == "750.00"


def test_what_can_not_be_ordered_is_told_apart(service, client, connect):
    service.open_account("the-key-of-a-poor-account", credit=0)
    number = OrderRequest(service="number", value="447700900101")
    client.credit_order(number)

    with pytest.raises(Conflict):
        connect("the-key-of-a-poor-account").credit_order(number)
    with pytest.raises(Refused) as refused:
        connect("the-key-of-a-poor-account").credit_order(OrderRequest(service="name", value="Shop"))
    with pytest.raises(NotFound):
        client.credit_cancel("nobodys-order")

    assert refused.value.status == 402


def test_the_low_credit_alert_is_set_and_told(service, client):
    service.api.post("/v1/apikey/update", json={"default_callback_url": "http://127.0.0.1:9", "note": ""})

    answered = client.set_credit_alert(CreditAlertUpdate(email="owner@example.com", value="12.50"))

    assert answered == client.credit_alert()
    assert (answered.email, answered.value, answered.enable) == ("owner@example.com", "12.50", True)


@pytest.mark.parametrize("name", ["opt_out", "blacklist"])
def test_a_list_is_filled_downloaded_shortened_and_emptied(client, name):
    add, address, remove = (getattr(client, f"{name}{what}") for what in ("", "_address", "_remove"))
    add(["420777123456", "420777123457", "420777123458"])

    removed = remove(ListRemoval(to="420777123456\nnobody"))
    file = httpx.get(address()).text
    wiped = remove(ListRemoval(all=True))

    assert (removed.removed, removed.remaining, removed.invalid, removed.wiped) == (1, 2, ["nobody"], None)
    assert [line[:12] for line in file.splitlines()[1:]] == ["420777123457", "420777123458"]
    assert (wiped.wiped, wiped.removed) == (True, None)
    with pytest.raises(NotFound):
        address()
