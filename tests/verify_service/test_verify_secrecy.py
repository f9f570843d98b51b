"""Nothing secret gets into logs, error pages, metrics, addresses, the store, or a browser."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from fake_upstream import KEY, PROOF, FakeUpstream, html, slowly
from running_verify import NUMBER, SERVICE_KEY, SIGNING_KEY, RunningVerify, run_verify, settings_for

from interface.signatures import Proven, sign_proof
from verify_service import logs

PROOF_SECRET = "the-verification-secret-0001"


@pytest.fixture
def talkative(
    upstream: FakeUpstream, database: str, capfd: pytest.CaptureFixture[str]
) -> Iterator[tuple[RunningVerify, pytest.CaptureFixture[str]]]:
    """The service with every log of its own and of its libraries switched on."""
    logs.configure("json", "debug")
    settings = settings_for(upstream.url, database, upstream_timeout=2.0, proof_secrets=PROOF_SECRET, log_level="debug")
    with run_verify(settings) as running:
        yield running, capfd
    structlog.reset_defaults()


def test_no_secret_is_told_to_anybody(
    talkative: tuple[RunningVerify, pytest.CaptureFixture[str]],
    upstream: FakeUpstream,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service, captured = talkative
    browser, back_end = service.browser(), service.back_end()
    started = browser.start()
    session, right = started.json()["session"], upstream.code_for(NUMBER)
    token = next(iter(upstream.validations))
    told = [started, browser.check(session, upstream.wrong_code_for(NUMBER)), browser.check("forged", right)]
    upstream.misbehave = slowly
    told.append(browser.check(session, right))
    upstream.misbehave = html
    told.append(browser.check(session, right))
    upstream.misbehave = None
    monkeypatch.setattr("verify_service.sessions.count_guess", _fail)
    told.append(browser.check(session, right))
    monkeypatch.undo()
    verified = browser.check(session, right)
    told.append(verified)
    proven = Proven(NUMBER, token, right, "2026-03-02T09:30:00.000Z")
    proof = sign_proof(proven, PROOF_SECRET)
    fields = dict(zip(("phoneNumber", "token", "code", "timestamp"), proven, strict=True))
    told.append(back_end.post("/proofs/validate", json=fields | {"proof": proof}))
    told.extend([back_end.post("/results/redeem", json=verified.json()), browser.http.get("/metrics")])
    upstream.key = "another"
    told.append(browser.start())

    shown = "\n".join([*(answer.text + str(answer.headers) for answer in told)])
    logged = "".join(captured.readouterr())

    assert [answer.status_code for answer in told] == [201, 400, 404, 504, 502, 500, 200, 200, 200, 200, 503]
    for secret in (KEY, SERVICE_KEY, SIGNING_KEY, PROOF_SECRET, PROOF, proof, token):
        assert secret not in shown
        assert secret not in logged
    assert not stands_in(shown + logged, right)
    for private in (NUMBER, session, verified.json()["result"], *browser.cookies.values()):
        assert private not in logged
    assert "call.failed" in logged
    assert "upstream.no_answer" in logged

    dump = "\n".join(sqlite3.connect(database.removeprefix("sqlite:///")).iterdump())
    for secret in (KEY, SERVICE_KEY, SIGNING_KEY, PROOF_SECRET, PROOF, proof, *browser.cookies.values()):
        assert secret not in dump
    assert not stands_in(dump, right)


def stands_in(text: str, code: str) -> bool:
    """Whether a code is told. The fractions of times have six digits too: one in a million of them is the code."""
    without_fractions = re.sub(r"(?<=\d)\.\d+(?!\d)", "", text)
    return re.search(rf"(?<!\d){code}(?!\d)", without_fractions) is not None


def _fail(*_: object) -> bool:
    raise RuntimeError("whatever was typed")


def test_the_settings_keep_their_secrets_to_themselves(upstream: FakeUpstream, database: str) -> None:
    settings = settings_for(upstream.url, database, proof_secrets=PROOF_SECRET)

    shown = repr(settings) + str(settings.model_dump())

    assert not any(secret in shown for secret in (KEY, SERVICE_KEY, SIGNING_KEY, PROOF_SECRET))


def test_the_key_file_is_for_its_owner_only(upstream: FakeUpstream, tmp_path: Path) -> None:
    settings = settings_for(upstream.url, f"sqlite:///{tmp_path}/a/verify.db", signing_keys="")

    with run_verify(settings) as one, run_verify(settings) as other:
        browser, elsewhere = one.browser(), other.browser()
        session = browser.started()
        elsewhere.cookies = browser.cookies
        answer = elsewhere.check(session, upstream.code_for(NUMBER))

    assert answer.status_code == 200
    assert (tmp_path / "a" / "verify-signing.key").stat().st_mode & 0o777 == 0o600
