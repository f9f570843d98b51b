"""The flow ``sync_segment`` on a real Prefect server, also killed at random moments."""

import asyncio
import random
import uuid

import pytest
from builders import SOCKETS_OF_PREFECT, number
from flow_facts import artifact_data, events_about, table_of
from flow_process import FlowProcess
from pydantic import ValidationError
from segment_provider import SegmentProvider
from serving import served
from sqlalchemy import update

from flows.blocks import MessagingAccount
from flows.ledger import open_ledger
from flows.ledger.segments import unfinished
from flows.ledger.tables import turns, waves
from flows.parameters import Segment
from flows.problems import FlowProblem, RecipientsProblem
from flows.segments import sync_segment
from flows.syncing import Cap, SegmentSync

pytestmark = SOCKETS_OF_PREFECT
SPRING = Segment(connector="demo", app_userid="shop", segment="Spring sale")


def people(*indexes):
    return [number(index) for index in indexes]


@pytest.fixture
def provider():
    return SegmentProvider(tells_lists=True, segments={"s1": ("Spring sale", people(1, 2)), "s2": ("Autumn", [])})


@pytest.fixture
def name(prefect, provider, tmp_path, monkeypatch):  # noqa: ARG001  (where the block is saved)
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    unique = f"segment-{uuid.uuid4().hex[:8]}"
    with served(provider.app) as address:
        save_account(unique, address)
        yield unique


def save_account(name, address, **more):
    urls = {"messaging_url": f"{address}/v2", "rest_url": f"{address}/v1"}
    MessagingAccount(api_key="secret-key", appears_within_seconds=0, **urls, **more).save(name)


def run(name, **wanted):
    asked = {"name": name, "account": name, "segment": SPRING, "text": "Welcome", "quiet_seconds": 1, **wanted}
    return asyncio.run(sync_segment(SegmentSync(**asked)))


def test_who_is_new_gets_the_text_once_and_the_members_are_remembered(name, provider):
    first = run(name)
    provider.segments["s1"] = ("Spring sale", [*people(1, 2, 3, 3), "not a number"])

    second = run(name)

    assert (first.members, first.joined, first.chosen, first.campaign.delivered) == (2, 2, 2, 2)
    assert (second.members, second.joined, second.malformed, second.chosen) == (3, 1, 1, 1)
    assert provider.copies == dict.fromkeys(people(1, 2, 3), 1)


def test_a_segment_is_found_by_its_id_too_and_one_that_is_not_there_is_named_with_those_that_are(name):
    by_id = run(name, segment=SPRING.model_copy(update={"segment": "s1"}))

    assert by_id.segment_name == "Spring sale"
    with pytest.raises(RecipientsProblem, match="no segment 'Winter'; it has: Autumn, Spring sale"):
        run("another", account=name, segment=SPRING.model_copy(update={"segment": "Winter"}))


def test_a_segment_that_shrank_stops_the_run_tells_automations_and_forgets_nobody(prefect, name, provider):
    run(name)
    provider.segments["s1"] = ("Spring sale", people(2))

    with pytest.raises(FlowProblem, match="had 2 members and now has 1"):
        run(name)
    provider.segments["s1"] = ("Spring sale", people(1, 2))
    after = run(name)

    (told,) = [
        one for one in events_about(prefect, f"dovecote.segment.{name}", 2) if one["event"] == "dovecote.segment.shrank"
    ]
    assert told["payload"] == {"name": name, "before": 2, "now": 1}
    assert (after.joined, after.chosen) == (0, 0)


def test_those_who_left_may_be_written_to_instead(name, provider):
    run(name, send_to="nobody", text="")
    provider.segments["s1"] = ("Spring sale", people(2, 3))

    run(name, send_to="left", text="Good-bye")

    assert provider.copies == {number(1): 1}


def test_opted_out_people_are_members_who_are_not_written_to(name, provider):
    provider.opted_out = frozenset(people(1))

    report = run(name)

    assert (report.members, report.suppressed, report.chosen) == (2, 1, 1)
    assert provider.copies == {number(2): 1}
    assert provider.sent[0].tag.split(",")[-1] == "promotional"


