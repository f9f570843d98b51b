import pytest

from flows.inbound.words import OPT_IN_WORDS, OPT_OUT_WORDS, Kind, kind_of


@pytest.mark.parametrize("body", ["STOP", " stop. ", "Stop!", "Odhlásit", "ZRUŠIT", "arrêt", "unsubscribe\n"])
def test_a_word_alone_opts_out_whatever_its_case_and_accents(body):
    assert kind_of(body, OPT_OUT_WORDS, OPT_IN_WORDS) is Kind.OPT_OUT


@pytest.mark.parametrize("body", ["Don't stop", "stop it", "", "!", "YES", "stopping"])
def test_a_word_among_others_is_a_message(body):
    assert kind_of(body, OPT_OUT_WORDS, OPT_IN_WORDS) is Kind.MESSAGE


def test_a_word_may_be_of_ones_own():
    assert kind_of("Dost!", ["dost"], []) is Kind.OPT_OUT
    assert kind_of("STOP", ["dost"], []) is Kind.MESSAGE
    assert kind_of("start", OPT_OUT_WORDS, OPT_IN_WORDS) is Kind.OPT_IN
