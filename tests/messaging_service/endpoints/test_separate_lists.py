"""A sub-key with credit of its own is another customer: it neither sees nor changes the account's lists."""

import httpx
import pytest

from interface.flow_steps import Channel
from messaging_service.channels.channel import Inbound
from messaging_service.inbound.recorder import InboundRecorder
from messaging_service.store import wallets
from messaging_service.store.tables import keys

OURS, THEIRS = "420777123456", "420777123457"


@pytest.fixture
def customer(service):
    """A client of a sub-key with a wallet of its own, which isn't empty."""
    client = service.client(service.api.post("/v1/apikey/add", json={"shared": False}).json()["apikey"])
    with service.store.writing() as connection:
        row = connection.execute(keys.select().order_by(keys.c.id.desc()).limit(1)).mappings().one()
        wallets.credit(connection, row["wallet_id"], 1_000_000_000)
    return client


def add(client, number, name="optout", **more):
    return client.post(f"/v1/{name}", json={"to": number, **more})


def listed(client, **query):
    answer = client.get("/v1/optout", params=query)
    if answer.status_code == 404:
        return []
    return [line.split(",")[0] for line in httpx.get(answer.json()["url"]).text.splitlines()[1:]]


def fate(service, client, number):
    sent = client.post("/v2/message", json={"to": [{"phone_number": number}], "body": "Hello"}).json()
    message_id = sent["accepted"][0]["message_id"]

    def final():
        record = client.get("/v1/message", params={"id": message_id}).json()["message"]
        return record if record["delivery_code"] or record["status_code"] not in {"100", "200"} else None

    return service.wait_until(final)["status_info"][:5]


def test_a_customer_and_the_account_see_their_own_numbers_only(service, customer):
    add(service.api, OURS)
    add(customer, THEIRS)

    assert (listed(service.api), listed(customer)) == ([OURS], [THEIRS])
    assert listed(service.api, subid="sub-1") == [THEIRS]


def test_a_customer_empties_its_own_list_only(service, customer):
    add(service.api, OURS)
    add(customer, THEIRS)

    customer.request("DELETE", "/v1/optout", json={"all": True})

    assert (listed(service.api), listed(customer)) == ([OURS], [])


def test_the_list_of_a_customer_holds_for_it_alone_and_that_of_the_account_for_both(service, customer):
    add(service.api, OURS)
    add(customer, THEIRS)

    assert [fate(service, client, number) for client in (service.api, customer) for number in (OURS, THEIRS)] == [
        "[304]",
        "[0] D",
        "[304]",
        "[304]",
    ]


def test_who_writes_stop_to_a_customer_is_on_its_list_until_they_write_start(service, customer):
    fate(service, customer, OURS)

    def write(word):
        inbound = Inbound(f"operator:{word}", Channel.SMS, OURS, "Dovecote", word, service.clock.now())
        InboundRecorder(service.store, service.clock).record([inbound])
        return listed(service.api), listed(customer)

    assert write("STOP") == ([], [OURS])
    assert write("START") == ([], [])


def test_a_sub_key_that_shares_the_credit_works_on_the_list_of_the_account(service):
    shared = service.client(service.api.post("/v1/apikey/add", json={"shared": True}).json()["apikey"])

    add(shared, OURS)

    assert listed(service.api) == listed(shared) == [OURS]
