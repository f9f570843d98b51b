"""The kinds of values that settings have, each with what it allows. Pure."""

import re
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

SHORTEST_KEY = 16

Network = IPv4Network | IPv6Network

_HOST = r"(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)"
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_ORIGIN = re.compile(rf"https?://{_HOST}(?::[0-9]{{1,5}})?")


def _separated(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _origin(text: str) -> str:
    origin = text.lower().removesuffix("/")
    if not _ORIGIN.fullmatch(origin):
        raise ValueError("must be an origin such as https://www.example.com, without a path")
    return origin


def _origin_or_none(text: str) -> str:
    return _origin(text) if text else ""


def _long_enough(key: SecretStr) -> SecretStr:
    if len(key.get_secret_value()) < SHORTEST_KEY:
        raise ValueError(f"must have at least {SHORTEST_KEY} characters")
    return key


def _network(value: object) -> object:
    return ip_network(value) if isinstance(value, str) else value


def _upstream(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ValueError("must be an http or https address without user, query and fragment")
    return text.rstrip("/")


def _database(text: str) -> str:
    try:
        backend = make_url(text).get_backend_name()
    except ArgumentError:
        backend = ""
    if backend not in {"sqlite", "postgresql", "postgres"}:
        raise ValueError("must be sqlite:///path or postgresql://user:password@host/name")
    return text


def _for_header(key: SecretStr) -> SecretStr:
    # Of anything else a server reads something else, and the library that refuses to send it shows it.
    if not _VISIBLE.fullmatch(key.get_secret_value()):
        raise ValueError("must be visible ASCII characters, without spaces and line ends")
    return key


Origin = Annotated[str, AfterValidator(_origin)]
OwnOrigin = Annotated[str, AfterValidator(_origin_or_none)]
Database = Annotated[str, AfterValidator(_database)]
Upstream = Annotated[str, AfterValidator(_upstream)]
UpstreamKey = Annotated[SecretStr, AfterValidator(_for_header)]
Key = Annotated[SecretStr, AfterValidator(_long_enough)]
Keys = Annotated[tuple[Key, ...], NoDecode, BeforeValidator(_separated)]
HeaderKeys = Annotated[tuple[Annotated[Key, AfterValidator(_for_header)], ...], NoDecode, BeforeValidator(_separated)]
Origins = Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_separated)]
Networks = Annotated[tuple[Annotated[Network, BeforeValidator(_network)], ...], NoDecode, BeforeValidator(_separated)]
Limit = Annotated[int, Field(ge=0, le=1_000_000)]


def is_loopback(host: str) -> bool:
    """Whether an address or host name is this machine's own."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
