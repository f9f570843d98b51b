"""``dovecote segment sync`` on a Prefect server that serves the flow."""

import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import httpx
import pytest
from builders import SOCKETS_OF_PREFECT, number
from flow_facts import forget_deployments
from segment_provider import SegmentProvider
from serving import served
from typer.testing import CliRunner

from deployments.flow_runs import FlowRun, prefect_server
from deployments.problems import CannotRun
from deployments.segment_commands import app
from flows.blocks import MessagingAccount

pytestmark = SOCKETS_OF_PREFECT


@pytest.fixture(autouse=True)
def nothing_deployed(prefect):  # noqa: ARG001  (where it would be)
    forget_deployments()
    yield
    forget_deployments()


@pytest.fixture
def provider():
    return SegmentProvider(segments={"s1": ("Spring sale", [number(1), number(2)])})


@pytest.fixture
def account(prefect, provider):  # noqa: ARG001  (where the block is saved)
    name = f"command-{uuid.uuid4().hex[:8]}"
    with served(provider.app) as address:
        urls = {"messaging_url": f"{address}/v2", "rest_url": f"{address}/v1"}
        MessagingAccount(api_key="secret-key", honours_idempotency_key=True, **urls).save(name)
        yield name


@pytest.fixture
def sync(account, prefect):
    named = ["sync", account, "--account", account, "--connector", "demo", "--user", "me", "--segment", "spring sale"]
    environment = {"PREFECT_API_URL": prefect}
    return lambda *options: CliRunner().invoke(app, [*named, *options], env=environment)


@pytest.fixture
def serving(prefect, tmp_path):
    environment = {**os.environ, "PREFECT_API_URL": prefect, "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
    ledger = {"DOVECOTE_LEDGER": f"sqlite:///{tmp_path / 'ledger.sqlite3'}"}
    command = [sys.executable, Path(__file__).with_name("serve_flow.py"), "flows.segments:sync_segment"]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment | ledger, stdout=log, stderr=log)
    yield process
    process.send_signal(signal.SIGINT)
    process.wait(60)
    found = httpx.get(f"{prefect}/deployments/name/sync-segment/tests", timeout=30).json()
    httpx.delete(f"{prefect}/deployments/{found['id']}", timeout=30).raise_for_status()


def until_served(sync, *options):
    ended = sync(*options)
    while "has no deployment of the flow" in ended.stderr:
        ended = sync(*options)
    return ended


@pytest.mark.usefixtures("serving")
def test_the_run_s_figures_are_shown_as_a_table_and_as_json_and_its_failure_as_one_sentence(sync, provider):
    shown = until_served(sync, "--text", "Welcome", "--follow-minutes", "0")
    provider.segments["s1"] = ("Spring sale", [number(1), number(2), number(3)])
    counted = sync("--text", "Welcome", "--follow-minutes", "0", "--cap", "5/7", "--hours", "00:00-24:00", "--json")
    provider.segments["s1"] = ("Spring sale", [number(1)])
    failed = sync("--text", "Welcome")

    assert shown.exit_code == 0, shown.output
    assert "Spring sale" in shown.stdout
    figures = json.loads(counted.stdout)
    assert (figures["members"], figures["joined"], figures["accepted"]) == (3, 1, 1)
    assert failed.exit_code == 1
    assert failed.stderr.startswith("The segment of ")
    assert "had 3 members and now has 1" in failed.stderr
    assert provider.copies == {number(1): 1, number(2): 1, number(3): 1}


def test_a_run_that_is_only_started_is_named_by_its_address_or_as_json(sync, prefect):
    with httpx.Client(base_url=prefect, timeout=30) as client:
        flow = client.post("/flows/", json={"name": "sync-segment"}).json()
        client.post("/deployments/", json={"name": "nobody-serves", "flow_id": flow["id"]}).raise_for_status()

    address = sync("--text", "Welcome", "--no-wait").stdout
    run = json.loads(sync("--text", "Welcome", "--no-wait", "--json").stdout)

    runs = f"{prefect.removesuffix('/api')}/runs/flow-run/"
    assert address.startswith(runs)
    assert run == {"run": run["run"], "address": f"{runs}{run['run']}"}


def test_without_a_deployment_it_says_what_to_start(sync):
    ended = sync("--text", "Welcome")

    assert ended.exit_code == 1
    assert "no deployment of the flow 'sync-segment'; start 'dovecote up'" in ended.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--text", ""], "Give the text"),
        (["--text", "x", "--cap", "5"], "such as 2/7"),
        (["--text", "x", "--cap", "0/7"], "greater than or equal to 1"),
        (["--text", "x", "--hours", "9"], "such as 09:00-20:00"),
        (["--text", "x", "--hours", "9-20"], "--hours"),
        (["--text", "x", "--send-to", "some"], "'new', 'all', 'left' or 'nobody'"),
        (["--text", "x", "--may-shrink-by", "2"], "--may-shrink-by"),
    ],
)
def test_wrong_usage_names_the_option(sync, options, sentence):
    ended = sync(*options)

    assert ended.exit_code == 2
    assert sentence in " ".join(ended.stderr.replace("│", " ").split())


def test_a_server_that_is_not_there_is_one_sentence(sync):
    ended = sync("--text", "x", "--prefect", "http://127.0.0.1:1/api")

    assert (ended.exit_code, "doesn't answer" in ended.stderr) == (1, True)


def test_a_run_that_left_no_report_is_one_sentence(prefect):
    with httpx.Client(base_url=prefect, timeout=30) as client:
        flow = client.post("/flows/", json={"name": "left-nothing"}).json()
        run = client.post("/flow_runs/", json={"flow_id": flow["id"]}).json()
        client.post("/artifacts/", json={"flow_run_id": run["id"], "data": "of Prefect"}).raise_for_status()

    server = prefect_server(prefect)

    with pytest.raises(CannotRun, match="The run left no report"):
        FlowRun(server, run["id"]).rows("-figures")
    server.close()
