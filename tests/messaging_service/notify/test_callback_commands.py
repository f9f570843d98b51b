"""What was given up, shown and replayed on the command line."""

import json

import pytest
from notifying import moves_to
from sqlalchemy import update
from typer.testing import CliRunner

from messaging_service.notify.commands import app
from messaging_service.store.tables import callbacks


@pytest.fixture
def dovecote(outbox, monkeypatch):
    """Run a command on the store of the outbox."""
    url = outbox.store.engine.url.set(drivername="sqlite" if outbox.store.is_sqlite else "postgresql")
    monkeypatch.setenv("DOVECOTE_DATABASE", url.render_as_string(hide_password=False))
    return lambda *arguments: CliRunner().invoke(app, arguments)


@pytest.fixture
def given_up(outbox):
    """Two deliveries of two keys, given up."""
    outbox.write([*moves_to("http://receiver.example/a"), *moves_to("http://receiver.example/b", key_id=2)])
    with outbox.store.writing() as connection:
        connection.execute(update(callbacks).values(due_at=None, attempts=5, last_error="status 500"))
    return [*outbox.failed(1), *outbox.failed(2)]


def test_what_was_given_up_is_shown_with_its_reason(dovecote, given_up):
    rows = json.loads(dovecote("failed", "--json").stdout)

    assert [row["delivery_id"] for row in rows] == [each["delivery_id"] for each in given_up]
    assert {row["error"] for row in rows} == {"status 500"}
    assert {row["attempts"] for row in rows} == {5}


def test_one_delivery_is_replayed(outbox, dovecote, given_up):
    done = dovecote("replay", given_up[1]["delivery_id"])

    assert done.stdout == "Deliveries to be made again: 1.\n"
    assert (len(outbox.failed(1)), len(outbox.failed(2))) == (1, 0)


def test_all_deliveries_are_replayed(dovecote, given_up):
    done = dovecote("replay", "--all")

    assert done.stdout == f"Deliveries to be made again: {len(given_up)}.\n"
    assert dovecote("failed").stdout == "No delivery was given up.\n"


@pytest.mark.usefixtures("given_up")
@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["some-id", "--all"], 2), (["--key", "nobody"], 1)])
def test_nothing_is_replayed_by_accident(outbox, dovecote, arguments, code):
    done = dovecote("replay", *arguments)

    assert done.exit_code == code
    assert done.output.count("\n") == 1
    assert len(outbox.failed(1)) == 1
