"""The verification API (specification 4.4, 7.4, details "Verification API")."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from interface import patterns
from interface.payload import Payload
from interface.responses import Response
from interface.texts import Text

_EXAMPLE_TOKEN: Final = "Zm9sbG93LXRoZS1kb3ZlLWhvbWUtYmVmb3JlLWRhcms"  # noqa: S105 - an example
_EXAMPLE_PROOF: Final = "5f0c2a4e7c1e4c579f0e5b7d1d3c9a105f0c2a4e7c1e4c579f0e5b7d1d3c9a10"
_STARTED: Final = "2026-03-02T09:30:00.000Z"
_VERIFIED: Final = "2026-03-02T09:30:41.250Z"

_Token = Annotated[Text, Field(max_length=200, examples=[_EXAMPLE_TOKEN])]
_Proof = Annotated[Text, Field(max_length=200, examples=[_EXAMPLE_PROOF], description="Lower-case hex HMAC-SHA256.")]
_Code = Annotated[str, StringConstraints(pattern=patterns.VERIFICATION_CODE), Field(examples=["042137"])]


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True, hide_input_in_errors=True)


class StartValidation(_Given):
    """A number to send a code to: digits only, with country code."""

    phone_number: Annotated[str, StringConstraints(pattern=patterns.VERIFIED_NUMBER)] = Field(
        alias="phoneNumber", examples=["420777123456"], description="7 to 15 digits, with country code, without +."
    )
    payload: Payload | None = Field(default=None, description="Returned in the notifications of the message.")


class ValidationStarted(Response):
    """A started validation. ``timestamp`` is its start; ``proof`` is there when the account has a secret."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    token: str = Field(examples=[_EXAMPLE_TOKEN])
    status: str = Field(examples=["pending"])
    expires_at: str = Field(alias="expiresAt", examples=["2026-03-02T09:40:00.000Z"])
    timestamp: str = Field(examples=[_STARTED])
    proof: str | None = Field(default=None, examples=[_EXAMPLE_PROOF], repr=False)


class CodeGiven(_Given):
    """The code as the person typed it: exactly 6 digits, as a string."""

    code: _Code = Field(repr=False)


class ValidationVerified(Response):
    """A verified number; ``timestamp`` is the start, ``proof`` is there when the account has a secret."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    verified: bool = Field(examples=[True])
    phone_number: str = Field(alias="phoneNumber", examples=["420777123456"])
    token: str = Field(examples=[_EXAMPLE_TOKEN])
    code: str = Field(examples=["042137"], repr=False)
    timestamp: str = Field(examples=[_STARTED])
    verified_at: str = Field(alias="verifiedAt", examples=[_VERIFIED])
    proof: str | None = Field(default=None, examples=[_EXAMPLE_PROOF], repr=False)


class ProofGiven(_Given):
    """The proof that came with a verified code."""

    proof: _Proof = Field(repr=False)


class ProofChecked(Response):
    """Whether a validation is verified with this proof; ``verifiedAt`` is null while it isn't verified."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    valid: bool
    phone_number: str = Field(alias="phoneNumber", examples=["420777123456"])
    verified_at: str | None = Field(default=None, alias="verifiedAt", examples=[_VERIFIED])


class ProofToVerify(_Given):
    """A proof with all that it covers."""

    phone_number: Annotated[Text, Field(max_length=200)] = Field(alias="phoneNumber", examples=["420777123456"])
    token: _Token
    code: Annotated[Text, Field(max_length=200, examples=["042137"])] = Field(repr=False)
    timestamp: Annotated[Text, Field(max_length=200, examples=[_STARTED])]
    proof: _Proof = Field(repr=False)


class ProofVerdict(Response):
    """Whether a proof holds; ``expired`` is there, and true, for one that did until it was 24 hours old."""

    valid: bool
    expired: bool | None = None


class VerificationProblem(Response):
    """An error of the verification API: a code for programs and a sentence for people."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    error: str = Field(examples=["INVALID_CODE"])
    message: str = Field(default="", examples=["The code is wrong."])
    attempts_remaining: int | None = Field(default=None, alias="attemptsRemaining", examples=[5])
