"""A worker that is stopped while it sends, and a deployment that is started twice: everybody has one message."""

import os
import signal
import uuid

import pytest
from builders import SOCKETS_OF_PREFECT
from segment_provider import SegmentProvider
from sending_flows import by_calls, stage_at
from work_pools import deploy, in_the_client, new_pool, start_run, wait_until, worker_of

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(600)]

CAMPAIGN = "flows.campaign.send_campaign"


def test_a_worker_stopped_by_sigterm_and_a_deployment_started_twice(prefect, tmp_path):
    provider = SegmentProvider(tells_lists=True, seconds_a_send=2.0)  # 900 people take 20 seconds
    with (
        new_pool() as pool,
        stage_at(provider, f"sqlite:///{tmp_path / 'ledger.sqlite3'}", f"worker-{uuid.uuid4().hex[:6]}") as stage,
    ):
        work = by_calls(stage, "worked")
        assert deploy(prefect, pool).returncode == 0

        with worker_of(pool, prefect, tmp_path) as stopped:
            for _ in range(2):
                start_run(pool, CAMPAIGN, work.parameters)
            wait_until(lambda: len(provider.sent))
            os.kill(stopped.pid, signal.SIGTERM)
            stopped.wait(90)
        assert provider.copies.total() < len(work.people)

        provider.seconds_a_send = 0.05
        stage.let_leases_end()
        with worker_of(pool, prefect, tmp_path):
            again = start_run(pool, CAMPAIGN, work.parameters)
            wait_until(lambda: is_completed(again), 180)

    assert work.outcome(stage) == work.done


def is_completed(run_id):
    state = in_the_client(lambda client: client.read_flow_run(run_id)).state
    assert not state.is_final() or state.is_completed(), state
    return state.is_final()