def test_a_person_gets_no_more_than_the_cap_over_all_segments(name, provider):
    run(name)
    provider.segments["s2"] = ("Autumn", people(2, 3))

    autumn = SPRING.model_copy(update={"segment": "Autumn"})
    report = run(f"{name}-2", account=name, segment=autumn, cap=Cap(messages=1, days=7))

    assert (report.capped, report.chosen) == (1, 1)
    assert provider.copies == dict.fromkeys(people(1, 2, 3), 1)


def test_the_window_goes_along_with_the_messages(name, provider):
    run(name, delivery_time={"start": "08:00", "end": "20:00", "tz": "Europe/Prague"})

    assert provider.objects[0]["delivery_time"]["tz"] == "Europe/Prague"


def test_what_could_be_sent_to_nobody_is_refused_before_the_platform_is_asked(name, provider):
    with pytest.raises(FlowProblem, match="available: phone_number"):
        run(name, text="Hello {name}")
    assert not provider.calls


def test_a_text_may_be_missing_only_when_nobody_gets_it():
    with pytest.raises(ValidationError, match="Give the text"):
        SegmentSync(name="x", segment=SPRING)


def test_the_summary_is_an_artifact_without_numbers(name):
    run(name)

    summary = artifact_data(f"segment-{name}")
    assert "| Joined | 2 |" in summary
    assert "777000001" not in summary


def test_the_figures_account_for_everybody_who_got_the_text(name, provider):
    provider.without_receipt = frozenset(people(2))

    run(name)

    (figures,) = table_of(f"segment-{name}-figures")
    assert (figures["accepted"], figures["delivered"], figures["without_receipt"]) == (2, 1, 1)
    assert "1 delivered, 0 undelivered, 1 without a receipt, 0 rejected" in artifact_data(f"segment-{name}")


MEMBERS = 60
KILLS = 2


def let_the_leases_end(address):
    book = open_ledger(address)
    with book.write() as connection:
        connection.execute(update(turns).values(held_until=0))
        connection.execute(update(waves).values(lease_until=0))
    book.close()


def process_of(name, prefect, ledger_address, log):
    wanted = SegmentSync(name=name, account=name, segment=SPRING, text="Hello {phone_number}", quiet_seconds=1)
    environment = {"DOVECOTE_LEDGER": ledger_address, "PREFECT_API_URL": prefect}
    return FlowProcess("flows.segments:sync_segment", {"segment": wanted.model_dump(mode="json")}, environment, log)


@pytest.mark.parametrize(
    ("ledger_address", "honours_keys"),
    [("sqlite", True), ("postgresql", False)],
    ids=["SQLite, provider that honours keys", "PostgreSQL, provider that knows no keys"],
    indirect=["ledger_address"],
)
def test_killed_at_random_moments_each_member_gets_one_message(prefect, ledger_address, honours_keys, tmp_path):
    provider = SegmentProvider(honours_idempotency_key=honours_keys, tells_lists=True, seconds_a_send=0.02)
    name = f"killed-{uuid.uuid4().hex[:8]}"
    process = process_of(name, prefect, ledger_address, tmp_path / "log")
    moments = iter([random.randint(1, 2 * MEMBERS // 10) for _ in range(KILLS)])
    left = [next(moments)]

    def kill_in_its_time():
        if process.running.poll() is not None:
            return  # a call of a process that was killed before
        left[0] -= 1
        if left[0] == 0:
            process.kill()

    with served(provider.app) as address:
        save_account(name, address, honours_idempotency_key=honours_keys)
        provider.on_send = kill_in_its_time
        for round_ in range(1, KILLS + 1):
            provider.segments = {"s1": ("Spring sale", people(*range(MEMBERS * round_)))}
            assert process.run() < 0
            let_the_leases_end(ledger_address)
            left[0] = next(moments, 0)

        ended = process.run()

    assert ended == 0, process.log.read_text()[-4000:]
    assert provider.copies == dict.fromkeys(people(*range(MEMBERS * KILLS)), 1)
    book = open_ledger(ledger_address)
    assert unfinished(book, name) is None
    book.close()
