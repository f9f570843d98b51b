"""Verification (specification 4.4)."""

from interface import calls
from interface.client.operations.operation import Operation, Sent, operation, whole
from interface.verification import (
    CodeGiven,
    ProofChecked,
    ProofGiven,
    ProofToVerify,
    ProofVerdict,
    StartValidation,
    ValidationStarted,
    ValidationVerified,
)


def start_validation(
    validation: StartValidation, *, idempotency_key: str | None = None
) -> Operation[ValidationStarted]:
    """Send a code to a number (details, "Verification API")."""
    return operation(calls.START_VALIDATION, Sent(body=validation, idempotency_key=idempotency_key), whole)


def verify_code(token: str, code: str) -> Operation[ValidationVerified]:
    """Check the code that a person typed (4.4); a wrong one is an `Invalid` with ``code`` INVALID_CODE."""
    return operation(calls.VERIFY_CODE, Sent(body=CodeGiven(code=code), path={"token": token}), whole)


def check_proof(token: str, proof: str) -> Operation[ProofChecked]:
    """Tell whether a validation of this account is verified with a proof."""
    return operation(calls.CHECK_PROOF, Sent(body=ProofGiven(proof=proof), path={"token": token}), whole)


def verify_proof(proof: ProofToVerify) -> Operation[ProofVerdict]:
    """Tell whether a proof holds for all that it covers; the call needs no key and is sent none."""
    return operation(calls.VERIFY_PROOF, Sent(body=proof), whole)
