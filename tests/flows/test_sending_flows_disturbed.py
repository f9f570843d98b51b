"""Every flow that sends, whatever happens around it: everybody has exactly one message, and the ledger agrees."""

import signal
import time
import uuid
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_process import FlowProcess
from patient_provider import PatientProvider
from segment_provider import SegmentProvider
from sending_flows import SENDING_FLOWS, by_files, stage_at

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(600)]

BURSTS = ["throttle"] * 4 + ["unavailable"] * 4


def each_flow(*, also_on_postgresql):
    """Every flow over a ledger on SQLite, and one on PostgreSQL."""
    works = [("sqlite", make) for make in SENDING_FLOWS.values()] + [("postgresql", SENDING_FLOWS[also_on_postgresql])]
    names = [*SENDING_FLOWS, f"{also_on_postgresql}, PostgreSQL"]
    return pytest.mark.parametrize(("ledger_address", "make_work"), works, ids=names, indirect=["ledger_address"])


@pytest.fixture
def provider(request):
    honours_keys = getattr(request, "param", False)
    return SegmentProvider(honours_idempotency_key=honours_keys, tells_lists=True, seconds_a_send=0.05)


@pytest.fixture
def stage(provider, prefect, ledger_address, monkeypatch):  # noqa: ARG001  (where the block is)
    monkeypatch.setenv("DOVECOTE_LEDGER", ledger_address)
    with stage_at(provider, ledger_address, f"disturbed-{uuid.uuid4().hex[:6]}") as opened:
        yield opened


@pytest.fixture
def process_of(stage, prefect, tmp_path):
    """Makes the processes of flows."""

    def make(work, log="log"):
        environment = {"PREFECT_API_URL": prefect, "DOVECOTE_LEDGER": stage.ledger}
        return FlowProcess(work.flow, work.parameters, environment, tmp_path / log)

    return make


@each_flow(also_on_postgresql="send_campaign, by calls")
@pytest.mark.parametrize("provider", [True, False], ids=["honours keys", "knows no keys"], indirect=True)
def test_answers_that_are_lost_and_bursts_of_429_and_503(stage, provider, make_work, process_of):
    work = make_work(stage, "lossy")
    # Files go by a call or two at a time: each refusal is waited for longer than the one before.
    bursts = BURSTS[::2] if make_work is by_files else BURSTS
    provider.faults = deque([*bursts, "lose answer", "fail after accepting", "lose answer", *bursts])
    provider.upload_faults = deque(["lose answer", "fail after accepting"])
    process = process_of(work)

    ended = process.run()

    assert ended == 0, process.log.read_text()[-4000:]
    assert {"throttle", "unavailable", "lose answer", "fail after accepting"} <= set(provider.suffered)
    assert work.outcome(stage) == work.done


@each_flow(also_on_postgresql="sync_segment")
def test_a_run_that_is_stopped_by_sigterm_and_run_again(stage, make_work, process_of):
    work = make_work(stage, "stopped")
    process = process_of(work)
    before = stage.taken(work.mark).total()

    process.start()
    while stage.taken(work.mark).total() == before:
        time.sleep(0.01)
    process.running.send_signal(signal.SIGTERM)
    process.running.wait(60)
    stage.let_leases_end()
    ended = process.run()

    assert ended == 0, process.log.read_text()[-4000:]
    assert work.outcome(stage) == work.done


@each_flow(also_on_postgresql="send_campaign, by files")
def test_the_same_run_started_twice_at_once(stage, make_work, process_of):
    work = make_work(stage, "twice")
    both = [process_of(work, log) for log in ("first", "second")]

    with ThreadPoolExecutor(2) as pool:
        ended = list(pool.map(FlowProcess.run, both))

    assert ended == [0, 0], "".join(one.log.read_text()[-4000:] for one in both)
    assert work.outcome(stage) == work.done


@pytest.mark.parametrize("ledger_address", ["postgresql"], indirect=True)
def test_a_prefect_server_that_is_killed_and_started_again_while_every_flow_runs(
    own_prefect, ledger_address, tmp_path, monkeypatch
):
    monkeypatch.setenv("DOVECOTE_LEDGER", ledger_address)
    environment = {"PREFECT_API_URL": own_prefect.api, "DOVECOTE_LEDGER": ledger_address}
    provider = PatientProvider(tells_lists=True)
    with stage_at(provider, ledger_address, "restarted") as stage:
        works = [make(stage, f"restarted-{number}") for number, make in enumerate(SENDING_FLOWS.values())]
        before = [stage.taken(work.mark).total() for work in works]
        processes = [FlowProcess(one.flow, one.parameters, environment, tmp_path / one.mark) for one in works]
        provider.held = True
        for each in processes:
            each.start()
        while any(stage.taken(work.mark).total() == was for work, was in zip(works, before, strict=True)):
            assert all(each.running.poll() is None for each in processes)
            time.sleep(0.05)

        own_prefect.kill()
        provider.held = False
        own_prefect.start()

        ended = [each.running.wait(180) for each in processes]
        assert ended == [0] * len(processes), "".join(one.log.read_text()[-2000:] for one in processes)
        assert [work.outcome(stage) for work in works] == [work.done for work in works]
