"""`dovecote verify` as people run it: real processes, killed and stopped."""

import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import httpx
import pytest
import structlog
from click.testing import Result
from fake_upstream import KEY, FakeUpstream, slowly
from running_verify import NUMBER, Browser
from typer.testing import CliRunner

from verify_service.commands import app

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "verify-service.md"
PROGRAM = [sys.executable, "-c", "from verify_service.commands import app; app()"]


class Command:
    """A running `dovecote verify`; ``url`` is where it said it listens."""

    def __init__(self, process: subprocess.Popen[str], to_close: ExitStack) -> None:
        assert process.stdout is not None
        self.process = process
        self._to_close = to_close
        self.first_line = process.stdout.readline()
        self.url = self.first_line.split()[-1]
        self.wait_until_ready()

    def browser(self, cookies: dict[str, str] | None = None) -> Browser:
        browser = Browser(self._to_close.enter_context(httpx.Client(base_url=self.url, timeout=20)))
        browser.cookies = dict(cookies or {})
        return browser

    def workers(self) -> list[int]:
        pid = self.process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def wait_for_workers(self, count: int) -> None:
        """Wait until it has as many processes that serve, which may be after the first answers."""
        ends = time.monotonic() + 60
        while len(self.workers()) < count:
            assert time.monotonic() < ends, "the processes didn't start"
            time.sleep(0.05)

    def wait_until_ready(self) -> None:
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            try:
                if httpx.get(f"{self.url}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the service didn't start")


@contextmanager
def running(upstream: FakeUpstream, folder: Path, *arguments: str, **settings: str) -> Iterator[Command]:
    environment = environment_of(upstream, folder, **settings)
    command = [*PROGRAM, "--port", "0", *arguments]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            with ExitStack() as to_close:
                yield Command(process, to_close)
        finally:
            process.kill()


def environment_of(upstream: FakeUpstream, folder: Path, **settings: str) -> dict[str, str]:
    return os.environ | {
        "XDG_DATA_HOME": str(folder),
        "DOVECOTE_VERIFY_UPSTREAM": upstream.url,
        "DOVECOTE_VERIFY_UPSTREAM_KEY": KEY,
        **{f"DOVECOTE_VERIFY_{name.upper()}": value for name, value in settings.items()},
    }


def test_it_serves_with_several_processes_and_stops_in_order(upstream: FakeUpstream, tmp_path: Path) -> None:
    with running(upstream, tmp_path, processes="2") as command:
        command.wait_for_workers(2)
        with ThreadPoolExecutor(8) as pool:
            right = list(pool.map(lambda last: verify(command, upstream, f"42077712345{last}"), range(8)))
        metrics = httpx.get(f"{command.url}/metrics").text
        command.process.send_signal(signal.SIGTERM)
        code = command.process.wait(60)

    assert right == [200] * 8
    assert "dovecote_verify_verified_total 8.0" in metrics
    assert code == 0
    assert (tmp_path / "dovecote" / "verify.db").exists()


def test_connections_are_spread_over_the_processes(upstream: FakeUpstream, tmp_path: Path) -> None:
    with running(upstream, tmp_path, processes="2") as command, ExitStack() as to_close:
        command.wait_for_workers(2)
        clients = [to_close.enter_context(httpx.Client(base_url=command.url, timeout=20)) for _ in range(40)]
        answers = [client.get("/healthz").status_code for client in clients]
        kept = [connections_of(worker) for worker in command.workers()]

    assert answers == [200] * 40
    assert min(kept) >= 5


def connections_of(pid: int) -> int:
    """Return how many sockets a process has, but for a few of its own."""
    return sum(1 for each in Path(f"/proc/{pid}/fd").iterdir() if str(each.readlink()).startswith("socket:"))


def test_a_port_in_use_by_another_verify_is_one_sentence(upstream: FakeUpstream, tmp_path: Path) -> None:
    with running(upstream, tmp_path, processes="1") as command:
        ended = run_here(tmp_path, command.url.rpartition(":")[2], {})

    assert ended.exit_code == 1
    assert "Address already in use; choose another with --port." in ended.stderr


