"""Links are shortened before the parts are counted, and each recipient has codes of their own."""

import re
from dataclasses import replace
from itertools import chain, repeat

import pytest
from bench import OTHER_CZECH, RULES, VODAFONE, Bench
from sqlalchemy import event, select

from messaging_service.clock import DAY, SECOND
from messaging_service.links.codes import LENGTH, new_code
from messaging_service.links.shortening import LASTS, ShortLinks
from messaging_service.store.tables import short_links

LONG = "https://example.com/" + "path/" * 40
TEXT = f"Look: {LONG}?a=1#top"
SHORT = re.compile(rf"Look: https://dove\.example/l/([0-9A-Za-z]{{{LENGTH}}})")


def rows(bench: Bench) -> list[dict]:
    with bench.store.reading() as connection:
        return [dict(row) for row in connection.execute(select(short_links)).mappings()]


def test_a_text_leaves_with_short_links_and_is_billed_as_it_leaves(bench: Bench):
    (message_id,) = bench.accept(OTHER_CZECH, body=TEXT, params={"_url": {}})

    bench.send()

    ((_, text),) = bench.texts()
    message = bench.message(message_id)
    ((code,),) = [match.groups() for match in [SHORT.fullmatch(text)]]
    assert (message.parts, message.price_czk) == (1, 1_000_000)
    assert [(row["code"], row["target"], row["message_row"]) for row in rows(bench)] == [
        (code, f"{LONG}?a=1#top", message.id),
    ]


def test_each_recipient_has_codes_of_their_own(bench: Bench):
    bench.accept(OTHER_CZECH, VODAFONE, body=f"{LONG} {LONG}", params={"_url": {}})

    bench.send()

    codes = re.findall(r"/l/(\w+)", " ".join(text for _, text in bench.texts()))
    assert len(set(codes)) == 4
    assert {row["code"] for row in rows(bench)} == set(codes)


@pytest.mark.parametrize("params", [None, {}, {"_url": None}, {"_incoming": {"reply": {"A": "B"}}}])
def test_links_stay_as_they_are_unless_shortening_is_asked_for(bench_on_sqlite: Bench, params):
    bench_on_sqlite.accept(OTHER_CZECH, body=TEXT, params=params)

    bench_on_sqlite.send()

    assert [text for _, text in bench_on_sqlite.texts()] == [TEXT]
    assert rows(bench_on_sqlite) == []


def test_a_text_without_links_stays_as_it_is(bench_on_sqlite: Bench):
    bench_on_sqlite.accept(OTHER_CZECH, body="Hello, shop.cz", params={"_url": {}})

    bench_on_sqlite.send()

    assert [text for _, text in bench_on_sqlite.texts()] == ["Hello, shop.cz"]


def test_with_all_names_are_shortened_too(bench_on_sqlite: Bench):
    bench_on_sqlite.accept(OTHER_CZECH, body="Look: shop.cz/akce", params={"_url": {"type": "all"}})

    bench_on_sqlite.send()

    assert SHORT.fullmatch(bench_on_sqlite.texts()[0][1])
    assert [row["target"] for row in rows(bench_on_sqlite)] == ["http://shop.cz/akce"]


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_short_links_are_below_the_domain_asked_for(bench_on_sqlite: Bench, scheme):
    rules = replace(RULES, links=ShortLinks("http://127.0.0.1:8800", scheme))
    bench_on_sqlite.accept(OTHER_CZECH, body=TEXT, params={"_url": {"domain": "go.shop.example"}})

    bench_on_sqlite.submit(bench_on_sqlite.decide(rules=rules))

    assert bench_on_sqlite.texts()[0][1].startswith(f"Look: {scheme}://go.shop.example/l/")


@pytest.mark.parametrize(
    ("wish", "body", "target"),
    [
        ({"get_enhance": "id"}, "https://a.cz/b", "https://a.cz/b?_={id}"),
        ({"get_enhance": "code"}, "https://a.cz/b?c=d#e", "https://a.cz/b?c=d&_={code}#e"),
        ({"get_enhance": "id", "get_name": "sms"}, "https://a.cz", "https://a.cz/?sms={id}"),
    ],
)
def test_the_target_is_told_who_comes(bench_on_sqlite: Bench, wish, body, target):
    (message_id,) = bench_on_sqlite.accept(OTHER_CZECH, body=body, params={"_url": wish})

    bench_on_sqlite.send()

    (row,) = rows(bench_on_sqlite)
    assert row["target"] == target.format(id=message_id, code=row["code"])


@pytest.mark.parametrize("name", ["expires_at", "expires"])
def test_links_end_when_the_message_says_so(bench_on_sqlite: Bench, name):
    ends = bench_on_sqlite.clock.now() // SECOND + 3600
    bench_on_sqlite.accept(OTHER_CZECH, body=TEXT, params={"_url": {name: ends}})

    bench_on_sqlite.send()

    assert [row["expires_at"] for row in rows(bench_on_sqlite)] == [ends * SECOND]


