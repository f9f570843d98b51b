"""Settings: one frozen class, read from the environment (prefix ``DOVECOTE_VERIFY_``), checked at start."""

import os
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from verify_service.setting_kinds import (
    Database,
    HeaderKeys,
    Keys,
    Limit,
    Networks,
    Origins,
    OwnOrigin,
    Upstream,
    UpstreamKey,
    is_loopback,
)

PREFIX = "DOVECOTE_VERIFY_"


def data_directory() -> Path:
    """Return where data is kept by default (XDG base directories)."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "dovecote"


class Settings(BaseSettings):
    """Everything that can be set about the verification service for front ends."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", env_ignore_empty=True, hide_input_in_errors=True
    )

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8801, description="Port to listen on; 0 takes a free one.")
    processes: Annotated[int, Field(ge=1, le=64)] = Field(
        default_factory=lambda: min(os.cpu_count() or 1, 4),
        description="How many processes answer calls; by default one a core, at most 4.",
    )
    threads: Annotated[int, Field(ge=1, le=256)] = Field(
        16, description="How many calls a process works on at a time; most of the time they wait for the upstream."
    )
    public_url: OwnOrigin = Field(
        "",
        description="Origin under which browsers reach this service, `https://…`; needed unless they are on this "
        "machine. By default `http://127.0.0.1` (and `localhost`) with the port.",
    )
    origins: Origins = Field(
        (), description="Origins of the front ends that may call from a browser, separated by commas."
    )
    database: Database = Field(
        default_factory=lambda: f"sqlite:///{data_directory() / 'verify.db'}",
        description="URL of the sessions' store: `sqlite:///path` or `postgresql://user:password@host/name`.",
    )
    upstream: Upstream = Field("http://127.0.0.1:8800", description="Address of the verification API, without `/v1`.")
    upstream_key: UpstreamKey = Field(description="Key for the verification API. Required.")
    upstream_connect_timeout: Annotated[float, Field(gt=0, le=60)] = Field(
        2.0, description="Seconds that a connection to the upstream may take."
    )
    upstream_timeout: Annotated[float, Field(gt=0, le=60)] = Field(
        10.0, description="Seconds that the upstream has for an answer."
    )
    upstream_idempotent: bool = Field(
        False,
        description="Whether the upstream honours `Idempotency-Key`, as Dovecote does: then a start is repeated once "
        "when its answer is lost.",
    )
    signing_keys: Keys = Field(
        (),
        description="Keys of the tokens, separated by commas: the first signs, all verify. By default a key in a file "
        "beside the SQLite store.",
    )
    service_keys: HeaderKeys = Field(
        (),
        description="Keys of your back ends (header `X-API-Key`), separated by commas; without one, none gets in.",
    )
    proof_secrets: Keys = Field(
        (), description="The account's verification secrets, for `/proofs/validate`; several while one is exchanged."
    )
    proof_life: Annotated[int, Field(ge=1, le=604_800)] = Field(
        86_400, description="Seconds for which a proof is good, from the start of its verification."
    )
    attempts: Annotated[int, Field(ge=1, le=20)] = Field(
        6, description="Guesses in a session, over all its codes. The upstream's own limit holds too."
    )
    resend_after: Annotated[int, Field(ge=0, le=600)] = Field(30, description="Seconds between two codes of a session.")
    resends: Annotated[int, Field(ge=0, le=10)] = Field(3, description="How often a session may ask for another code.")
    calling_code: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,2}\z")] = Field(
        "420", description="Calling code for numbers written nationally."
    )
    starts_per_client: Limit = Field(
        60,
        description="Codes that a client address may ask for; they come back evenly over an hour. 0: no limit.",
    )
    checks_per_client: Limit = Field(
        300, description="Guesses that a client address may make; they come back in the same way. 0: no limit."
    )
    trusted_proxies: Networks = Field(
        (), description="Networks of the proxies whose `X-Forwarded-For` is believed, separated by commas."
    )
    metrics_from: Networks = Field(
        (ip_network("127.0.0.0/8"), ip_network("::1/128")),
        description="Networks that may read `/metrics`, directly and not through a proxy.",
    )
    clock_tolerance: Annotated[int, Field(ge=0, le=600)] = Field(
        60, description="Seconds by which the clocks of the machines may differ."
    )
    plain_cookie: bool = Field(
        False,
        description="A cookie without `Secure` and `__Host-`, for browsers that refuse these on http://localhost "
        "(Safari). Allowed on this machine only.",
    )
    log_format: Literal["human", "json"] = Field("human", description="How log lines are written.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="The least that is logged.")

    @model_validator(mode="after")
    def _check_public(self) -> Self:
        local = not self.public_url or is_loopback(urlsplit(self.public_url).hostname or "")
        if not self.public_url and not is_loopback(self.host):
            raise ValueError(f"{PREFIX}PUBLIC_URL must be set while {PREFIX}HOST isn't this machine's loopback")
        if not local and not self.public_url.startswith("https://"):
            raise ValueError(f"{PREFIX}PUBLIC_URL must begin with https:// unless it is this machine")
        if self.plain_cookie and not (local and is_loopback(self.host)):
            raise ValueError(f"{PREFIX}PLAIN_COOKIE is only for a service that listens on loopback")
        return self

    @property
    def address(self) -> str:
        """Where people reach the pages that this service serves."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_url or f"http://{host}:{self.port}"

    @property
    def own_origins(self) -> frozenset[str]:
        """The origins of the pages that this service serves."""
        if self.public_url:
            return frozenset({self.public_url})
        return frozenset(f"http://{host}:{self.port}" for host in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def is_https(self) -> bool:
        """Whether browsers reach this service by https."""
        return self.public_url.startswith("https://")


class WrongSettings(Exception):  # noqa: N818
    """Settings that can't be used; the message names each and says what is allowed."""


def read_settings(**given: object) -> Settings:
    """Read the settings from the environment; what is ``given`` (and not None) goes before. Raises WrongSettings."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        raise WrongSettings(" ".join(_sentences(error))) from None


def _sentences(error: ValidationError) -> list[str]:
    problems = error.errors(include_url=False, include_input=False)
    return list(
        dict.fromkeys(
            f"{PREFIX}{str(problem['loc'][0]).upper()}: {_told(problem['msg'])}."
            if problem["loc"]
            else f"{_told(problem['msg'])}."
            for problem in problems
        )
    )


def _told(message: str) -> str:
    return message.removeprefix("Value error, ")