def verify(command: Command, upstream: FakeUpstream, number: str) -> int:
    browser = command.browser()
    session = browser.started(f"+{number}")
    return browser.check(session, upstream.code_for(number)).status_code


def test_a_kill_after_counting_gives_no_attempt_back(upstream: FakeUpstream, tmp_path: Path) -> None:
    with running(upstream, tmp_path, processes="1") as command, ThreadPoolExecutor(1) as pool:
        browser = command.browser()
        session = browser.started()
        upstream.misbehave = slowly
        lost = pool.submit(command.browser(browser.cookies).check, session, "123456")
        while len(upstream.calls) < 2:
            time.sleep(0.01)
        for worker in command.workers():
            os.kill(worker, signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            lost.result()
        upstream.misbehave = None
        command.wait_until_ready()
        answer = command.browser(browser.cookies).check(session, upstream.wrong_code_for(NUMBER))

    assert answer.json()["attemptsRemaining"] == 4


def test_without_gunicorn_it_runs_and_says_what_it_is(upstream: FakeUpstream, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'gunicorn' else find(name, *more)\n"
    )
    path = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        with running(upstream, tmp_path) as command:
            verified = verify(command, upstream, NUMBER)
            command.process.send_signal(signal.SIGINT)
            code = command.process.wait(60)
            assert command.process.stdout is not None
            said = command.process.stdout.read()

    assert (verified, code) == (200, 0)
    assert "pip install gunicorn" in said


def test_the_documented_command_of_gunicorn_serves(upstream: FakeUpstream, tmp_path: Path) -> None:
    (documented,) = re.findall(r"^gunicorn .*$", DOCUMENTATION.read_text("utf-8"), re.MULTILINE)
    command = shlex.split(documented.replace("0.0.0.0:8801", "127.0.0.1:0"))
    environment = environment_of(upstream, tmp_path, log_format="json")

    with subprocess.Popen(
        [sys.executable, "-m", *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        url = next(found[1] for line in process.stdout if (found := re.search(r"Listening at: (\S+)", line)))
        with httpx.Client(base_url=url, timeout=20) as client:
            session = Browser(client).started()
        process.send_signal(signal.SIGTERM)
        said = process.stdout.read()

    assert session
    assert '"event": "session.started"' in said


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"UPSTREAM_KEY": ""}, "DOVECOTE_VERIFY_UPSTREAM_KEY: Field required.\n"),
        ({"HOST": "0.0.0.0"}, "DOVECOTE_VERIFY_PUBLIC_URL must be set while DOVECOTE_VERIFY_HOST isn't this machine's"),
        ({"DATABASE": "sqlite://"}, "processes can't share a store in memory; name a file.\n"),
        ({"DATABASE": "postgresql://127.0.0.1:9/none", "SIGNING_KEYS": ""}, "can't be opened"),
    ],
)
def test_what_is_wrong_is_one_sentence(settings: dict[str, str], sentence: str, tmp_path: Path) -> None:
    ended = run_here(tmp_path, "0", settings)

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert sentence in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_port_in_use_is_one_sentence(upstream: FakeUpstream, tmp_path: Path) -> None:
    port = upstream.url.rpartition(":")[2]

    ended = run_here(tmp_path, port, {})

    assert ended.exit_code == 1
    assert ended.stderr == f"Can't listen on 127.0.0.1:{port}: Address already in use; choose another with --port.\n"


def test_a_newer_store_is_left_alone(tmp_path: Path) -> None:
    database = tmp_path / "verify.db"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE verify_version (version_num VARCHAR(32))")
        connection.execute("INSERT INTO verify_version VALUES ('9999')")

    ended = run_here(tmp_path, "0", {"DATABASE": f"sqlite:///{database}"})

    assert ended.exit_code == 1
    assert "start the newer Dovecote" in ended.stderr


def run_here(folder: Path, port: str, settings: dict[str, str]) -> Result:
    """Run the command in this process, for what ends before it serves."""
    given = {"UPSTREAM_KEY": KEY} | settings
    environment = {f"DOVECOTE_VERIFY_{name}": value for name, value in given.items()} | {"XDG_DATA_HOME": str(folder)}
    try:
        return CliRunner().invoke(app, ["--port", port], env=environment)
    finally:
        structlog.reset_defaults()
