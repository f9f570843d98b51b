"""Workers that are stopped, processes that are killed or hang while flows send: everybody has one message."""

import asyncio
import os
import signal
import uuid
from functools import partial

import pytest
from builders import SOCKETS_OF_PREFECT
from operations import NOTICE_HANGING, RUN_AGAIN, hurry, mail_about, told_by_mail
from patient_provider import PatientProvider
from sending_flows import a_second_try, a_segment, a_wave, by_calls, stage_at
from work_pools import deploy, in_the_client, new_pool, processes_of, start_run, wait_until, worker_of

from flows.sending.outbox import CALLS_IN_FLIGHT

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(900)]

BEATS_EVERY_SECONDS = 30
"""Prefect allows no less."""
SILENT_FOR_SECONDS = 75
"""Longer than Prefect's server is deaf when it locks itself, as it does over SQLite on a busy machine."""
RUNS_AT_ONCE = "4"
"""When more begin at once, Prefect's server over SQLite locks itself for a minute."""
PEOPLE_A_CALL = 10
A_WORK_OF_EVERY_FLOW = [by_calls, a_wave, a_segment, a_second_try]


@pytest.fixture
def provider():
    return PatientProvider(tells_lists=True)


@pytest.fixture
def stage(provider, prefect, tmp_path, monkeypatch):  # noqa: ARG001  (where the block is)
    ledger = f"sqlite:///{tmp_path / 'ledger.sqlite3'}"
    monkeypatch.setenv("DOVECOTE_LEDGER", ledger)
    with stage_at(provider, ledger, f"worker-{uuid.uuid4().hex[:6]}") as opened:
        yield opened


@pytest.fixture(scope="module")
def pool(prefect_server):
    """A pool to which everything is deployed."""
    with new_pool() as name:
        assert deploy(prefect_server, name).returncode == 0
        yield name


@pytest.fixture
def start_worker(pool, prefect, tmp_path):
    return partial(worker_of, pool, prefect, tmp_path)


def test_a_worker_stopped_while_every_flow_sends_and_each_deployment_started_twice(provider, stage, pool, start_worker):
    works = [make(stage, f"worked-{number}") for number, make in enumerate(A_WORK_OF_EVERY_FLOW)]
    before = taken(stage, works)
    provider.held = True
    with start_worker() as stopped:
        for work in works:
            start_run(pool, work.entrypoint, work.parameters)
        wait_until(lambda: all(now > was for now, was in zip(taken(stage, works), before, strict=True)), 300)
        os.kill(stopped.pid, signal.SIGTERM)
        stopped.wait(90)
    provider.held = False
    assert all(now < work.each * len(work.people) for now, work in zip(taken(stage, works), works, strict=True))

    stage.let_leases_end()
    with start_worker("--limit", RUNS_AT_ONCE):
        runs = [start_run(pool, work.entrypoint, work.parameters) for work in works for _ in range(2)]
        wait_until(lambda: all(map(has_ended, runs)), 300)

    assert [work.outcome(stage) for work in works] == [work.done for work in works]


@pytest.fixture
def mails(prefect, monkeypatch):  # noqa: ARG001  (where the automations are)
    """The mail server of operations, whom the automations tell; they wait less for a run to beat than they do."""
    monkeypatch.setenv("PREFECT_FLOWS_HEARTBEAT_FREQUENCY", str(BEATS_EVERY_SECONDS))
    with told_by_mail() as server:
        asyncio.run(hurry(RUN_AGAIN))
        asyncio.run(hurry(NOTICE_HANGING, SILENT_FOR_SECONDS))
        yield server


def test_a_killed_run_and_a_hanging_one_are_run_again_once_and_what_hung_may_wake_up_later(
    provider, stage, pool, mails, start_worker
):
    works = [by_calls(stage, "killed"), a_segment(stage, "hung"), by_calls(stage, "well")]
    provider.held = True
    with start_worker():
        killed, hung = [start_run(pool, work.entrypoint, work.parameters) for work in works[:2]]
        wait_until(lambda: taken(stage, works[:2]) == [CALLS_IN_FLIGHT * PEOPLE_A_CALL] * 2, 300)
        hanging = processes_of(hung)
        send_signal(hanging, signal.SIGSTOP)
        send_signal(processes_of(killed), signal.SIGKILL)
        provider.held = False
        well = start_run(pool, works[2].entrypoint, works[2].parameters)
        runs = [wait_until(lambda each=each: completed(each), 300) for each in (well, killed, hung)]
        told = mail_about(mails, "sync-segment was not heard of")
        assert set(hanging) <= set(processes_of(hung))
        send_signal(hanging, signal.SIGCONT)
        wait_until(lambda: not processes_of(hung))

    assert [run.run_count for run in runs] == [1, 2, 2]
    assert [work.outcome(stage) for work in works] == [work.done for work in works]
    assert f"{runs[2].name} counts as crashed" in told
    alarms = {mail["Subject"] for mail in mails.mails if "was not heard of" in mail["Subject"]}
    assert alarms == {"sync-segment was not heard of for 90 seconds"}


def send_signal(processes, sent):
    for each in processes:
        os.kill(each, sent)


def completed(run_id):
    """The run, when it is."""
    run = in_the_client(lambda client: client.read_flow_run(run_id))
    return run if run.state.is_completed() else None


def taken(stage, works):
    """How many messages of each work the provider has."""
    return [stage.taken(work.mark).total() for work in works]


def has_ended(run_id):
    """Whether it has, in whatever state: the second of two gives up when the first one takes long."""
    return in_the_client(lambda client: client.read_flow_run(run_id)).state.is_final()
