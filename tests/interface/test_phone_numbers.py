"""Phone numbers in any common writing become the digits on the wire, or say why not."""

import random

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from interface.phone_numbers import (
    TEST_NUMBER,
    Country,
    InvalidPhoneNumber,
    country,
    mobile_country_codes,
    normalise,
    time_zones,
)


@pytest.mark.parametrize(
    "text",
    [
        "420777123456",
        "+420 777 123 456",
        "00420777123456",
        "00 420 777 123 456",
        "(+420) 777-123-456",
        "777 123 456",
        "0777123456",
        "777.123/456",
        "[777] 123\u2013456",
        "\u202a+420\u00a0777\u00a0123\u00a0456\u202c",
        "٧٧٧١٢٣٤٥٦",
        "\uff0b\uff14\uff12\uff10777123456",
        " 777123456\n",
    ],
)
def test_any_common_writing_of_a_czech_number_is_understood(text):
    assert normalise(text) == "420777123456"


@pytest.mark.parametrize(
    ("text", "calling_code", "expected"),
    [
        ("+44 (0)7400 123456", "420", "447400123456"),
        ("447400123456", "420", "447400123456"),
        ("966512345678", "420", "966512345678"),
        ("602123456", "420", "420602123456"),
        ("+39 06 698 12345", "420", "390669812345"),
        ("06 698 12345", "39", "390669812345"),
        ("0151 23456789", "49", "4915123456789"),
        ("420777123456", "49", "420777123456"),
        ("(201) 555-0123", "1", "12015550123"),
        ("1 (201) 555-0123", "1", "12015550123"),
        ("07 07 07 07 07", "225", "2250707070707"),
        ("+800 1234 5678", "420", "80012345678"),
    ],
)
def test_national_and_international_numbers_are_told_apart(text, calling_code, expected):
    assert normalise(text, calling_code) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "fewer than 7 digits"),
        ("+", "fewer than 7 digits"),
        ("123456", "fewer than 7 digits"),
        ("9" * 16, "more than 15 digits"),
        ("777 ABC 456", "contains letters"),
        ("999999999999", "no known country calling code"),
        ("+420 123 456 789", "not valid for its country"),
        ("+777123456", "not valid for its country"),
    ],
)
def test_what_is_not_a_number_says_why(text, reason):
    with pytest.raises(InvalidPhoneNumber, match=reason) as raised:
        normalise(text)

    assert "123" not in str(raised.value)


@given(st.text())
def test_no_text_breaks_it(text):
    try:
        number = normalise(text)
    except InvalidPhoneNumber:
        return

    assert number.isascii()
    assert number.isdigit()
    assert 7 <= len(number) <= 15


def _sample() -> list[str]:
    """Valid numbers of every region and kind, each with many near misses, and random digits."""
    chance = random.Random(20260301)
    examples = [
        f"{example.country_code}{phonenumbers.national_significant_number(example)}"
        for region in phonenumbers.SUPPORTED_REGIONS
        for kind in phonenumbers.PhoneNumberType.values()
        if (example := phonenumbers.example_number_for_type(region, kind))
    ]
    misses = [_altered(example, chance) for example in examples for _ in range(8)]
    codes = list(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)
    noise = [f"{chance.choice(codes)}{chance.randrange(10 ** chance.randint(3, 13))}" for _ in range(10_000)]
    return examples + misses + noise


def _altered(number: str, chance: random.Random) -> str:
    digits = list(number)
    digits[chance.randrange(1, len(digits))] = chance.choice("0123456789")
    digits.insert(chance.randrange(1, len(digits)), chance.choice(["", "", "", "0", "7"]))
    return "".join(digits)


def _as_the_library_says(digits: str) -> tuple[str, str | None] | None:
    try:
        parsed = phonenumbers.parse(f"+{digits}")
    except phonenumbers.NumberParseException:
        return None
    number = f"{parsed.country_code}{phonenumbers.national_significant_number(parsed)}"
    valid = phonenumbers.is_valid_number(parsed) and 7 <= len(number) <= 15
    return (number, phonenumbers.region_code_for_number(parsed)) if valid else None


def _as_we_say(digits: str) -> tuple[str, str | None] | None:
    try:
        number = normalise(f"+{digits}")
    except InvalidPhoneNumber:
        return None
    found = country(number)
    return number, found.region if found else None


def test_every_answer_is_the_librarys():
    sample = _sample()

    differing = [digits for digits in sample if _as_we_say(digits) != _as_the_library_says(digits)]

    assert len(sample) > 20_000
    assert differing == []


def test_the_country_of_a_number_has_its_codes():
    assert country("420777123456") == Country("CZ", "420", 230)
    assert country("12045550123") == Country("CA", "1", 302)
    assert country("80012345678") == Country("001", "800", 901)
    assert country("420123456789") is None
    assert country("") is None


def test_every_region_has_a_mobile_country_code():
    assert set(phonenumbers.SUPPORTED_REGIONS) - set(mobile_country_codes()) == set()


def test_the_time_zones_of_a_number_are_known():
    assert time_zones("420777123456") == ("Europe/Prague",)
    assert time_zones("80012345678") == ()
    assert time_zones("1") == ()


def test_the_test_number_is_a_valid_number():
    assert normalise(TEST_NUMBER) == TEST_NUMBER
