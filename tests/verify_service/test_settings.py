"""Settings are checked at start, and the page that documents them says what the class says."""

import re
from pathlib import Path

import pytest
from pydantic import SecretStr
from pydantic_core import PydanticUndefined

from verify_service.settings import PREFIX, Settings, WrongSettings, read_settings

PAGE = Path(__file__).parents[2] / "docs" / "verify-service.md"
KEY = SecretStr("the-key-for-the-upstream-0001")


def test_the_page_documents_every_setting_as_it_is() -> None:
    rows = dict(re.findall(rf"^\| `{PREFIX}([A-Z_]+)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE))

    assert rows == {name.upper(): _row(name) for name in Settings.model_fields}


def _row(name: str) -> str:
    field = Settings.model_fields[name]
    default = field.default
    if default is PydanticUndefined or default in ("", (), None):
        shown = ""
    elif isinstance(default, tuple):
        shown = f"`{','.join(map(str, default))}`"
    else:
        shown = f"`{str(default).lower() if isinstance(default, bool) else default}`"
    return f"{field.description} | {shown}".rstrip()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"upstream_key": None}, "DOVECOTE_VERIFY_UPSTREAM_KEY: Field required."),
        ({"host": "0.0.0.0"}, "DOVECOTE_VERIFY_PUBLIC_URL must be set while DOVECOTE_VERIFY_HOST isn't"),
        ({"public_url": "http://verify.example.com"}, "PUBLIC_URL must begin with https://"),
        ({"public_url": "https://verify.example.com/path"}, "must be an origin"),
        ({"plain_cookie": True, "public_url": "https://verify.example.com"}, "PLAIN_COOKIE is only for"),
        ({"plain_cookie": True, "host": "0.0.0.0", "public_url": "http://localhost:8801"}, "PLAIN_COOKIE is only for"),
        ({"origins": "*"}, "DOVECOTE_VERIFY_ORIGINS: must be an origin"),
        ({"origins": "null"}, "must be an origin"),
        ({"origins": "https://shop.example.com/page"}, "must be an origin"),
        ({"signing_keys": "short"}, "DOVECOTE_VERIFY_SIGNING_KEYS: must have at least 16 characters"),
        ({"service_keys": "the-key-of-the-back-end-ž"}, "SERVICE_KEYS: must be visible ASCII characters"),
        ({"trusted_proxies": "10.0.0.1/8"}, "DOVECOTE_VERIFY_TRUSTED_PROXIES"),
        ({"upstream": "ftp://upstream.example.com"}, "must be an http or https address"),
        ({"upstream_key": "the-key-for-the-upstream-0001\r"}, "UPSTREAM_KEY: must be visible ASCII characters"),
        ({"upstream_key": "the key for the upstream"}, "UPSTREAM_KEY: must be visible ASCII characters"),
        ({"upstream_key": "the-key-for-the-upstream-ž"}, "UPSTREAM_KEY: must be visible ASCII characters"),
        ({"database": "verify.db"}, "DATABASE: must be sqlite:///path or postgresql://user:password@host/name."),
        (
            {"database": "mysql://user:short@host/name"},
            "DATABASE: must be sqlite:///path or postgresql://user:password",
        ),
        ({"upstream": "https://user:secret@upstream.example.com"}, "must be an http or https address"),
    ],
)
def test_wrong_settings_are_refused_in_a_sentence(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(WrongSettings, match=re.escape(sentence)) as refused:
        read_settings(**({"upstream_key": KEY} | given))

    assert "short" not in str(refused.value).replace("shorter", "")


def test_lists_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOVECOTE_VERIFY_ORIGINS", "https://a.example.com, https://B.example.com/")
    monkeypatch.setenv("DOVECOTE_VERIFY_UPSTREAM_KEY", "the-key-for-the-upstream-0001")
    monkeypatch.setenv("DOVECOTE_VERIFY_TRUSTED_PROXIES", "10.0.0.0/8,::1")

    settings = read_settings()

    assert settings.origins == ("https://a.example.com", "https://b.example.com")
    assert [str(network) for network in settings.trusted_proxies] == ["10.0.0.0/8", "::1/128"]


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "http://127.0.0.1:8801"),
        ({"host": "::1", "port": 8811}, "http://[::1]:8811"),
        ({"host": "::", "public_url": "https://verify.example.com"}, "https://verify.example.com"),
    ],
)
def test_the_address_can_be_opened_as_it_is_shown(given: dict[str, object], address: str) -> None:
    assert read_settings(upstream_key=KEY, **given).address == address


def test_a_plain_cookie_is_possible_on_this_machine() -> None:
    assert read_settings(upstream_key=KEY, plain_cookie=True).plain_cookie


def test_postgresql_needs_signing_keys(postgresql_url: str) -> None:
    from verify_service.signing_key import signing_keys

    with pytest.raises(ValueError, match="DOVECOTE_VERIFY_SIGNING_KEYS must be set"):
        signing_keys(read_settings(upstream_key=KEY, database=postgresql_url))
