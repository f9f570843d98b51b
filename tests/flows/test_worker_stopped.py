"""A worker that is stopped while every flow sends, and each deployment started twice: everybody has one message."""

import os
import signal
import uuid

import pytest
from builders import SOCKETS_OF_PREFECT
from patient_provider import PatientProvider
from sending_flows import a_second_try, a_segment, a_wave, by_calls, stage_at
from work_pools import deploy, in_the_client, new_pool, start_run, wait_until, worker_of

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(900)]

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


@pytest.fixture
def pool(prefect):
    """A pool to which everything is deployed."""
    with new_pool() as name:
        assert deploy(prefect, name).returncode == 0
        yield name


def test_a_worker_stopped_while_every_flow_sends_and_each_deployment_started_twice(
    provider, stage, pool, prefect, tmp_path
):
    works = [make(stage, f"worked-{number}") for number, make in enumerate(A_WORK_OF_EVERY_FLOW)]
    before = taken(stage, works)
    provider.held = True
    with worker_of(pool, prefect, tmp_path) as stopped:
        for work in works:
            start_run(pool, work.entrypoint, work.parameters)
        wait_until(lambda: all(now > was for now, was in zip(taken(stage, works), before, strict=True)), 300)
        os.kill(stopped.pid, signal.SIGTERM)
        stopped.wait(90)
    provider.held = False
    assert all(now < work.each * len(work.people) for now, work in zip(taken(stage, works), works, strict=True))

    stage.let_leases_end()
    with worker_of(pool, prefect, tmp_path):
        runs = [start_run(pool, work.entrypoint, work.parameters) for work in works for _ in range(2)]
        wait_until(lambda: all(map(has_ended, runs)), 300)

    assert [work.outcome(stage) for work in works] == [work.done for work in works]


def taken(stage, works):
    """How many messages of each work the provider has."""
    return [stage.taken(work.mark).total() for work in works]


def has_ended(run_id):
    """Whether it has, in whatever state: the second of two gives up when the first one takes long."""
    return in_the_client(lambda client: client.read_flow_run(run_id)).state.is_final()
