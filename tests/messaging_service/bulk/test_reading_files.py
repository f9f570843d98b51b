"""Every line of a file becomes a message or a rejected notification, once, whenever its worker dies."""

import io
from itertools import pairwise
from uuid import UUID

import pytest
from bench import CALLBACK, Bench
from hypothesis import given, settings
from hypothesis import strategies as st
from reader import Desk, DiedError
from uploading import jsonl, message

from interface.bulk import BulkState
from interface.results import Result
from messaging_service.bulk import lines as line_module
from messaging_service.bulk.line_ids import line_id
from messaging_service.bulk.lines import LONGEST_LINE, Place, read_batch
from messaging_service.bulk.reading import ReadElsewhere
from messaging_service.clock import DAY, HOUR, MINUTE, SECOND
from messaging_service.store import bulk as queries

REQUEST = "01a1f76a-41ea-7904-b99f-2e43f3878595"
endings = st.sampled_from([b"\n", b"\r\n"])
texts = st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"").strip().removeprefix(b"\xef\xbb\xbf").strip())


@st.composite
def files(draw):
    """Draw the lines of a file, and the file."""
    contents = draw(st.lists(texts, max_size=30))
    written = b"".join(content + draw(endings) for content in contents)
    return contents, written


@settings(max_examples=150, deadline=None)
@given(file=files(), a_batch=st.integers(1, 7))
def test_a_file_read_in_batches_is_its_lines_in_order(file, a_batch):
    contents, written = file
    found, place = [], Place(0, 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_module, "LINES_A_BATCH", a_batch)
        while batch := read_batch(io.BytesIO(written), place):
            found += batch
            place = Place(batch[-1].end, batch[-1].number)

    assert [line.content for line in found] == contents
    assert [line.number for line in found] == list(range(1, len(contents) + 1))
    assert place == Place(len(written), len(contents))


@given(lines=st.lists(st.integers(1, 2**32 - 1), min_size=2, unique=True))
def test_lines_have_identifiers_in_their_order_that_are_always_the_same(lines):
    ids = [line_id(REQUEST, line) for line in sorted(lines)]

    assert all(first < second for first, second in pairwise(ids))
    assert ids == [line_id(REQUEST, line) for line in sorted(lines)]
    assert {(UUID(each).version, each[:13]) for each in ids} == {(7, REQUEST[:13])}


def test_a_line_that_is_too_long_is_passed_over_in_constant_memory():
    file = io.BytesIO(b"x" * (3 * LONGEST_LINE) + b"\nnext\n" + b"y" * (LONGEST_LINE + 1))

    lines = read_batch(file, Place(0, 0))

    assert [line.content for line in lines] == [None, b"next", None]
    assert lines[-1].end == 4 * LONGEST_LINE + 7


def test_a_batch_ends_when_it_is_large():
    file = io.BytesIO((b"x" * (LONGEST_LINE - 1) + b"\n") * 6)

    assert len(read_batch(file, Place(0, 0))) == 5


def test_a_mark_of_the_byte_order_is_no_part_of_the_first_line():
    assert read_batch(io.BytesIO(b"\xef\xbb\xbf{}"), Place(0, 0))[0].content == b"{}"


def test_messages_and_the_place_in_the_file_are_written_together(bench: Bench, tmp_path):
    desk = Desk(bench, tmp_path)
    upload = desk.receive(jsonl(message(), message()))

    step = desk.read_on(upload)

    assert step.is_done
    assert [each.message_id for each in bench.messages()] == [f"{line_id(upload.request_id, n)}-0" for n in (1, 2)]
    assert desk.row(upload)["state"] == BulkState.DONE
    assert desk.files() == []


def test_a_worker_that_is_behind_writes_nothing(bench: Bench, tmp_path):
    desk = Desk(bench, tmp_path)
    upload = desk.receive(jsonl(message(), message()))
    desk.read_on(upload, lines=1)

    with pytest.raises(ReadElsewhere):
        desk.read_on(upload, lines=1)

    assert len(bench.messages()) == 1


@pytest.mark.parametrize("at", ["contents", "messages", "callbacks"])
def test_a_worker_that_dies_before_the_commit_leaves_the_place_where_it_was(bench: Bench, at, tmp_path):
    desk = Desk(bench, tmp_path)
    upload = desk.receive(jsonl(message(), {"callback": CALLBACK}))

    with pytest.raises(DiedError):
        desk.die_at(at, upload)
    after_death = (bench.messages(), bench.notifications(), desk.row(upload)["position"])
    step = desk.read_on(upload)

    assert after_death == ([], [], 0)
    assert (step.upload.accepted, step.upload.rejected, len(bench.messages())) == (1, 1, 1)


def test_a_file_is_one_worker_s_until_its_lease_ends(bench: Bench, tmp_path):
    desk = Desk(bench, tmp_path)
    desk.receive(jsonl(message()))

    first, second = desk.claim(), desk.claim()
    bench.clock.move(61 * SECOND)
    third = desk.claim()

    assert (second, third) == (None, first)


def test_files_take_turns(bench: Bench, tmp_path):
    desk = Desk(bench, tmp_path)
    large = desk.receive(jsonl(message(), message()))
    bench.clock.move(1)
    small = desk.receive(jsonl(message()))
    order = []

    for _ in range(2):
        bench.clock.move(1)
        claimed = desk.claim()
        order.append(claimed.id)
        desk.read_on(claimed, lines=1, keep_claim=False)

    assert order == [large.id, small.id]


