"""The demo, end to end: from nothing to a report, and to nothing again."""

import re
import signal
import socket
import time
from dataclasses import dataclass

import httpx
import pytest
from dovecote_processes import ADDRESS, Dovecote, port_options
from fixed_ports import free_ports

AS_A_BROWSER = {"Accept": "text/html"}

pytestmark = pytest.mark.timeout(300)


@dataclass
class Told:
    """What one run of the demo printed and left."""

    dovecote: Dovecote
    printed: str
    statuses: list[int]
    exit_code: int
    left_running: list[str]

    @property
    def figures(self) -> dict[str, str]:
        """The table, as it was printed."""
        return dict(re.findall(r"^│ (.*?) +│ +([\d.]+) │$", self.printed, re.MULTILINE))


def play(dovecote: Dovecote) -> Told:
    ports = free_ports(3)
    with dovecote.started("demo", *port_options(ports)) as running:
        printed = running.wait_for("Stop with Ctrl-C")
        statuses = [
            httpx.get(address, headers=AS_A_BROWSER, timeout=30).status_code for address in ADDRESS.findall(printed)
        ]
        exit_code = running.interrupt()
    return Told(dovecote, printed, statuses, exit_code, dovecote.processes_left())


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Told:
    return play(Dovecote(tmp_path_factory.mktemp("demo")))


def test_the_table_says_what_became_of_everybody(first):
    expected = {
        "Recipients": "476",
        "Accepted": "476",
        "Rejected: [304] Phone number is blacklisted or opted out": "12",
        "Delivered": "451",
        "Undelivered": "9",
        "Without receipt": "4",
        "Waiting": "0",
    }
    assert expected == {name: first.figures[name] for name in expected}
    others = {name for name in first.figures if not name.startswith("Messages to network ")} - set(expected)
    assert others == {"Parts", "Price (CZK)", "Price (EUR)"}
    assert int(first.figures["Messages to network 23003"]) > 0
    assert "Of 500 lines, 10 were left out and 14 named somebody again" in first.printed


def test_progress_is_shown_and_nobody_believes_that_it_was_real(first):
    assert re.search(r"Taken by the service +━+ 476/476", first.printed)
    assert "Nothing reached a telephone" in first.printed


def test_all_that_is_named_is_there_to_open(first):
    assert first.statuses == [200] * 5


def test_ctrl_c_stops_all_of_it(first):
    assert first.exit_code == 0
    assert first.left_running == []


def test_the_key_is_kept_where_only_its_owner_reads_it(first):
    file = first.dovecote.folder / "dovecote" / "demo" / "flows.key"

    assert file.stat().st_mode & 0o777 == 0o600
    assert file.read_text().strip() not in first.printed


def test_a_second_run_sends_a_new_campaign_and_leaves_out_who_answered_stop_to_the_first(first):
    refused, delivered = "Rejected: [304] Phone number is blacklisted or opted out", "Delivered"
    answered_stop = 3
    key = (first.dovecote.folder / "dovecote" / "demo" / "flows.key").read_text()

    second = play(first.dovecote)

    assert int(second.figures[refused]) == int(first.figures[refused]) + answered_stop
    assert int(second.figures[delivered]) == int(first.figures[delivered]) - answered_stop
    assert second.figures["Recipients"] == first.figures["Recipients"]
    assert (first.dovecote.folder / "dovecote" / "demo" / "flows.key").read_text() == key
    ledger = f"sqlite:///{first.dovecote.folder}/dovecote/demo/ledger.sqlite3"
    assert first.dovecote.run("ledger", "list", DOVECOTE_LEDGER=ledger).stdout.count("Demo ") == 2


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped_while_it_starts_it_leaves_no_process(dovecote, sign):
    ports = free_ports(3)
    log = dovecote.folder / "dovecote" / "demo" / "logs" / "flows.log"
    with dovecote.started("demo", *port_options(ports)) as running:
        while not log.exists():
            assert running.process.poll() is None
            time.sleep(0.01)

        running.process.send_signal(sign)

        assert running.process.wait(60) == 0
    assert dovecote.processes_left() == []


def test_stopped_while_messages_move_it_leaves_no_process(dovecote):
    ports = free_ports(3)
    ledger = dovecote.folder / "dovecote" / "demo" / "ledger.sqlite3"
    with dovecote.started("demo", *port_options(ports)) as running:
        while not any("prefect.engine" in command or "flow-run" in command for command in dovecote.processes()):
            assert running.process.poll() is None
            time.sleep(0.01)

        code = running.interrupt()

    assert code == 0
    assert ledger.exists()
    assert dovecote.processes_left() == []


def test_a_port_in_use_is_one_sentence_that_names_it(dovecote):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        done = dovecote.run("demo", "--port", port)

    assert done.returncode == 1
    assert done.stderr.startswith(f"Can't use port {port} for the messaging service: Address already in use;")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "There is no file {path}."),
        ("", "{path} is empty."),
        ("name,city\nJana,Brno\n", "{path} has no column of phone numbers"),
        ("name,phone\nJana,none\n", "{path}: not one of 1 lines has a usable phone number."),
    ],
)
def test_recipients_that_cannot_be_used_are_one_sentence_before_anything_starts(dovecote, tmp_path, content, sentence):
    path = tmp_path / "people.csv"
    if content is not None:
        path.write_text(content)

    done = dovecote.run("demo", path)

    assert done.returncode == 1
    assert done.stderr.startswith(sentence.format(path=path))
    assert len(done.stderr.splitlines()) == 1
    assert not (dovecote.folder / "dovecote").exists()
