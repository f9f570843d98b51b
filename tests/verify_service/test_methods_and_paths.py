"""What is answered beside the calls: other methods, other paths, bodies whose length nobody tells."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from running_verify import NUMBER, SHOP, RunningVerify

from verify_service.problems import STATUS
from verify_service.texts import LANGUAGES, sentence

PAGE = Path(__file__).parents[2] / "docs" / "verify-service.md"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/sessions", {"POST", "OPTIONS"}),
        ("PUT", "/results/redeem", {"POST", "OPTIONS"}),
        ("POST", "/", {"GET", "HEAD", "OPTIONS"}),
        ("DELETE", "/verify.js", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_another_method_is_a_problem_that_names_those_there_are(
    service: RunningVerify, method: str, path: str, allowed: set[str]
) -> None:
    answer = httpx.request(method, service.url + path)

    assert (answer.status_code, answer.json()["code"]) == (405, "method-not-allowed")
    assert set(answer.headers["Allow"].split(", ")) == allowed
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/nowhere", "/sessions/", "/session", "/sessions/check/x", "/verify.js.map"])
def test_an_unknown_path_is_told_from_an_unknown_session(service: RunningVerify, path: str) -> None:
    answer = httpx.post(service.url + path, json={}, headers={"Origin": SHOP})

    assert (answer.status_code, answer.json()["code"]) == (404, "no-such-address")
    assert answer.headers["content-type"] == "application/problem+json"


def test_whoever_asks_for_its_options_learns_the_methods_of_a_path(service: RunningVerify) -> None:
    known, unknown = (httpx.options(service.url + path) for path in ("/sessions", "/nowhere"))

    assert (known.status_code, unknown.status_code) == (200, 404)
    assert set(known.headers["Allow"].split(", ")) == {"POST", "OPTIONS"}


def test_a_preflight_is_answered_without_a_body(service: RunningVerify) -> None:
    headers = {"Origin": SHOP, "Access-Control-Request-Method": "POST"}

    answer = httpx.options(f"{service.url}/sessions", headers=headers)

    assert (answer.status_code, answer.content) == (204, b"")
    assert "Content-Type" not in answer.headers


def in_chunks(length: int) -> Iterator[bytes]:
    yield f'{{"phoneNumber": "{NUMBER}"}}'.encode()
    for _ in range(length // 1000):
        yield b" " * 1000


@pytest.mark.parametrize(("length", "status"), [(1000, 201), (20_000, 413), (200_000, 413)])
def test_a_body_that_comes_in_chunks_has_the_same_limit(service: RunningVerify, length: int, status: int) -> None:
    headers = {"Content-Type": "application/json"}

    answer = httpx.post(f"{service.url}/sessions", content=in_chunks(length), headers=headers)

    assert answer.status_code == status


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_has_a_sentence_of_its_own_in_each_language(language: str) -> None:
    assert len({sentence(code, language) for code in STATUS}) == len(STATUS)


def test_the_page_lists_every_problem_with_its_status() -> None:
    rows = re.findall(r"^\| (\d{3}) \| (.+?) \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)

    listed = {code: int(status) for status, *cells in rows for code in re.findall("`([a-z-]+)`", " ".join(cells))}

    assert listed.items() >= STATUS.items()
