"""STOP and its like: the opt-out list, the confirmation, and the way back."""

import pytest
from bench import Bench
from writing import PERSON, opted_out, sent, write

from interface.parts import count_parts
from messaging_service.inbound.words import confirmation, opts_in, opts_out, plain

SLOVAK, GERMAN, POLISH, AMERICAN = "421903123456", "4915112345678", "48512345678", "12015550123"


@pytest.mark.parametrize(
    "word", ["STOP", "StopAll", "unsubscribe", "CANCEL", "End", "QUIT", "Revoke", "optout", " stop\n", "Štop"]
)
def test_a_word_alone_opts_out_whatever_its_case_and_accents(word):
    assert opts_out(word, AMERICAN)


@pytest.mark.parametrize("text", ["STOP it", "non-stop", "STOP.", "", " ", "stopp", "odhlásit", "YES", "START"])
def test_any_other_text_does_not(text):
    assert not opts_out(text, AMERICAN)


@pytest.mark.parametrize(
    ("word", "number"),
    [("odhlásit", PERSON), ("Zrušiť", SLOVAK), ("ABMELDEN", GERMAN), ("Rezygnuję", POLISH), ("stopp", GERMAN)],
)
def test_people_opt_out_in_the_language_of_their_country(word, number):
    assert opts_out(word, number)


def test_the_words_are_written_as_they_are_compared():
    assert plain("Désabonner ß") == "DESABONNER SS"
    assert [opts_in(text) for text in ("start", " Start ", "START now")] == [True, True, False]


@pytest.mark.parametrize("number", [PERSON, SLOVAK, GERMAN, POLISH, AMERICAN, "999"])
def test_a_confirmation_costs_one_part_and_names_the_way_back(number):
    assert count_parts(confirmation(number)).parts == 1
    assert "START" in confirmation(number)


def test_stop_puts_the_number_on_the_list_of_the_whole_account(bench: Bench):
    (message_id,) = sent(bench, tag="promotional")

    write(bench, "Stop")

    message = bench.message(message_id)
    assert opted_out(bench) == [("optout", PERSON, "default")]
    assert message.ts_optout is not None
    assert message.ts_replied is not None
    assert [line["count_optout"] for line in bench.statistics().values()] == [1]
    assert bench.statistics() == bench.recount()


def test_opting_out_is_confirmed_once_and_the_opt_out_does_not_block_it(bench: Bench):
    sent(bench)

    write(bench, "STOP")
    write(bench, "stop")
    bench.run_for(seconds=1)

    assert bench.texts()[1:] == [("Dovecote", confirmation(PERSON))]
    assert [message.state for message in bench.messages()] == ["delivered", "delivered"]


def test_promotional_messages_stop_and_start_again(bench: Bench):
    sent(bench)
    write(bench, "STOP")
    sent(bench)
    bench.suppress("optout", PERSON, subid="shop")

    write(bench, "Start")
    sent(bench)

    assert opted_out(bench) == []
    states = [message.state for message in bench.messages() if message.content.tags == "promotional"]
    assert states == ["delivered", "rejected", "delivered"]


def test_the_account_may_confirm_in_its_own_words(bench: Bench):
    sent(bench, params={"_incoming": {"reply": {"STOP": "Goodbye!"}}})

    write(bench, "stop")
    bench.run_for(seconds=1)

    assert bench.texts()[1:] == [("Dovecote", "Goodbye!")]


def test_who_wrote_to_one_account_gets_the_messages_of_others(bench: Bench):
    other = bench.open_account(default_sender="Other")
    sent(bench)

    write(bench, "STOP")
    sent(bench, key=other)

    assert [message.state for message in bench.messages(other)] == ["delivered"]
