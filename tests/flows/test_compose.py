from builders import number

from flows.ledger import Way
from flows.planning.compose import Group, Packing, compose
from flows.planning.texts import parse_text
from flows.recipients.reading import Recipient
from flows.recipients.sources import LeftOut


def people(count):
    return [Recipient(index + 2, number(index), {"name": f"P{index}"}) for index in range(count)]


def test_one_text_for_all_is_packed_ten_by_ten():
    composition = compose([Group(people(205))], parse_text("Hello"), Packing())

    objects = [[len(one.recipients) for one in batch.messages] for batch in composition.batches]
    assert objects == [[10] * 10, [10] * 10, [5]]


def test_personal_texts_are_packed_ten_a_call():
    composition = compose([Group(people(25))], parse_text("Hello {name}"), Packing())

    assert [len(batch.messages) for batch in composition.batches] == [10, 10, 5]
    assert composition.batches[0].messages[3].body == "Hello P3"


def test_recipients_of_the_same_personal_text_share_a_message_object():
    both = [Recipient(2, number(1), {"city": "Brno"}), Recipient(3, number(2), {"city": "Brno"})]

    composition = compose([Group(both)], parse_text("{city}"), Packing())

    assert [one.phone_number for one in composition.batches[0].messages[0].recipients] == [number(1), number(2)]


def test_a_text_that_is_empty_or_too_long_is_left_out_with_its_line():
    rows = [Recipient(2, number(1), {"name": ""}), Recipient(3, number(2), {"name": "x" * 1001})]

    composition = compose([Group(rows)], parse_text("{name}"), Packing())

    assert composition.batches == ()
    assert composition.unsendable == (
        LeftOut(2, "The text is empty for this recipient."),
        LeftOut(3, "The text has 1001 characters for this recipient; at most 1000 are sent."),
    )


def test_an_empty_place_is_sent_and_told():
    rows = [Recipient(2, number(1), {"name": ""})]

    composition = compose([Group(rows)], parse_text("Hello {name}!"), Packing())

    assert composition.batches[0].messages[0].body == "Hello !"
    assert composition.empty_places == (LeftOut(2, "No value for name."),)


def test_with_a_rate_a_call_has_at_most_a_seconds_messages():
    composed = compose([Group(people(25))], parse_text("Hello"), Packing(recipients_a_call=7))

    sizes = [sum(len(one.recipients) for one in batch.messages) for batch in composed.batches]
    assert sizes == [7, 7, 7, 4]


def test_a_large_wave_goes_as_a_file_and_a_small_one_as_calls():
    groups = [Group(people(30), wave=2), Group(people(5), wave=1, delivery_time={"tz": "Asia/Tokyo"})]

    composed = compose(groups, parse_text("Hello"), Packing(bulk_from=30))

    assert [(batch.wave, batch.way) for batch in composed.batches] == [(1, Way.CALLS), (2, Way.BULK)]
    assert composed.batches[0].messages[0].delivery_time == {"tz": "Asia/Tokyo"}
