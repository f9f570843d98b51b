"""Codes, the key that protects them, the text that carries them, and the statuses of a session."""

import re
import stat
from collections import Counter

import pytest
from pydantic import ValidationError

from interface.results import Result
from messaging_service.settings import Settings
from messaging_service.verification.account import AccountVerification, changed
from messaging_service.verification.codes import CodeKeeper, WrongKey, new_code, new_token
from messaging_service.verification.key import open_codes
from messaging_service.verification.numbers import Number, read_number
from messaging_service.verification.session import Session, Status, status_of

CODES = CodeKeeper(b"a key of at least thirty-two characters")
SESSION = Session("a-token", 1, "420777123456", "digest", 0, 6, 1000, 2000, None, None)


def test_codes_are_six_digits_of_every_kind():
    codes = [new_code() for _ in range(2000)]

    assert all(re.fullmatch("[0-9]{6}", code) for code in codes)
    assert len(set(codes)) > 1980
    assert Counter(code[0] for code in codes).keys() == set("0123456789")


def test_tokens_never_repeat():
    assert len({new_token() for _ in range(1000)}) == 1000


def test_a_digest_is_of_one_session_and_one_code():
    digest = CODES.digest("token", "000123")

    assert CODES.matches("token", "000123", digest)
    assert not CODES.matches("token", "000124", digest)
    assert not CODES.matches("toke", "n000123", digest)
    assert not CodeKeeper(b"another key").matches("token", "000123", digest)


def test_what_is_sealed_twice_looks_different_and_opens_with_the_key_only():
    sealed = CODES.seal("000123")

    assert sealed != CODES.seal("000123")
    assert CODES.unseal(sealed) == "000123"
    with pytest.raises(WrongKey):
        CodeKeeper(b"another key").unseal(sealed)


def test_a_sqlite_store_has_a_key_file_beside_it_that_only_its_owner_reads(tmp_path):
    settings = Settings(database=f"sqlite:///{tmp_path}/data/dovecote.db")

    digest = open_codes(settings).digest("token", "123456")

    file = tmp_path / "data" / "verification.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.fullmatch("[0-9a-f]{64}", file.read_text())
    assert open_codes(settings).digest("token", "123456") == digest
    assert [path.name for path in file.parent.iterdir()] == ["verification.key"]


def test_a_damaged_key_file_stops_the_start(tmp_path):
    (tmp_path / "verification.key").write_text("")

    with pytest.raises(ValueError, match=r"verification\.key doesn't hold a key"):
        open_codes(Settings(database=f"sqlite:///{tmp_path}/dovecote.db"))


def test_a_postgresql_store_needs_the_key_as_a_setting():
    with pytest.raises(ValueError, match="DOVECOTE_VERIFICATION_KEY must be set"):
        open_codes(Settings(database="postgresql://user@host/name"))


def test_a_short_key_is_no_key():
    with pytest.raises(ValidationError):
        Settings(verification_key="short")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("420777123456", Number("420777123456", "CZ", "420777123456")),
        ("421903123456", Number("421903123456", "SK", "421903123456")),
        ("4407400123456", Number("447400123456", "GB", "447400123456")),
        ("777123456", Number("777123456", "", "+777123456")),
        ("+420777123456", None),
        ("420777123456\n", None),
        (420777123456, None),
    ],
)
def test_a_number_is_read_with_its_country_code_or_not_at_all(given, read):
    assert read_number(given, "420") == read


@pytest.mark.parametrize(
    "wrong",
    [
        {"attempts": 0},
        {"attempts": 21},
        {"language": "fr"},
        {"template": "No place for it"},
        {"template": "{code} {code}"},
        {"template": "****** {code}"},
        {"template": "x" * 1000 + "{code}"},
        {"origin": "https://example.com"},
        {"origin": "example.com/path"},
        {"origin": "example.com\n"},
        {"countries": ("CZE",)},
        {"secret": "short"},
    ],
)
def test_settings_that_can_not_be_are_refused_without_repeating_them(wrong):
    with pytest.raises(ValueError, match=r"must|should|valid") as refused:
        changed(AccountVerification(), wrong)

    assert "\n" not in str(refused.value)
    assert "short" not in str(refused.value)


def test_settings_change_one_by_one():
    first = changed(AccountVerification(), {"origin": "WWW.Example.com", "countries": ("sk", " cz")})

    second = changed(first, {"language": "cs"})

    assert (second.origin, second.countries, second.language) == ("www.example.com", ("CZ", "SK"), "cs")
    assert second.text == "Ověřovací kód: ******. Nikomu ho nesdělujte.\n\n@www.example.com #******"


@pytest.mark.parametrize(
    ("changes", "message", "now", "expected"),
    [
        ({}, Result.ACCEPTED, 1500, Status.PENDING),
        ({}, Result.SENDING, 1500, Status.PENDING),
        ({}, Result.SENT, 1500, Status.CODE_SENT),
        ({}, Result.DELIVERED, 1500, Status.CODE_SENT),
        ({}, Result.REJECTED, 1500, Status.FAILED),
        ({"attempts": 6}, Result.DELIVERED, 1500, Status.FAILED),
        ({"attempts": 6}, Result.DELIVERED, 2000, Status.EXPIRED),
        ({}, Result.DELIVERED, 2000, Status.EXPIRED),
        ({"verified_at": 1400}, Result.DELIVERED, 9000, Status.VERIFIED),
    ],
)
def test_a_session_has_one_status(changes, message, now, expected):
    assert status_of(SESSION._replace(**changes), message, now) is expected
