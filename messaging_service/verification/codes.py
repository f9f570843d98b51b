"""Codes: made by chance, known to the store only as keyed hashes, and sealed on their way to the operator.

Nothing here does I/O. Without the key nothing that is stored tells a code: a million candidates are soon tried.
"""

import base64
import hashlib
import hmac
import re
import secrets

from cryptography.fernet import Fernet, InvalidToken

DIGITS = 6
MASK = "*" * DIGITS
"""Stands where the code will stand, in every text that is stored."""
_CODE = re.compile(r"[0-9]{6}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


class WrongKey(Exception):  # noqa: N818
    """Something was sealed with another verification key."""

    def __init__(self) -> None:
        super().__init__("DOVECOTE_VERIFICATION_KEY isn't the key with which this store was written.")


def new_code() -> str:
    """Return six digits, each sequence as likely as any other."""
    return f"{secrets.randbelow(10**DIGITS):0{DIGITS}d}"


def new_token() -> str:
    """Return a token of 256 random bits, 43 characters that need no escaping in a URL."""
    return secrets.token_urlsafe(32)


def is_code(text: str) -> bool:
    """Whether a text is six digits, of 0 to 9 and nothing else."""
    return _CODE.fullmatch(text) is not None


def is_token(text: str) -> bool:
    """Whether a text can be a token."""
    return _TOKEN.fullmatch(text) is not None


class CodeKeeper:
    """Hashes, compares and seals with one key, used differently for each purpose."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._fernet = Fernet(base64.urlsafe_b64encode(self._hmac("sealing").digest()))

    def digest(self, token: str, code: str) -> str:
        """Return what the store keeps of a session's code."""
        return self._hmac("code", token, code).hexdigest()

    def matches(self, token: str, code: str, digest: str) -> bool:
        """Whether a code is the session's, in constant time."""
        return hmac.compare_digest(self.digest(token, code), digest)

    def proof_digest(self, secret: str, proof: str) -> str:
        """Return what the store keeps of a proof: it is nothing under another secret of the account."""
        return self._hmac("proof", secret, proof).hexdigest()

    def matches_proof(self, secret: str, proof: str, digest: str) -> bool:
        """Whether a proof is the one behind a digest, in constant time."""
        return hmac.compare_digest(self.proof_digest(secret, proof), digest)

    def seal(self, text: str) -> str:
        """Encrypt a code or a secret, so that it can be stored."""
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str:
        """Decrypt what was sealed. Raises WrongKey."""
        try:
            return self._fernet.decrypt(sealed).decode()
        except InvalidToken:
            raise WrongKey from None

    def derived(self, purpose: str) -> bytes:
        """Return a key for another purpose of the service, so that one setting is enough."""
        return self._hmac("derived", purpose).digest()

    def _hmac(self, purpose: str, *parts: str) -> hmac.HMAC:
        # A length before each part: no byte can move from one to the next.
        message = b"".join(len(part).to_bytes(4, "big") + part for part in _encoded(purpose, *parts))
        return hmac.new(self._key, message, hashlib.sha256)


def _encoded(*parts: str) -> list[bytes]:
    return [part.encode("utf-8", "surrogatepass") for part in parts]
