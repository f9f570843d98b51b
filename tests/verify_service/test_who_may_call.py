"""Which pages, clients and networks are let in, and what browsers are told to refuse."""

from ipaddress import ip_network

import httpx
import pytest
from fake_upstream import FakeUpstream
from running_verify import NUMBER, SHOP, RunningVerify, run_verify, settings_for

from verify_service.clients import client_address
from verify_service.limits import subject_of

PREFLIGHT = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}


def test_a_listed_page_may_call_with_cookies(service: RunningVerify) -> None:
    preflight = httpx.options(f"{service.url}/sessions", headers=PREFLIGHT | {"Origin": SHOP})
    answer = service.browser(Origin=SHOP).start()

    assert (preflight.status_code, answer.status_code) == (204, 201)
    for each in (preflight, answer):
        assert each.headers["Access-Control-Allow-Origin"] == SHOP
        assert each.headers["Access-Control-Allow-Credentials"] == "true"
        assert "Origin" in each.headers["Vary"]
    assert "Idempotency-Key" in preflight.headers["Access-Control-Allow-Headers"]


OTHERS = [
    "null",
    "*",
    "",
    "https://evil.example.com",
    "http://shop.example.com",
    "https://shop.example.com.evil.com",
    "https://evilshop.example.com",
    "https://shop.example.com:444",
    "https://shop.example.com/",
    "https://sub.shop.example.com",
    "HTTPS://SHOP.EXAMPLE.COM",
]


def test_no_other_page_may(service: RunningVerify, upstream: FakeUpstream) -> None:
    answers = [httpx.options(f"{service.url}/sessions", headers=PREFLIGHT | {"Origin": each}) for each in OTHERS]
    answers += [service.browser(Origin=each).start() for each in OTHERS]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(403, "origin-refused")}
    assert not any(name.startswith("access-control") for answer in answers for name in answer.headers)
    assert upstream.calls == []


def test_problems_can_be_read_by_the_page_too(service: RunningVerify) -> None:
    answer = service.browser(Origin=SHOP).start("12")

    assert answer.status_code == 400
    assert answer.headers["Access-Control-Allow-Origin"] == SHOP


def test_nothing_else_is_shared_with_other_pages(service: RunningVerify) -> None:
    paths = ["/results/redeem", "/proofs/validate", "/metrics", "/readyz", "/"]

    answers = [httpx.options(service.url + path, headers=PREFLIGHT | {"Origin": SHOP}) for path in paths]
    answers += [httpx.get(service.url + path, headers={"Origin": SHOP}) for path in paths]

    assert not any(name.startswith("access-control") for answer in answers for name in answer.headers)


def test_every_answer_is_as_strict_as_it_can_be(service: RunningVerify) -> None:
    for path in ("/", "/verify.js", "/sessions", "/nowhere", "/healthz"):
        headers = httpx.get(service.url + path).headers

        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "*" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Strict-Transport-Security" not in headers


def test_answers_are_not_kept_and_the_element_may_be_used_elsewhere(service: RunningVerify) -> None:
    script = httpx.get(f"{service.url}/verify.js")
    again = httpx.get(f"{service.url}/verify.js", headers={"If-None-Match": script.headers["ETag"]})

    assert service.browser().start().headers["Cache-Control"] == "no-store"
    assert script.headers["Cache-Control"] == "public, max-age=300"
    assert script.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert again.status_code == 304


def test_behind_https_browsers_are_told_to_stay_there(upstream: FakeUpstream, database: str) -> None:
    settings = settings_for(upstream.url, database, public_url="https://verify.example.com")
    with run_verify(settings) as service:
        answer = service.browser(Origin="https://verify.example.com").start()
        from_this_machine = service.browser(Origin=service.url).start()

    assert answer.status_code == 201
    assert answer.headers["Strict-Transport-Security"] == "max-age=63072000"
    assert from_this_machine.status_code == 403


@pytest.mark.parametrize(
    ("accepted", "detail"),
    [
        ("cs", "Kód má šest číslic."),
        ("sk-SK, en;q=0.5", "Kód má šesť číslic."),
        ("fr, de-AT;q=0.7, en;q=0.5", "Der Code hat sechs Ziffern."),
        ("ja", "The code has six digits."),
        ("", "The code has six digits."),
    ],
)
def test_problems_are_told_in_the_readers_language(service: RunningVerify, accepted: str, detail: str) -> None:
    headers = {"Accept-Language": accepted}

    answer = httpx.post(f"{service.url}/sessions/check", json={"session": "x", "code": "1"}, headers=headers)

    assert answer.json()["detail"] == detail
    assert detail in answer.content.decode()  # whoever reads it with curl can read it
    assert answer.json()["code"] == "invalid-code-format"
    assert answer.headers["Content-Language"] in {"cs", "sk", "de", "en"}
    assert "Accept-Language" in answer.headers["Vary"]


