"""Sign and check callbacks and verification proofs: HMAC-SHA256 in lower-case hex, compared in constant time. Pure."""

import hashlib
import hmac
from typing import Final, NamedTuple

SIGNATURE_HEADER: Final = "X-Request-Signature"
"""The header that carries the signature of a callback."""


def sign_callback(body: bytes, secret: str) -> str:
    """Return the signature of a callback's raw body under the key's ``default_callback_secret``."""
    return _hmac(body, secret)


def check_callback(body: bytes, signature: str, *secrets: str) -> bool:
    """Whether ``signature`` is that of ``body`` under any of ``secrets`` (several while a secret is exchanged)."""
    return _any_matches(signature, [sign_callback(body, secret) for secret in secrets])


class Proven(NamedTuple):
    """What a proof of verification covers (details, "Verification API")."""

    phone_number: str
    token: str
    code: str
    timestamp: str


def sign_proof(proven: Proven, secret: str) -> str:
    """Return the proof under the account's verification secret: the fields joined with newlines."""
    return _hmac("\n".join(proven).encode(), secret)


def check_proof(proven: Proven, proof: str, secret: str) -> bool:
    """Whether ``proof`` is that of ``proven`` under the account's verification secret."""
    return _any_matches(proof, [sign_proof(proven, secret)])


def _hmac(content: bytes, secret: str) -> str:
    return hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()


def _any_matches(given: str, expected: list[str]) -> bool:
    candidate = given.encode("utf-8", "surrogatepass")
    return any([hmac.compare_digest(candidate, each.encode()) for each in expected])  # noqa: C419 - look at every one