def test_links_last_seven_days_from_when_the_message_is_sent(bench_on_sqlite: Bench):
    later = "2026-03-12T10:00:00Z"
    bench_on_sqlite.accept(OTHER_CZECH, body=TEXT, params={"_url": {}}, datetime=later)
    bench_on_sqlite.decide()
    bench_on_sqlite.clock.move(10 * DAY)

    bench_on_sqlite.send()

    assert LASTS == 7 * DAY
    assert [row["expires_at"] for row in rows(bench_on_sqlite)] == [bench_on_sqlite.clock.now() + LASTS]


def test_what_does_not_leave_gets_no_links(bench: Bench):
    bench.suppress("optout", OTHER_CZECH)
    poor = bench.open_account(credit=0)
    window = {"start": "22:00", "end": "23:00", "tz": "UTC"}
    bench.accept(OTHER_CZECH, body=TEXT, params={"_url": {}})
    bench.accept(VODAFONE, body=TEXT, params={"_url": {}}, key=poor)
    bench.accept(VODAFONE, body=TEXT, params={"_url": {}}, delivery_time=window)

    bench.decide()

    assert rows(bench) == []
    assert [message.short_text for message in [*bench.messages(), *bench.messages(poor)]] == [None] * 3


def test_a_message_handed_over_again_keeps_its_links(bench: Bench):
    (message_id,) = bench.accept(OTHER_CZECH, body=TEXT, params={"_url": {}})
    first = bench.decide().outgoing
    bench.clock.move(61 * SECOND)

    again = bench.decide().outgoing

    assert [message.message_id for message in again] == [message_id]
    assert again[0].short_text == first[0].short_text
    assert len(rows(bench)) == 1


def test_each_step_of_a_flow_has_links_of_its_own_and_a_step_without_has_none(bench: Bench):
    viber = {"viber": {"sender": "Dove", "body": f"Viber {LONG}"}}
    flow = [viber, {"sms": {"body": "No link"}}, {"sms": {"body": TEXT}}]
    (message_id,) = bench.accept("420601129001", body=TEXT, params={"_url": {}}, flow=flow)

    bench.run_for(seconds=3)

    texts = [text for _, text in bench.texts()]
    assert bench.message(message_id).flow_index == 2
    assert texts[0].startswith("Viber https://dove.example/l/")
    assert texts[1] == "No link"
    assert SHORT.fullmatch(texts[2])
    assert len(rows(bench)) == 2


def test_a_code_is_used_once_even_if_it_is_drawn_again(bench: Bench):
    rules = replace(RULES, links=ShortLinks("https://dove.example", draw=_first_always("aaaaaaaa")))
    bench.accept(OTHER_CZECH, VODAFONE, body=TEXT, params={"_url": {}})

    bench.decide(limit=1, rules=rules)
    bench.decide(
        limit=1, rules=replace(RULES, links=ShortLinks("https://dove.example", draw=_first_always("aaaaaaaa")))
    )

    codes = [row["code"] for row in rows(bench)]
    assert len(set(codes)) == 2
    assert "aaaaaaaa" in codes


def _first_always(code):
    drawn = chain([code], repeat(None))
    return lambda: next(drawn) or new_code()


def test_codes_use_the_whole_alphabet():
    letters = {letter for _ in range(500) for letter in new_code()}

    assert len(letters) == 62


def test_without_an_address_of_the_service_the_message_is_rejected_with_the_reason(bench: Bench):
    rules = replace(RULES, links=ShortLinks(None))
    bench.accept(OTHER_CZECH, body=TEXT, params={"_url": {}})
    bench.accept(VODAFONE, body=TEXT, params={"_url": {"domain": "go.shop.example"}})
    bench.accept(VODAFONE, body="No link", params={"_url": {}})

    outgoing = bench.decide(rules=rules).outgoing

    assert [message.phone_number for message in outgoing] == [VODAFONE, VODAFONE]
    rejected = next(event for event in bench.notifications() if event["result"] == "rejected")
    assert rejected["result_info"] == (
        "[2] Short links need the setting DOVECOTE_PUBLIC_URL, or a domain in params._url"
    )


def test_messages_without_links_cost_no_query(bench: Bench):
    bench.accept(OTHER_CZECH, body=TEXT)
    statements = []

    def note(_connection, _cursor, statement, *_):
        statements.append(statement)

    event.listen(bench.store.engine, "before_cursor_execute", note)
    bench.decide()
    event.remove(bench.store.engine, "before_cursor_execute", note)

    assert statements
    assert not [statement for statement in statements if "short_links" in statement]


@pytest.mark.parametrize("kind", ["utf", "sms"])
def test_transliteration_leaves_addresses_alone(bench_on_sqlite: Bench, kind):
    flow = [{"sms": {"type": kind}}]
    bench_on_sqlite.accept(OTHER_CZECH, body="Look: https://a.cz/{ě}", params={"_url": {}}, flow=flow)

    bench_on_sqlite.send()

    assert SHORT.fullmatch(bench_on_sqlite.texts()[0][1])
    assert [row["target"] for row in rows(bench_on_sqlite)] == ["https://a.cz/%7B%C4%9B%7D"]