def test_a_client_starts_so_often_and_no_more(upstream: FakeUpstream, each_database: str) -> None:
    settings = settings_for(upstream.url, each_database, starts_per_client=3)
    with run_verify(settings) as one, run_verify(settings) as other:
        answers = [each.browser().start() for each in (one, other, one, other)]
        one.clock.ahead = 1201
        later = one.browser().start()

    assert [answer.status_code for answer in answers] == [201, 201, 201, 429]
    assert answers[-1].json()["code"] == "too-many-requests"
    assert answers[-1].json()["retryAfter"] in range(1190, 1201)
    assert later.status_code == 201
    assert upstream.sent_messages() == 4


def test_a_client_guesses_so_often_over_all_its_sessions(upstream: FakeUpstream, database: str) -> None:
    with run_verify(settings_for(upstream.url, database, checks_per_client=4)) as service:
        browser = service.browser()
        sessions = [browser.started(), browser.started("+420777999888")]
        answers = [browser.check(session, "123456") for session in sessions for _ in range(3)]

    assert [answer.status_code for answer in answers] == [400, 400, 400, 400, 429, 429]


@pytest.mark.parametrize(
    ("claimed", "statuses"),
    [
        (["203.0.113.1", "203.0.113.2", "203.0.113.1"], [201, 201, 429]),
        (["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:db8:1:3::1"], [201, 429, 201]),
        (["198.51.100.7, 203.0.113.1", "198.51.100.8, 203.0.113.1", "203.0.113.1"], [201, 429, 429]),
    ],
)
def test_behind_a_proxy_of_ours_each_client_counts_for_itself(
    upstream: FakeUpstream, database: str, claimed: list[str], statuses: list[int]
) -> None:
    settings = settings_for(upstream.url, database, starts_per_client=1, trusted_proxies="127.0.0.1")
    with run_verify(settings) as service:
        answers = [service.browser().start(X_Forwarded_For=address) for address in claimed]

    assert [answer.status_code for answer in answers] == statuses


def test_without_a_proxy_of_ours_nobody_is_believed(upstream: FakeUpstream, database: str) -> None:
    with run_verify(settings_for(upstream.url, database, starts_per_client=1)) as service:
        answers = [service.browser().start(X_Forwarded_For=f"203.0.113.{last}") for last in (1, 2)]

    assert [answer.status_code for answer in answers] == [201, 429]


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("10.0.0.1", [], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["1.2.3.4, 203.0.113.9, 10.0.0.2"], "203.0.113.9"),
        ("10.0.0.1", ["1.2.3.4", "203.0.113.9"], "203.0.113.9"),
        ("10.0.0.1", ["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
        ("10.0.0.1", ["203.0.113.9, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["203.0.113.9:4711"], "203.0.113.9"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        ("::ffff:10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("192.0.2.1", ["203.0.113.9"], "192.0.2.1"),
        ("", ["203.0.113.9"], "0.0.0.0"),
    ],
)
def test_the_client_is_the_nearest_address_that_is_no_proxy_of_ours(
    peer: str, forwarded: list[str], expected: str
) -> None:
    assert str(client_address(peer, forwarded, [ip_network("10.0.0.0/8")])) == expected


def test_an_ipv6_network_of_a_household_is_one_client() -> None:
    one = client_address("2001:db8:1:2::1", [], [])
    other = client_address("2001:db8:1:2:ffff:ffff:ffff:ffff", [], [])

    assert subject_of(one) == subject_of(other) == "2001:db8:1:2::/64"


def test_metrics_are_for_the_networks_of_operations(upstream: FakeUpstream, database: str) -> None:
    with run_verify(settings_for(upstream.url, database)) as service:
        direct = httpx.get(f"{service.url}/metrics")
        through_a_proxy = httpx.get(f"{service.url}/metrics", headers={"X-Forwarded-For": "127.0.0.1"})
    with run_verify(settings_for(upstream.url, database, metrics_from="192.0.2.0/24")) as service:
        from_elsewhere = httpx.get(f"{service.url}/metrics")

    assert direct.status_code == 200
    assert "dovecote_verify_request_seconds" in direct.text
    assert (through_a_proxy.status_code, from_elsewhere.status_code) == (404, 404)


def test_the_service_says_whether_it_lives_and_is_ready(service_on_each: RunningVerify) -> None:
    answers = [httpx.get(f"{service_on_each.url}/{path}") for path in ("healthz", "readyz")]

    assert [answer.status_code for answer in answers] == [200, 200]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nowhere", 404), ("GET", "/sessions", 405), ("POST", "/", 405), ("PUT", "/results/redeem", 405)],
)
def test_what_there_is_not_is_a_problem_too(service: RunningVerify, method: str, path: str, status: int) -> None:
    answer = httpx.request(method, service.url + path)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_number_is_no_part_of_any_address(service: RunningVerify) -> None:
    answer = httpx.get(f"{service.url}/sessions", params={"phoneNumber": NUMBER})

    assert answer.status_code == 405
