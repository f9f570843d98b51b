"""The calls of the verification API (specification 4.4)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.calls.call import Base, Call, ErrorAnswer, Repeatable
from interface.verification import (
    CodeGiven,
    ProofChecked,
    ProofGiven,
    ProofToVerify,
    ProofVerdict,
    StartValidation,
    ValidationStarted,
    ValidationVerified,
    VerificationProblem,
)

_VERIFICATION_PROBLEM = (VerificationProblem,)
_VERIFICATION_BODY_ERRORS = (
    ErrorAnswer(413, "`TOO_LARGE`: the request is larger than 1 MiB.", _VERIFICATION_PROBLEM),
    ErrorAnswer(415, "`WRONG_CONTENT_TYPE`: the body must be JSON.", _VERIFICATION_PROBLEM),
    ErrorAnswer(500, "`INTERNAL_ERROR`: unexpected error; try again in a moment.", _VERIFICATION_PROBLEM),
)
_VERIFICATION_ERRORS = (
    ErrorAnswer(401, "`MISSING_API_KEY`, `INVALID_API_KEY`.", _VERIFICATION_PROBLEM),
    *_VERIFICATION_BODY_ERRORS,
)
_NO_VALIDATION = ErrorAnswer(404, "`NOT_FOUND`: this account has no such token.", _VERIFICATION_PROBLEM)
_LIMITED = "`Retry-After` says for how many seconds, `RateLimit-Policy` and `RateLimit` which limit it is."
START_VALIDATION: Final = Call(
    name="start_validation",
    method="POST",
    path="/v1/validations",
    base=Base.VERIFY,
    group="verification",
    summary="Send a code to a phone number",
    description="The code lives 10 minutes and goes out as a `priority` message.",
    body=TypeAdapter(StartValidation),
    answer=ValidationStarted,
    repeatable=Repeatable.WITH_KEY,
    errors=(
        ErrorAnswer(400, "`MISSING_FIELD`, `INVALID_PHONE`, `INVALID_REQUEST`.", _VERIFICATION_PROBLEM),
        ErrorAnswer(409, "`STILL_RUNNING`: the first request with this Idempotency-Key.", _VERIFICATION_PROBLEM),
        ErrorAnswer(422, "`IDEMPOTENCY_KEY_REUSED`: it was used with another request.", _VERIFICATION_PROBLEM),
        ErrorAnswer(429, f"`TENANT_RATE_LIMIT`, `PHONE_RATE_LIMIT`; {_LIMITED}", _VERIFICATION_PROBLEM),
        *_VERIFICATION_ERRORS,
    ),
)

VERIFY_CODE: Final = Call(
    name="verify_code",
    method="POST",
    path="/v1/validations/{token}/verify",
    base=Base.VERIFY,
    group="verification",
    summary="Check the code that a person typed",
    description="Each call with six digits is an attempt; the number of attempts is the account's, 6 by default.",
    body=TypeAdapter(CodeGiven),
    answer=ValidationVerified,
    repeatable=Repeatable.NEVER,
    errors=(
        ErrorAnswer(
            400,
            "`INVALID_CODE` with `attemptsRemaining`, `INVALID_CODE_FORMAT` (not an attempt), `EXPIRED`, "
            "`ALREADY_VERIFIED`, `MISSING_FIELD`, `INVALID_REQUEST`.",
            _VERIFICATION_PROBLEM,
        ),
        _NO_VALIDATION,
        ErrorAnswer(429, f"`TOO_MANY_ATTEMPTS`; {_LIMITED}", _VERIFICATION_PROBLEM),
        *_VERIFICATION_ERRORS,
    ),
)

CHECK_PROOF: Final = Call(
    name="check_proof",
    method="PATCH",
    path="/v1/validations/{token}",
    base=Base.VERIFY,
    group="verification",
    summary="Check that a validation is verified with a proof",
    body=TypeAdapter(ProofGiven),
    answer=ProofChecked,
    errors=(
        ErrorAnswer(400, "`MISSING_FIELD`, `INVALID_REQUEST`.", _VERIFICATION_PROBLEM),
        _NO_VALIDATION,
        *_VERIFICATION_ERRORS,
    ),
)

VERIFY_PROOF: Final = Call(
    name="verify_proof",
    method="POST",
    path="/v1/verify-proof",
    base=Base.VERIFY,
    group="verification",
    summary="Check a proof with all that it covers",
    description="Needs no key. A proof holds for 24 hours, and only once its code was verified.",
    body=TypeAdapter(ProofToVerify),
    answer=ProofVerdict,
    errors=(
        ErrorAnswer(400, "`MISSING_FIELD`, `INVALID_REQUEST`.", _VERIFICATION_PROBLEM),
        *_VERIFICATION_BODY_ERRORS,
    ),
    needs_key=False,
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (START_VALIDATION, VERIFY_CODE, CHECK_PROOF, VERIFY_PROOF)
