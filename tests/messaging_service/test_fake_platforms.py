"""The fakes of platforms that ship with the service, as people start them: processes of their own."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import httpx
import pytest

KLAVIYO = "messaging_service.connectors.fakes.klaviyo_program"
CLOUD_API = "messaging_service.channels.chat_app.fakes.cloud_api_program"
ADDRESS = re.compile(r"http://127\.0\.0\.1:[0-9]+")
PATIENCE_SECONDS = 60


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "spring-sale.csv").write_text("name,phone\nAnna,777123456\n")
    return tmp_path


@pytest.fixture
def arguments(folder):
    """What each program needs."""
    return {KLAVIYO: ["--folder", str(folder), "--key", "pk_fake"], CLOUD_API: []}


@contextmanager
def started(program, *arguments):
    """Run a program beside the test; it is ended after the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", program, *arguments],
        env=os.environ | {"COLUMNS": "160"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def run(program, *arguments):
    with started(program, *arguments) as process:
        printed, complaint = process.communicate(timeout=PATIENCE_SECONDS)
        return process.returncode, printed, complaint


@pytest.mark.parametrize("program", [KLAVIYO, CLOUD_API])
def test_one_line_says_where_it_listens_and_how_to_stop_it(program, arguments):
    with started(program, "--port", "0", *arguments[program]) as process:
        introduction = process.stdout.readline()
        (address, *_) = ADDRESS.findall(introduction)
        answer = httpx.get(f"{address}/nothing-here")
        process.send_signal(signal.SIGINT)
        more, complaint = process.communicate(timeout=PATIENCE_SECONDS)

    assert "stop with Ctrl-C" in introduction
    assert answer.status_code == 404
    assert (process.returncode, more, complaint) == (0, "", "")


@pytest.mark.parametrize("program", [KLAVIYO, CLOUD_API])
def test_help_says_how_to_point_the_service_at_it(program):
    code, printed, _ = run(program, "--help")

    assert code == 0
    assert f"python -m {program}" in printed
    assert "DOVECOTE_" in printed
    assert "dovecote serve" in printed


@pytest.mark.parametrize("program", [KLAVIYO, CLOUD_API])
def test_a_port_that_is_taken_is_one_sentence(program, arguments):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        ended = run(program, "--port", port, *arguments[program])

    assert ended == (1, "", f"Can't listen on 127.0.0.1:{port}: Address already in use. Choose another --port.\n")


def test_klaviyo_names_its_segments(arguments):
    with started(KLAVIYO, "--port", "0", *arguments[KLAVIYO]) as process:
        introduction = process.stdout.readline()
        process.send_signal(signal.SIGINT)

    assert "spring-sale" in introduction


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("notes.txt", "Nothing here", "no CSV files"),
        ("people.csv", "name,city\nAnna,Brno\n", "people.csv has no column of phone numbers"),
    ],
)
def test_klaviyo_says_which_files_it_needs(tmp_path, name, content, complaint):
    (tmp_path / name).write_text(content)

    code, _, told = run(KLAVIYO, "--folder", str(tmp_path), "--key", "pk_fake")

    assert code == 2
    assert complaint in told


def test_klaviyo_needs_a_folder_that_is_there(tmp_path):
    code, _, told = run(KLAVIYO, "--folder", str(tmp_path / "nowhere"), "--key", "pk_fake")

    assert code == 2
    assert "--folder" in told
