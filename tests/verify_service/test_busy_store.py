"""A store that is busy or away is a moment to wait, never a fault of this service."""

import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from fake_upstream import FakeUpstream
from running_verify import NUMBER, run_verify, settings_for
from sqlalchemy.exc import OperationalError

from verify_service.database import open_store


def test_a_busy_store_is_a_503_that_says_when_to_come_again(
    upstream: FakeUpstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verify_service.database.LOCK_SECONDS", 0.05)
    database = tmp_path / "verify.db"
    with run_verify(settings_for(upstream.url, f"sqlite:///{database}")) as service:
        browser = service.browser()
        session = browser.started()
        with closing(sqlite3.connect(database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            start, check = browser.start(), browser.check(session, upstream.code_for(NUMBER))
            other.execute("ROLLBACK")
        later = browser.check(session, upstream.code_for(NUMBER, newest=1))

    assert [(answer.status_code, answer.json()["code"]) for answer in (start, check)] == [(503, "busy")] * 2
    assert {answer.headers["Retry-After"] for answer in (start, check)} == {"5"}
    assert later.status_code == 200


def test_a_postgresql_that_says_nothing_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify_service.database.CONNECT_SECONDS", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        with pytest.raises(OperationalError, match="timeout expired"):
            open_store(f"postgresql://user:password@127.0.0.1:{port}/name")
