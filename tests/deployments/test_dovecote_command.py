"""The command line against a real service in a process of its own."""

import json
import re
import resource
import socket
import time
from pathlib import Path

import httpx
import pytest
import sqlalchemy
from dovecote_processes import KEY, port_options
from fixed_ports import free_ports
from typer.main import get_command

from deployments.command_line import app


def commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name))


COMMANDS = list(commands(get_command(app)))
NOTICE = "simulated operator: nothing reaches a telephone"


def test_help_comes_at_once_and_loads_neither_prefect_nor_the_service(dovecote):
    before = seconds_of_processor()

    helped = dovecote.run("--help", PYTHONPROFILEIMPORTTIME="1")

    loaded = set(re.findall(r"\| +(\w+)$", helped.stderr, re.MULTILINE))
    assert seconds_of_processor() - before < 3
    assert "typer" in loaded
    assert loaded.isdisjoint({"prefect", "sqlalchemy", "uvicorn", "starlette"})
    assert all(name in helped.stdout for name in ("serve", "up", "demo", "send", "status", "listen", "keys", "credit"))
    assert "Start with: dovecote demo" in helped.stdout


def seconds_of_processor():
    """What ended processes have used: unlike the time on the clock it isn't much more on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example(dovecote, command):
    helped = dovecote.run(*command.split(), "--help")

    assert "Example" in helped.stdout


def test_every_command_is_on_its_page():
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()

    assert [command for command in COMMANDS if f"`dovecote {command}" not in page] == []


def test_a_new_service_prints_its_key_once_and_says_that_nothing_is_sent(service):
    assert service.introduction.count(service.key) == 1
    assert NOTICE in service.introduction


def test_sends_follows_and_shows_the_status(service):
    sent = service.run("send", "--to", "+420 777 123 456", "--to", "777129001", "--body", "Hello", "--follow")

    accepted = [line.split() for line in sent.stdout.splitlines() if line.startswith("accepted")]
    status = service.run("status", accepted[0][1])
    assert sent.returncode == 0
    assert "420777123456  delivered" in sent.stdout
    assert "420777129001  [1] Undelivered" in sent.stdout
    assert "delivered" in status.stdout


def test_every_send_says_that_the_operator_is_simulated_but_not_into_a_script(service):
    sent = service.run("send", "--to", "777123457", "--body", "Hello", "--json")

    assert NOTICE in sent.stderr
    assert [item["key"] for item in json.loads(sent.stdout)["accepted"]] == ["0"]


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"DOVECOTE_API_KEY": "wrong"}, "The service refuses the key"),
        ({"DOVECOTE_ADDRESS": "http://127.0.0.1:1"}, "Nothing answers at"),
    ],
)
def test_what_cannot_be_sent_is_one_sentence(service, environment, sentence):
    sent = service.run("send", "--to", "777123456", "--body", "x", **environment)

    assert sent.returncode == 1
    assert sentence in sent.stderr
    assert "Traceback" not in sent.stderr


@pytest.mark.parametrize(
    ("arguments", "environment", "sentence"),
    [
        (["--to", "777123456", "--body", "x", "--sender", "far too long a name"], {}, "sender must be a name"),
        (["--to", "777123456", "--body", "x"], {"DOVECOTE_API_KEY": ""}, "put it into DOVECOTE_API_KEY"),
        (["--to", "1"] * 11 + ["--body", "x"], {}, "at most 10"),
    ],
)
def test_what_no_service_would_take_is_wrong_usage(service, arguments, environment, sentence):
    sent = service.run("send", *arguments, **environment)

    assert sent.returncode == 2
    assert sentence in sent.stderr
    assert "Traceback" not in sent.stderr


def test_the_status_of_an_unknown_message_is_a_failure(service):
    status = service.run("status", "nonsense", "--json")

    assert (status.returncode, status.stdout) == (1, "null\n")


def test_credit_is_added_not_taken(service):
    taken = service.run("credit", "add", "--", "-5")

    assert (taken.returncode, taken.stderr) == (2, "The amount must be above zero.\n")


def test_a_created_key_works_until_it_is_disabled(service):
    created = json.loads(service.run("keys", "create", "--subid", "shop", "--note", "web shop", "--json").stdout)

    sent = service.run("send", "--to", "777123458", "--body", "Hello", DOVECOTE_API_KEY=created["key"])
    disabled = service.run("keys", "disable", "shop")
    time.sleep(2.1)
    refused = service.run("send", "--to", "777123458", "--body", "Hello", DOVECOTE_API_KEY=created["key"])
    assert (sent.returncode, disabled.returncode, refused.returncode) == (0, 0, 1)
    assert "refuses the key" in refused.stderr


def test_a_new_account_has_its_own_wallet_and_keys_are_listed_by_hint_only(service):
    created = json.loads(
        service.run("keys", "create", "--account", "Café", "--credit", "5", "--currency", "eur", "--json").stdout
    )

    listed = service.run("keys", "list", "--json").stdout

    (row,) = [row for row in json.loads(listed) if row["account"] == "Café"]
    assert (row["balance"], row["currency"], row["disabled"]) == ("5.00", "eur", False)
    assert not KEY.search(listed)
    assert row["hint"] == f"{created['key'][:4]}…{created['key'][-4:]}"


def test_added_credit_is_there_at_once(service):
    before = json.loads(service.run("credit", "add", "1", "--json").stdout)["balance"]

    after = json.loads(service.run("credit", "add", "12.50", "--json").stdout)["balance"]

    assert float(after) - float(before) == pytest.approx(12.5)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["keys", "disable", "nobody"], "There is no key 'nobody'"),
        (["keys", "create", "--account", "First account"], "There is an account 'First account' already"),
        (["keys", "list", "--database", "sqlite:////nowhere/at/all.db"], "There is no store"),
        (["keys", "list", "--database", "nonsense"], "must be sqlite:///path or postgresql://"),
        (["keys", "list", "--database", "mysql://a:secret@127.0.0.1/b"], "a store in mysql isn't possible"),
        (["keys", "list", "--database", "postgresql://a:secret@127.0.0.1:1/b"], "Connection refused"),
    ],
)
def test_what_the_store_cannot_do_is_one_sentence(service, arguments, sentence):
    done = service.run(*arguments)

    assert done.returncode == 1
    assert sentence in done.stderr
    assert "secret" not in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["credit", "add", "much"], "isn't an amount"),
        (["keys", "create", "--scope", "god"], "The scope must be one of full, rest-api, api"),
        (["keys", "create", "--subid", "a shop"], "The name of a sub-account is 1 to 64"),
        (["keys", "create", "--account", "Shop", "--currency", "usd"], "The currency must be one of czk, eur"),
        (["keys", "create", "--account", "Shop", "--credit", "much"], "isn't an amount"),
        (["keys", "create", "--account", "Shop", "--credit", "-5"], "The credit must not be below zero"),
        (["held", "resend"], "Name messages, or --all"),
        (["held", "fail"], "Name messages, or --all"),
        (["callbacks", "replay"], "Name a delivery, or --key, or --all"),
        (["account", "marketing-window", "--off", "--start", "10:00"], "--off goes without"),
        (["serve", "--port", "65536"], "--port"),
        (["serve", "--role", "king"], "must be one of all, api, worker"),
        (["verify", "--port", "65536"], "--port"),
    ],
)
def test_wrong_usage_is_told_apart_whether_there_is_a_store_or_not(dovecote, arguments, sentence):
    done = dovecote.run(*arguments)

    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_serve_says_that_its_port_is_taken(dovecote):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        served = dovecote.run("serve", "--port", port)

    assert served.returncode == 1
    assert (
        served.stderr.strip()
        == f"Can't listen on 127.0.0.1:{port}: Address already in use. Choose another with --port."
    )


def test_serve_refuses_to_start_without_the_verification_key_before_it_says_anything(dovecote):
    served = dovecote.run("serve", "--port", 0, "--database", "postgresql://nobody@127.0.0.1:1/nothing")

    assert served.returncode == 1
    assert served.stdout == ""
    assert served.stderr.startswith("DOVECOTE_VERIFICATION_KEY must be set where the store is PostgreSQL")
    assert len(served.stderr.splitlines()) == 1


def test_listen_prints_the_callbacks_of_a_message(service, dovecote):
    with dovecote.started("listen", "--port", 0) as listener:
        address = listener.wait_for("Listening on").split()[2]

        service.run("send", "--to", "777123459", "--body", "Hello", "--callback", address)

        printed = listener.wait_for("delivered")
    assert "420777123459" in printed


TAKES_LONG = pytest.mark.timeout(400)


@TAKES_LONG
@pytest.mark.skipif(
    sqlalchemy.__version__ >= "2.1", reason="Prefect 3.8 schedules nothing with SQLAlchemy 2.1; constraints.txt has 2.0"
)
def test_up_schedules_the_flows_that_have_a_schedule(dovecote):
    ports = free_ports(3)
    scheduled = {"flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}}, "flows": {"name": {"any_": ["poll-inbox"]}}}
    with dovecote.started("up", *port_options(ports)) as running:
        running.wait_for("Stop with Ctrl-C")

        ends = time.monotonic() + 60
        runs = f"http://127.0.0.1:{ports[1]}/api/flow_runs/filter"
        while not (found := httpx.post(runs, json=scheduled, timeout=30).json()):
            assert time.monotonic() < ends
            time.sleep(0.2)

        running.interrupt()
    assert {run["parameters"]["inbox"]["account"] for run in found} == {"main"}


@TAKES_LONG
def test_up_runs_everything_on_the_service_s_own_store_and_stops_with_ctrl_c(dovecote):
    ports = free_ports(3)
    with dovecote.started("up", *port_options(ports)) as running:
        running.wait_for("Stop with Ctrl-C")

        sent = dovecote.run(
            *("send", "--to", "777123456", "--body", "Hello", "--address", f"http://127.0.0.1:{ports[0]}"),
            DOVECOTE_API_KEY=(dovecote.folder / "dovecote" / "flows.key").read_text().strip(),
        )

        code = running.interrupt()
    assert sent.returncode == 0, sent.stderr
    assert (dovecote.folder / "dovecote" / "dovecote.db").exists()
    assert code == 0
    assert dovecote.processes_left() == []
