"""What an account sets about its verifications. Pure."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from interface.texts import BODY_LIMIT
from messaging_service.verification.codes import MASK
from messaging_service.verification.texts import PLACE, TEMPLATES, masked_text

_HOST = re.compile(r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_COUNTRY = re.compile(r"[A-Z]{2}")
SHORTEST_SECRET = 16


def _host(text: str) -> str:
    host = text.lower()
    if text and not _HOST.fullmatch(host):
        raise ValueError("must be a host name such as www.example.com, without https:// and port")
    return host


def _countries(codes: tuple[str, ...]) -> tuple[str, ...]:
    wanted = tuple(sorted({code.strip().upper() for code in codes} - {""}))
    if not all(_COUNTRY.fullmatch(code) for code in wanted):
        raise ValueError("must be two-letter country codes (ISO 3166), such as CZ,SK")
    return wanted


def _template(text: str) -> str:
    if text and text.count(PLACE) != 1:
        raise ValueError(f"must contain {PLACE} once")
    if MASK in text or "\x00" in text:
        raise ValueError(f"must not contain {MASK} or the NUL character")
    return text


def _secret(secret: SecretStr) -> SecretStr:
    if 0 < len(secret.get_secret_value()) < SHORTEST_SECRET:
        raise ValueError(f"must have at least {SHORTEST_SECRET} characters")
    return secret


class AccountVerification(BaseModel):
    """The settings of one account: the defaults hold until it sets something else."""

    model_config = ConfigDict(frozen=True)

    secret: Annotated[SecretStr, AfterValidator(_secret)] = Field(SecretStr(""), description="Signs proofs.")
    attempts: Annotated[int, Field(ge=1, le=20)] = Field(6, description="Guesses at one code.")
    language: Literal["cs", "sk", "en", "de"] = Field("en", description="Language of the shipped template.")
    template: Annotated[str, AfterValidator(_template)] = Field("", description="A text of its own, with {code}.")
    origin: Annotated[str, AfterValidator(_host)] = Field("", description="Host for the last line @host #code.")
    countries: Annotated[tuple[str, ...], AfterValidator(_countries)] = Field((), description="Allowed; none: all.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if len(self.text) > BODY_LIMIT:
            raise ValueError(f"the text must have at most {BODY_LIMIT} characters with its last line")
        return self

    @property
    def text(self) -> str:
        """The message text, with the mask in the code's place."""
        return masked_text(self.template or TEMPLATES[self.language], self.origin)

    def allows(self, country: str) -> bool:
        """Whether numbers of a country (ISO 3166 region) may be verified."""
        return not self.countries or country in self.countries


def changed(settings: AccountVerification, given: Mapping[str, object]) -> AccountVerification:
    """Return settings with some of them changed. Raises ValueError, in a sentence for each that can't be."""
    present = {name: getattr(settings, name) for name in AccountVerification.model_fields}
    try:
        return AccountVerification.model_validate({**present, **given})
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)  # an input may be a secret
        sentences = (f"{'.'.join(map(str, each['loc']))} {_readable(each['msg'])}.".lstrip() for each in problems)
        raise ValueError(" ".join(sentences)) from None


def _readable(message: str) -> str:
    message = message.removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
