import json

import pytest
from notifying import content, move, moves_to
from sqlalchemy import select

from messaging_service.notify.delivery import MAX_SIZE
from messaging_service.notify.outbox import receiver_of
from messaging_service.store import callbacks
from messaging_service.store.tables import callbacks as table

RECEIVER = receiver_of(1, "http://receiver.test/callbacks")
URL = "http://receiver.test/callbacks"


def rows(outbox):
    with outbox.store.reading() as connection:
        return connection.execute(select(table).order_by(table.c.id)).mappings().all()


def test_events_of_one_address_travel_in_arrays_of_at_most_a_hundred(outbox):
    count = outbox.write(moves_to(URL, 250))

    assert count == 3
    assert [len(json.loads(row["events"])) for row in rows(outbox)] == [100, 100, 50]
    assert [row["event_count"] for row in rows(outbox)] == [100, 100, 50]


def test_each_key_and_address_gets_its_own_array(outbox):
    other = "http://other.test/"

    count = outbox.write([*moves_to(URL), *moves_to(other), *moves_to(URL, key_id=2), *moves_to(URL)])

    assert count == 3
    assert [(row["key_id"], row["url"], row["event_count"]) for row in rows(outbox)] == [
        (1, URL, 2),
        (1, other, 1),
        (2, URL, 1),
    ]


def test_long_payloads_make_shorter_arrays(outbox):
    payload = json.dumps({"text": "x" * (MAX_SIZE // 3)})

    outbox.write([move(content=content(payload=payload)) for _ in range(5)])

    assert [row["event_count"] for row in rows(outbox)] == [2, 2, 1]


def test_nothing_to_tell_writes_nothing(outbox):
    assert outbox.write([move(content=content(callback=None))]) == 0
    assert rows(outbox) == []


@pytest.mark.parametrize(
    ("url", "receiver"),
    [
        ("http://User:secret@Receiver.test/a?token=b#c", "7 http://receiver.test"),
        ("https://receiver.test:8443/other", "7 https://receiver.test:8443"),
        ("http://[::1", "7 invalid"),
    ],
)
def test_addresses_on_one_host_and_port_are_one_receiver(url, receiver):
    assert receiver_of(7, url) == receiver


def test_a_claim_hides_a_delivery_until_its_lease_ends(outbox):
    outbox.write(moves_to(URL))

    (first,) = outbox.claim({RECEIVER: 4})
    meanwhile = outbox.claim({RECEIVER: 4})
    outbox.clock.advance(61)
    (again,) = outbox.claim({RECEIVER: 4})

    assert meanwhile == []
    assert (again.delivery_id, again.body, again.attempt) == (first.delivery_id, first.body, 2)


def test_small_deliveries_to_one_address_become_one(outbox):
    for _ in range(3):
        outbox.write(moves_to(URL, 2))

    (delivery,) = outbox.claim({RECEIVER: 4})

    (row,) = rows(outbox)
    assert len(json.loads(delivery.body)) == 6
    assert row["events"].encode() == delivery.body
    assert (row["event_count"], row["size"]) == (6, len(delivery.body))


def test_deliveries_to_different_addresses_of_a_receiver_stay_apart(outbox):
    outbox.write(moves_to(URL))
    outbox.write(moves_to(URL + "?two"))

    claimed = outbox.claim({RECEIVER: 4})

    assert sorted(each.url for each in claimed) == [URL, URL + "?two"]


def test_a_delivery_that_was_attempted_stays_as_it_is(outbox):
    outbox.write(moves_to(URL))
    (first,) = outbox.claim({RECEIVER: 4})
    with outbox.store.writing() as connection:
        callbacks.release(connection, [first], outbox.clock.now())
    outbox.write(moves_to(URL, 2))

    claimed = outbox.claim({RECEIVER: 4})

    assert [len(json.loads(each.body)) for each in claimed] == [1, 2]
    assert claimed[0].delivery_id == first.delivery_id
    assert claimed[0].attempt == 1


def test_a_receiver_gets_no_more_than_its_room(outbox):
    outbox.write(moves_to(URL, 500))

    assert len(outbox.claim({RECEIVER: 2})) == 2
    assert len(outbox.claim({RECEIVER: 2})) == 2
    assert len(outbox.claim({RECEIVER: 2})) == 1


def test_receivers_are_found_however_much_waits_for_one_of_them(outbox):
    outbox.write(moves_to(URL, 5_000))
    outbox.clock.advance(1)
    outbox.write(moves_to("http://other.test/"))

    with outbox.store.reading() as connection:
        earliest = callbacks.earliest_of_each(connection)

    now = outbox.clock.now()
    assert earliest == {RECEIVER: now - 1000, "1 http://other.test": now}


def test_an_empty_outbox_has_no_receivers(outbox):
    with outbox.store.reading() as connection:
        assert callbacks.earliest_of_each(connection) == {}


def test_a_claim_shows_no_secret_and_no_event(outbox):
    outbox.write(moves_to(URL))

    (delivery,) = outbox.claim({RECEIVER: 1})

    assert delivery.secret == "callback-secret"
    assert "callback-secret" not in repr(delivery)
    assert "420777123456" not in repr(delivery)