def test_a_scheduled_file_is_read_when_its_time_has_come(bench: Bench, tmp_path):
    desk = Desk(bench, tmp_path)
    upload = desk.receive(jsonl(message()), hours_ahead=1)

    before = desk.claim()
    bench.clock.move(HOUR)
    after = desk.claim()

    assert (before, after.id) == (None, upload.id)


def test_a_file_that_is_not_there_is_looked_for_during_a_day(bench: Bench, tmp_path):
    desk = Desk(bench, tmp_path)
    upload = desk.receive(jsonl(message()))
    desk.lose(upload)

    desk.turn()
    next_look = desk.row(upload)["due_at"]
    bench.clock.move(DAY)
    desk.turn()

    assert next_look == bench.clock.now() - DAY + MINUTE
    assert (desk.row(upload)["state"], desk.row(upload)["due_at"]) == (BulkState.FAILED, None)


def test_a_bad_line_is_told_to_its_own_callback_where_that_can_be_read(bench: Bench, tmp_path):
    desk = Desk(bench, tmp_path)
    desk.receive(jsonl({"to": [{"phone_number": "420601123456"}], "callback": CALLBACK, "payload": {"row": 7}}))

    desk.turn()

    (event,) = bench.notifications()
    assert (event["result"], event["result_info"]) == ("rejected", "[2] Line 1: body is required.")
    assert (event["to"], event["payload"]) == ({"phone_number": "420601123456"}, {"row": 7})
    assert event["type"] == "outgoing"
    assert desk.receivers() == [CALLBACK]


@pytest.mark.parametrize(
    "line", [b"{", b"[]", b"null", b"\xff\xfe", b'{"to": 5}', b'{"callback": "ftp://x"}', b"x" * 2**20]
)
def test_any_other_bad_line_is_told_to_the_key_s_callback(bench_on_sqlite: Bench, line, tmp_path):
    desk = Desk(bench_on_sqlite, tmp_path, default_callback_url="https://default.example/")
    desk.receive(line)

    desk.turn()

    (event,) = bench_on_sqlite.notifications()
    assert (event["result"], event["to"]) == ("rejected", {"phone_number": ""})
    assert event["result_info"].startswith("[2] Line 1: ")
    assert desk.receivers() == ["https://default.example/"]


def test_without_any_callback_a_bad_line_is_still_counted(bench_on_sqlite: Bench, tmp_path):
    desk = Desk(bench_on_sqlite, tmp_path)
    upload = desk.receive(jsonl(b"{", message()))

    desk.turn()

    row = desk.row(upload)
    assert (row["accepted"], row["rejected"], bench_on_sqlite.notifications()) == (1, 1, [])


def test_the_first_twenty_bad_lines_are_kept(bench_on_sqlite: Bench, tmp_path):
    desk = Desk(bench_on_sqlite, tmp_path)
    upload = desk.receive(jsonl(message(), b"", *[b"{}"] * 25))

    desk.turn(lines=7)

    assert [each["line"] for each in desk.errors(upload)] == list(range(3, 23))
    assert (desk.row(upload)["lines"], desk.row(upload)["rejected"]) == (27, 25)


def test_the_datetime_of_a_line_holds_when_the_line_is_read(bench_on_sqlite: Bench, tmp_path):
    desk = Desk(bench_on_sqlite, tmp_path)
    desk.receive(jsonl(message(datetime="2026-03-02T12:00:00Z"), message(datetime="2026-03-01T12:00:00Z")))
    bench_on_sqlite.clock.move(HOUR)

    desk.turn()

    waits = [each.due_at - bench_on_sqlite.clock.now() for each in bench_on_sqlite.messages()]
    assert waits == [HOUR, 0]


def test_recipients_of_a_line_share_its_id(bench_on_sqlite: Bench, tmp_path):
    desk = Desk(bench_on_sqlite, tmp_path)
    upload = desk.receive(
        jsonl({"to": [{"phone_number": "420601123456"}, {"phone_number": "420601123457"}], "body": "x"})
    )

    desk.turn()

    assert [each.message_id[-2:] for each in bench_on_sqlite.messages()] == ["-0", "-1"]
    assert {each.content.request_id for each in bench_on_sqlite.messages()} == {upload.request_id}
    assert {each.state for each in bench_on_sqlite.messages()} == {Result.ACCEPTED}


def test_two_workers_read_a_file_once(bench_on_postgresql: Bench, tmp_path):
    bench = bench_on_postgresql
    desk = Desk(bench, tmp_path)
    upload = desk.receive(jsonl(*[message()] * 300))

    desk.read_from_two_threads(upload, lines=5)

    assert len({each.message_id for each in bench.messages()}) == len(bench.messages()) == 300
    assert desk.row(upload)["accepted"] == 300


def test_what_a_dead_worker_of_sqlite_held_is_free_at_the_next_start(bench_on_sqlite: Bench, tmp_path):
    desk = Desk(bench_on_sqlite, tmp_path)
    upload = desk.receive(jsonl(message()))
    desk.claim()

    with bench_on_sqlite.store.writing() as connection:
        released = queries.release(connection, bench_on_sqlite.clock.now())

    assert (released, desk.claim()) == (1, upload)
