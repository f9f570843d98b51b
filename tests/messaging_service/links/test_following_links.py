"""``/l/<code>`` leads people on, counts them once, and isn't fooled by machines (details, ``params._url``)."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from running_service import RunningService, run_service
from sqlalchemy import select

from messaging_service.clock import DAY, SECOND
from messaging_service.housekeeping import LINKS_REMEMBERED, Housekeeping
from messaging_service.links.clicks import Clicks
from messaging_service.store.tables import short_links

TARGET = "https://example.com/a?b=c#d"
PERSON = {"user-agent": "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("links")
    with run_service(f"sqlite:///{folder}/dovecote.db", folder) as running:
        yield running


def sent_link(service: RunningService, **wish) -> tuple[str, str]:
    """Send a message with a link. Returns its id and the code of its short link."""
    body = {"to": [{"phone_number": "420601123456"}], "body": f"Look: {TARGET}", "params": {"_url": wish}}
    message_id = service.api.post("/v2/message", json=body | {"tag": "transactional"}).json()["accepted"][0][
        "message_id"
    ]
    service.wait_for_status(message_id, delivery_code="201")
    question = select(short_links.c.code).order_by(short_links.c.message_row.desc())
    with service.store.reading() as connection:
        return message_id, connection.execute(question).scalars().first()


def follow(service: RunningService, code: str, method: str = "GET", **headers: str) -> httpx.Response:
    with httpx.Client(base_url=service.url, headers=PERSON | headers) as browser:
        return browser.request(method, f"/l/{code}")


def row(service: RunningService, message_id: str) -> dict:
    today = service.api.get("/v1/message", params={"id": message_id}).json()["message"]["ts_created"][:10]
    rows = service.api.get("/v1/messages", params={"date": today}).json()["messages"]
    return next(each for each in rows if each["message_id"] == message_id)


def counted(service: RunningService, code: str) -> tuple[int, int]:
    question = select(short_links.c.clicks, short_links.c.previews).where(short_links.c.code == code)
    with service.store.reading() as connection:
        return tuple(connection.execute(question).one())


def test_a_person_is_led_on_and_counted(service: RunningService):
    message_id, code = sent_link(service)

    answers = [follow(service, code) for _ in range(3)]

    status = service.api.get("/v1/message", params={"id": message_id}).json()["message"]
    clicked = row(service, message_id)
    day = service.api.get("/v1/requests", params={"dates": status["ts_created"][:10]}).json()["requests"][0]
    assert {(answer.status_code, answer.headers["location"]) for answer in answers} == {(302, TARGET)}
    assert answers[0].headers["cache-control"] == "no-store"
    assert status["ts_sent"] <= status["ts_clicked"]
    assert (clicked["clicked"], clicked["ts_clicked"]) == (1, status["ts_clicked"])
    assert day["stats"]["count_clicked"] == 1
    assert counted(service, code) == (3, 0)


def test_many_who_click_at_once_are_counted_each(service: RunningService):
    message_id, code = sent_link(service)

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: follow(service, code), range(40)))

    assert {answer.status_code for answer in answers} == {302}
    assert counted(service, code) == (40, 0)
    assert row(service, message_id)["clicked"] == 1


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("HEAD", {}),
        ("GET", {"purpose": "prefetch"}),
        ("GET", {"sec-purpose": "prefetch;prerender"}),
        ("GET", {"x-moz": "prefetch"}),
        ("GET", {"x-purpose": "preview"}),
        ("GET", {"user-agent": "facebookexternalhit/1.1 Facebot Twitterbot/1.0"}),
        ("GET", {"user-agent": "WhatsApp/2.23.20.0 A"}),
        ("GET", {"user-agent": "TelegramBot (like TwitterBot)"}),
        ("GET", {"user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"}),
        ("GET", {"user-agent": "python-requests/2.32"}),
        ("GET", {"user-agent": ""}),
    ],
)
def test_a_machine_that_looks_is_told_apart(running: RunningService, method, headers):
    message_id, code = sent_link(running)

    answer = follow(running, code, method, **headers)

    assert (answer.status_code, answer.headers["location"]) == (302, TARGET)
    assert running.api.get("/v1/message", params={"id": message_id}).json()["message"]["ts_clicked"] is None
    assert row(running, message_id)["clicked"] == 0
    assert counted(running, code) == (0, 1)


@pytest.mark.parametrize(
    "agent",
    [
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Safari/604.1",
        "Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 Version/4.0 Chrome/125.0 Mobile Safari/537.36 Viber/22",
        "Mozilla/5.0 (Linux; Android 9; CUBOT NOTE 20) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36",
    ],
)
def test_browsers_of_people_are_none(running: RunningService, agent):
    message_id, code = sent_link(running)

    follow(running, code, **{"user-agent": agent})

    assert row(running, message_id)["clicked"] == 1


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("", "This link has ended."), ("cs-CZ,cs;q=0.9,en;q=0.8", "skončila"), ("fr, de;q=0.5", "abgelaufen")],
)
def test_a_link_that_has_ended_says_so(running: RunningService, language, sentence):
    message_id, code = sent_link(running, expires_at=running.clock.now() // SECOND - 1)

    answer = follow(running, code, **{"accept-language": language})

    assert answer.status_code == 410
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert sentence in answer.text
    assert "location" not in answer.headers
    assert row(running, message_id)["clicked"] == 0


NOT_IN_A_MESSAGE = ["AAAAAAAA", "https://evil.example", "%2F%2Fevil.example", "%2E%2E", "x" * 2000, "%00"]


@pytest.mark.parametrize("code", NOT_IN_A_MESSAGE)
def test_what_was_in_no_message_leads_nowhere(running: RunningService, code):
    answer = follow(running, code)

    assert answer.status_code == 404
    assert "location" not in answer.headers
    assert "evil" not in answer.text or answer.headers["content-type"] == "application/json"


def test_a_page_loads_nothing_and_runs_nothing(running: RunningService):
    answer = follow(running, "AAAAAAAA")

    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_only_get_and_head_are_answered(running: RunningService):
    _, code = sent_link(running)

    assert follow(running, code, "POST").status_code == 405


def test_a_person_is_led_on_though_the_click_cannot_be_written(running: RunningService, monkeypatch):
    _, code = sent_link(running)

    async def fails(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(Clicks, "record", fails)

    assert follow(running, code).headers["location"] == TARGET


def test_an_ended_link_is_forgotten_after_a_month(service: RunningService):
    _, code = sent_link(service)
    housekeeping = Housekeeping(service.store, service.store, service.clock)

    service.clock.move(7 * DAY)
    housekeeping.tidy()
    ended = follow(service, code).status_code
    service.clock.move(LINKS_REMEMBERED + 1)
    housekeeping.tidy()

    assert (ended, follow(service, code).status_code) == (410, 404)
