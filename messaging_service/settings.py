"""Settings: one frozen class, read from the environment (prefix ``DOVECOTE_``), checked at start."""

import os
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import DirectoryPath, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from messaging_service.accounts.prices import SHIPPED


class Role(StrEnum):
    """What a process does."""

    ALL = "all"
    API = "api"
    WORKER = "worker"


class InDoubt(StrEnum):
    """What becomes of a message that a dead worker may or may not have handed to an operator that can't tell."""

    RESEND = "resend"
    HOLD = "hold"


def data_directory() -> Path:
    """Return where data is kept by default (XDG base directories)."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "dovecote"


class SmtpSecurity(StrEnum):
    """How the connection to the mail server is protected: by STARTTLS, from its first byte, or not at all."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


class Settings(BaseSettings):
    """Everything that can be set about the messaging service."""

    model_config = SettingsConfigDict(env_prefix="DOVECOTE_", frozen=True, extra="ignore", env_ignore_empty=True)

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(8800, description="Port to listen on; 0 takes a free one.")
    role: Role = Field(Role.ALL, description="What this process does: answer calls, process messages, or both.")
    api_processes: Annotated[int, Field(ge=1, le=64)] = Field(
        default_factory=lambda: min(os.cpu_count() or 1, 4),
        description="How many processes answer calls; by default one a core, at most 4.",
    )
    database: str = Field(
        default_factory=lambda: f"sqlite:///{data_directory() / 'dovecote.db'}",
        description="URL of the store: `sqlite:///path` or `postgresql://user:password@host/name`.",
    )
    operator_database: str = Field(
        "",
        description="URL of the simulated operator's records; by default beside the SQLite file or in the PostgreSQL.",
    )
    operator_delay: Annotated[str, Field(pattern=r"^\d{1,6}-\d{1,6}$")] = Field(
        "50-300",
        description="How long the simulated operator takes for a receipt, at least and at most, in milliseconds.",
    )
    api_key: SecretStr | None = Field(None, description="Key of the first account, instead of one made by chance.")
    credit: Annotated[str, Field(pattern=r"^\d{1,12}(\.\d{1,6})?$")] = Field(
        "1000", description="Credit of the first account."
    )
    currency: Literal["czk", "eur"] = Field("czk", description="Currency of the first account.")
    calling_code: Annotated[str, Field(pattern=r"^[1-9]\d{0,2}$")] = Field(
        "420",
        description="Calling code of the first account's country, for numbers written nationally.",
    )
    default_sender: Annotated[str, Field(max_length=16)] = Field(
        "Dovecote", description="Sender where a message names none."
    )
    prices: Path = Field(SHIPPED, description="Price list file (TOML).")
    identical_limit: Annotated[int, Field(ge=0)] = Field(
        5,
        description="How often one promotional text may go to one number in 24 hours; 0 switches the check off.",
    )
    in_doubt: InDoubt = Field(
        InDoubt.HOLD,
        description="For operators that can't recognise a message submitted twice: send again, or hold for a person.",
    )
    allow_private_callbacks: bool | None = Field(
        None,
        description="Whether notifications may go to private networks; by default only while `host` is loopback.",
    )
    callback_attempts: Annotated[int, Field(ge=1, le=20)] = Field(5, description="Attempts to deliver a notification.")
    callback_timeout: Annotated[float, Field(gt=0, le=60)] = Field(5.0, description="Seconds a receiver has to answer.")
    verification_key: Annotated[SecretStr, Field(min_length=32)] | None = Field(
        None,
        description="Protects codes, the keys of app users and what marketing platforms are shown in the store, "
        "signs download addresses: at least 32 characters, the same for every process; by default a file beside the "
        "SQLite store. PostgreSQL needs it.",
    )
    verification_starts_per_account: Annotated[int, Field(ge=0)] = Field(
        60, description="Verifications that an account may start in a minute; 0: any number."
    )
    verification_starts_per_number: Annotated[int, Field(ge=0)] = Field(
        5, description="Verifications of one number that may be started in an hour; 0: any number."
    )
    verification_pause: Annotated[int, Field(ge=0, le=3600)] = Field(
        30, description="Seconds between two verifications of one number; 0: none."
    )
    verification_starts_per_country: Annotated[int, Field(ge=0)] = Field(
        1000, description="Verifications in one country that an account may start in an hour; 0: any number."
    )
    verification_starts_per_prefix: Annotated[int, Field(ge=0)] = Field(
        300,
        description="Verifications of numbers alike but for the last four digits that may be started in an hour; "
        "0: any number.",
    )
    verification_pumping_starts: Annotated[int, Field(ge=0)] = Field(
        50,
        description="Verifications started in an hour after which a prefix is refused for an hour if too few of them "
        "succeeded; 0 switches the guard off.",
    )
    verification_pumping_percent: Annotated[int, Field(ge=0, le=100)] = Field(
        35, description="How many percent of them are too few."
    )
    bulk_folder: Path | None = Field(
        None,
        description="Folder of uploaded files until they are read, the same for every process; by default `uploads` "
        "beside the SQLite store. With PostgreSQL bulk upload needs it.",
    )
    bulk_key: Annotated[SecretStr, Field(min_length=32)] | None = Field(
        None, description="Signs upload addresses: at least 32 characters; by default a file in the folder."
    )
    bulk_limit: Annotated[int, Field(ge=1)] = Field(
        1024**3, description="Most bytes of an uploaded file as it is sent."
    )
    bulk_unpacked_limit: Annotated[int, Field(ge=1)] = Field(
        4 * 1024**3, description="Most bytes that a gzipped file may unpack to."
    )
    smtp_host: str = Field("", description="Mail server that takes e-mails; without one none are sent.")
    smtp_port: Annotated[int, Field(ge=1, le=65535)] = Field(587, description="Its port.")
    smtp_security: SmtpSecurity = Field(
        SmtpSecurity.STARTTLS, description="How the connection to it is protected: `starttls`, `tls` or `none`."
    )
    smtp_user: str = Field("", description="User name there; without one nobody logs in.")
    smtp_password: SecretStr | None = Field(None, description="Password there.")
    smtp_sender: Annotated[str, Field(pattern=r"^[^\x00-\x1f]*[^\s<@]+@[^\s>@]+>?$")] = Field(
        "dovecote@localhost", description="Address that e-mails come from, such as `Dovecote <alerts@example.com>`."
    )
    public_url: Annotated[str, Field(pattern=r"^(https?://[^/?#\s]+)?$")] = Field(
        "",
        description="Address under which others reach the service; by default as each call names it, in short links "
        "where the service listens.",
    )
    issuer: Path | None = Field(
        None,
        description="File (TOML) of who issues invoices and where credit is paid; without it there are no invoices.",
    )
    vat: Annotated[str, Field(pattern=r"^\d{1,2}(\.\d{1,2})?$")] = Field(
        "21", description="Rate of the value added tax on invoices, in percent; 0 for those who don't pay it."
    )
    chat_app_url: Annotated[str, Field(pattern=r"^(https?://[^?#\s@]+)?$")] = Field(
        "",
        description="Address of a WhatsApp Cloud API with its version, such as `https://graph.facebook.com/v23.0`; "
        "without it WhatsApp is simulated. The next four go with it.",
    )
    chat_app_token: SecretStr | None = Field(None, description="Access token there.")
    chat_app_secret: SecretStr | None = Field(
        None, description="Secret of the app there, which signs what comes to `/chatapp/webhook`."
    )
    chat_app_verify_token: SecretStr | None = Field(
        None, description="Word by which that platform confirms the webhook's address."
    )
    chat_app_senders: Annotated[str, Field(pattern=r"^([^=,\s]+=[0-9]+(\s*,\s*|$))*$")] = Field(
        "", description="Our senders and their phone number ids there: `420777000111=106540352242922, …`."
    )
    chat_app_business_accounts: Annotated[str, Field(pattern=r"^([^=,\s]+=[0-9]+(\s*,\s*|$))*$")] = Field(
        "", description="Whose templates are managed there: `waba_id=number of the account, …`; the first account is 1."
    )
    demo_segments: DirectoryPath | None = Field(
        None,
        description="Folder of CSV files that the connector `demo` shows as segments; without it there is none.",
    )
    klaviyo_url: Annotated[str, Field(pattern=r"^https?://[^/?#\s@]+$")] = Field(
        "https://a.klaviyo.com", description="Address of the platform that the connector `klaviyo` speaks to."
    )
    connector_limit: Annotated[int, Field(ge=1)] = Field(
        250_000, description="Most recipients of a segment that a connector hands on."
    )
    virtual_phone: bool = Field(
        True,
        description="Whether `/phone` shows what the simulated operator delivered; only ever while `host` is loopback.",
    )
    log_format: Literal["human", "json"] = Field("human", description="How log lines are written.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="The least that is logged.")

    @model_validator(mode="after")
    def _check_delay(self) -> Self:
        least, most = self.delay
        if least > most:
            raise ValueError("DOVECOTE_OPERATOR_DELAY must be written least-most, in milliseconds")
        return self

    @model_validator(mode="after")
    def _check_chat_app(self) -> Self:
        needed = (self.chat_app_token, self.chat_app_secret, self.chat_app_verify_token, self.chat_app_senders)
        if self.chat_app_url and not all(needed):
            raise ValueError(
                "DOVECOTE_CHAT_APP_URL needs DOVECOTE_CHAT_APP_TOKEN, …_SECRET, …_VERIFY_TOKEN and …_SENDERS too"
            )
        return self

    @property
    def delay(self) -> tuple[int, int]:
        """The simulated operator's delay, at least and at most, in milliseconds."""
        least, most = self.operator_delay.split("-")
        return int(least), int(most)

    @property
    def sends_mail(self) -> bool:
        """Whether there is a mail server."""
        return bool(self.smtp_host)

    @property
    def reached_at(self) -> str | None:
        """Where others reach the service: as set, else where it listens; None when that is every address it has."""
        if self.public_url:
            return self.public_url
        host = f"[{self.host}]" if ":" in self.host else self.host
        return None if self.host in {"0.0.0.0", "::"} else f"http://{host}:{self.port}"  # noqa: S104 - compared

    @property
    def private_callbacks_allowed(self) -> bool:
        """Whether callbacks may go to private networks: as set, else only while the service itself is private."""
        return is_loopback(self.host) if self.allow_private_callbacks is None else self.allow_private_callbacks

    @property
    def phone_served(self) -> bool:
        """Whether there is a virtual phone: it shows everything to whoever reaches it, so only to this machine."""
        return self.virtual_phone and is_loopback(self.host)

    @property
    def operator_url(self) -> str:
        """Where the simulated operator keeps its records."""
        if self.operator_database:
            return self.operator_database
        if self.database.startswith("sqlite:///"):
            return f"sqlite:///{Path(self.database.removeprefix('sqlite:///')).with_name('operator.db')}"
        return self.database


class WrongSettings(Exception):  # noqa: N818
    """Settings that can't be used; the message names each and says what is allowed."""


def read_settings(**given: object) -> Settings:
    """Read the settings from the environment; what is ``given`` (and not None) goes before. Raises WrongSettings."""
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        return Settings(**chosen)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
        named = (f"DOVECOTE_{'_'.join(map(str, problem['loc'])).upper()}: {problem['msg']}." for problem in problems)
        raise WrongSettings(" ".join(named)) from None


def is_loopback(host: str) -> bool:
    """Whether a listening address can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
