"""The flow ``sync_suppressions`` on a real Prefect server: a file and a list say the same, and nobody is surprised."""

import asyncio
import uuid

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import artifact_data, events_about, table_of
from lists_provider import ListsProvider
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName
from prefect.flow_runs import aresume_flow_run
from pydantic import ValidationError
from serving import served

from flows.blocks import MessagingAccount
from flows.listed_numbers import difference, listed_in
from flows.problems import FlowProblem
from flows.suppressions import ADD, ASK, AT_ONCE, BOTH, EXPORT, MIRROR, SHOW, Suppressions, sync_suppressions
from interface.errors import Forbidden

pytestmark = SOCKETS_OF_PREFECT


@pytest.fixture
def provider():
    return ListsProvider()


@pytest.fixture
def address(provider):
    with served(provider.app) as address:
        yield address


@pytest.fixture
def name(prefect, address):  # noqa: ARG001  (where the block is saved)
    unique = f"lists-{uuid.uuid4().hex[:8]}"
    MessagingAccount(api_key="secret-key", rest_url=f"{address}/v1").save(unique)
    return unique


@pytest.fixture
def sync(name, monkeypatch, tmp_path):
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")

    def run(**wishes):
        return asyncio.run(sync_suppressions(Suppressions(account=name, **wishes)))

    return run


@pytest.fixture
def crm(tmp_path):
    """An export with two usable numbers and a line without one."""
    path = tmp_path / "crm.csv"
    path.write_text("name;mobile\nAda;+420 777 000 001\nEve;777 000 002\nBob;none\nAda again;00420777000001\n")
    return str(path)


def test_the_numbers_of_a_file_are_added_and_none_is_removed(sync, provider, name, crm, prefect):
    provider.lists["optout"] = {"420777000002", "420777000003"}

    report = sync(source=crm, direction=ADD, change=AT_ONCE)

    assert provider.lists["optout"] == {"420777000001", "420777000002", "420777000003"}
    assert (report.in_file, report.left_out, report.on_list, report.on_both) == (2, 1, 2, 1)
    assert (report.added, report.removed, report.changed) == (1, 0, True)
    assert {"what": "To add", "figure": 1} in table_of(f"opt-out-list-{name}-difference")
    assert "**New lines**: 2" in artifact_data(f"opt-out-list-{name}-lines")
    assert "777000" not in artifact_data(f"opt-out-list-{name}-lines")
    assert events_about(prefect, f"dovecote.account.{name}", 1)[0]["payload"]["added"] == 1


def test_the_second_time_there_is_nothing_to_do(sync, provider, crm):
    sync(source=crm, change=AT_ONCE, which="blacklist")
    calls = provider.calls.copy()

    report = sync(source=crm, change=AT_ONCE, which="blacklist")

    assert (report.added, report.removed, report.changed) == (0, 0, False)
    assert provider.calls == calls
    assert provider.lists["blacklist"] == {"420777000001", "420777000002"}


def test_made_equal_the_list_loses_who_is_not_in_the_file(sync, provider, address):
    provider.lists["optout"] = {"420777000001", "420777000003"}
    provider.files["crm.jsonl"] = '"+420 777 000 001"\n"777000002"\n'

    report = sync(source=f"{address}/files/crm.jsonl", direction=MIRROR, change=AT_ONCE, at_most_removed_percent=50)

    assert provider.lists["optout"] == {"420777000001", "420777000002"}
    assert (report.added, report.removed) == (1, 1)


def test_a_file_that_was_cut_off_takes_nobody_off_the_list(sync, provider, crm):
    provider.lists["optout"] = {f"4207770000{index:02}" for index in range(1, 21)}
    before = set(provider.lists["optout"])

    with pytest.raises(FlowProblem, match=r"18 of 20 numbers \(90 %\) would leave the opt-out list, more than"):
        sync(source=crm, direction=MIRROR, change=AT_ONCE)

    assert provider.lists["optout"] == before


def test_shown_only_it_changes_nothing(sync, provider, name, crm):
    report = sync(source=crm, change=SHOW)

    assert (provider.lists["optout"], report.changed) == (set(), False)
    assert {"what": "To add", "figure": 2} in table_of(f"opt-out-list-{name}-difference")


@pytest.mark.parametrize(("answer", "listed"), [(True, {"420777000001", "420777000002"}), (False, set())])
def test_a_person_decides(provider, name, crm, monkeypatch, tmp_path, answer, listed):  # noqa: PLR0913, PLR0917
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")

    report = asyncio.run(sync_and_answer(Suppressions(account=name, source=crm, change=ASK), proceed=answer))

    assert provider.lists["optout"] == listed
    assert report.changed is answer


async def sync_and_answer(wishes, proceed):
    running = asyncio.create_task(sync_suppressions(wishes))
    async with get_client() as client:
        run = await paused_run(client, f"opt-out list-of-{wishes.account}")
        await aresume_flow_run(run.id, run_input={"proceed": proceed})
    return await running


async def paused_run(client, name):
    for _ in range(300):
        found = await client.read_flow_runs(flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[name])))
        if found and found[0].state.is_paused():
            return found[0]
        await asyncio.sleep(0.1)
    raise TimeoutError(name)


def test_a_list_is_written_to_a_file_that_only_its_owner_reads(sync, provider, tmp_path):
    provider.lists["optout"] = {"420777000002", "420777000001"}
    path = tmp_path / "out" / "opted-out.csv"

    report = sync(direction=EXPORT, write_to=str(path))

    assert path.read_text() == "phone_number\n420777000001\n420777000002\n"
    assert path.stat().st_mode & 0o777 == 0o600
    assert (report.written, report.changed) == (2, True)


def test_both_ways_each_side_gets_what_it_lacks(sync, provider, crm, tmp_path):
    provider.lists["optout"] = {"420777000009"}
    path = tmp_path / "all.csv"

    sync(source=crm, direction=BOTH, write_to=str(path), change=AT_ONCE)

    everybody = {"420777000001", "420777000002", "420777000009"}
    assert provider.lists["optout"] == everybody
    assert set(path.read_text().split()[1:]) == everybody


def test_a_refusal_names_the_call_and_what_to_do(sync, provider, crm):
    provider.faults.append(403)

    with pytest.raises(Forbidden, match=r"POST /optout failed with status 403: Not now\. The key's scope"):
        sync(source=crm, change=AT_ONCE)


@pytest.mark.parametrize("wishes", [{}, {"direction": EXPORT}, {"direction": BOTH, "source": "x"}])
def test_what_a_direction_needs_is_asked_for(wishes):
    with pytest.raises(ValidationError, match="Give the"):
        Suppressions(**wishes)


@pytest.mark.parametrize(
    "written",
    ["phone_number\n420777000001\n", "420777000001\n", "id;phone\n1,420777000001\n", "subid,to\ndefault,+420777000001"],
)
def test_a_list_is_read_with_a_header_or_without(written):
    assert listed_in(written) == {"420777000001"}


def test_another_difference_is_another_question():
    one = difference({"1", "2"}, {"2"}, removing=True)

    assert one.digest == difference({"2", "1"}, {"2"}, removing=False).digest
    assert one.digest != difference({"1", "2"}, {"2", "3"}, removing=True).digest
