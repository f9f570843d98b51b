"""The laws of counting SMS parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interface.parts import (
    GSM_ALPHABET,
    GSM_EXTENSION,
    Encoding,
    Parts,
    count_parts,
    expensive_characters,
    transliterate,
)

gsm_texts = st.text(alphabet=GSM_ALPHABET + GSM_EXTENSION, max_size=700)
any_texts = st.text(max_size=300)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Parts(Encoding.GSM7, 0, 1)),
        ("a" * 160, Parts(Encoding.GSM7, 160, 1)),
        ("a" * 161, Parts(Encoding.GSM7, 161, 2)),
        ("a" * 306, Parts(Encoding.GSM7, 306, 2)),
        ("a" * 307, Parts(Encoding.GSM7, 307, 3)),
        ("€" * 80, Parts(Encoding.GSM7, 160, 1)),
        ("€" * 81, Parts(Encoding.GSM7, 162, 2)),
        ("a" * 152 + "€" + "a" * 152, Parts(Encoding.GSM7, 306, 3)),
        ("ž" * 70, Parts(Encoding.UCS2, 70, 1)),
        ("ž" * 71, Parts(Encoding.UCS2, 71, 2)),
        ("ž" * 134, Parts(Encoding.UCS2, 134, 2)),
        ("ž" * 135, Parts(Encoding.UCS2, 135, 3)),
        ("😀" * 35, Parts(Encoding.UCS2, 70, 1)),
        ("a" * 66 + "😀" + "a" * 66, Parts(Encoding.UCS2, 134, 3)),
        ("\x1b", Parts(Encoding.UCS2, 1, 1)),
    ],
)
def test_parts_are_counted_to_the_unit(text, expected):
    assert count_parts(text) == expected


@given(gsm_texts)
def test_gsm_text_is_split_without_parting_an_escape_from_its_character(text):
    pieces = [1 + (character in GSM_EXTENSION) for character in text]

    assert count_parts(text) == Parts(Encoding.GSM7, sum(pieces), _greedy(pieces, alone=160, joined=153))


@given(any_texts.map(lambda text: text + "ж"))
def test_other_text_is_split_without_parting_a_surrogate_pair(text):
    pieces = [1 + (character > "\uffff") for character in text]

    assert count_parts(text) == Parts(Encoding.UCS2, sum(pieces), _greedy(pieces, alone=70, joined=67))


def _greedy(pieces: list[int], *, alone: int, joined: int) -> int:
    if sum(pieces) <= alone:
        return 1
    parts, used = 1, 0
    for piece in pieces:
        parts, used = (parts, used + piece) if used + piece <= joined else (parts + 1, piece)
    return parts


@given(any_texts, any_texts)
def test_a_longer_text_never_has_fewer_parts(text, more):
    assert count_parts(text + more).parts >= count_parts(text).parts


@given(any_texts)
def test_transliterated_text_always_travels_in_gsm(text):
    assert count_parts(transliterate(text)).encoding is Encoding.GSM7


@given(gsm_texts)
def test_transliteration_leaves_gsm_text_alone(text):
    assert transliterate(text) == text


@given(any_texts)
def test_a_text_is_expensive_exactly_when_it_names_characters(text):
    assert bool(expensive_characters(text)) == (count_parts(text).encoding is Encoding.UCS2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Příliš žluťoučký kůň", "Prilis zlutoucky kun"),
        ("“quoted” \u2013 and…", '"quoted" - and...'),
        ("Привет", "Privet"),
        ("e\u0301", "é"),
        ("zero\u200dwidth", "zerowidth"),
        ("a\u00a0b\tc\u2028d", "a b c\nd"),
        ("½ ﬁne ™", "1/2 fine TM"),
        ("😀", "?"),
    ],
)
def test_transliteration_finds_look_alikes(text, expected):
    assert transliterate(text).split() == expected.split()


def test_expensive_characters_are_named_once_in_order():
    assert expensive_characters("žluť až 😀ž") == ("ž", "ť", "😀")
