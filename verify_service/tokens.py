"""Signed tokens: each kind has a salt, so that none passes for another; keys rotate. Pure.

A token is an identifier and its signature; what it stands for, and for how long, is in the store. So the clocks of
several machines don't matter to it.
"""

import hashlib
import secrets
from collections.abc import Sequence
from enum import StrEnum

from itsdangerous import BadSignature, Signer
from itsdangerous.encoding import base64_decode, base64_encode

LONGEST = 200


class Kind(StrEnum):
    """What a token is for; the value is its salt."""

    SESSION = "dovecote.verify.session"
    BINDING = "dovecote.verify.binding"  # what the client that started a session keeps to itself
    RESULT = "dovecote.verify.result"


def new_id() -> str:
    """Return 144 random bits in 24 characters that need no escaping."""
    return secrets.token_urlsafe(18)


class Tokens:
    """Signs with the first of its keys, verifies with all."""

    def __init__(self, keys: Sequence[str]) -> None:
        # itsdangerous wants the newest key last.
        ordered = [*reversed(keys)]
        self._signers = {kind: Signer(ordered, salt=kind.value, digest_method=hashlib.sha256) for kind in Kind}

    def sign(self, kind: Kind, identifier: str) -> str:
        """Return the token of a kind for an identifier."""
        return self._signers[kind].sign(identifier).decode()

    def read(self, kind: Kind, token: str) -> str | None:
        """Return the identifier of a token; None for one that is forged or of another kind."""
        if len(token) > LONGEST or not token.isascii():
            return None
        try:
            identifier = self._signers[kind].unsign(token).decode()
        except BadSignature:
            return None
        return identifier if _is_canonical(token) else None


def _is_canonical(token: str) -> bool:
    """Whether the signature is written as we write it: base64 leaves bits free that mean nothing."""
    signature = token.rpartition(".")[2].encode()
    return base64_encode(base64_decode(signature)) == signature
