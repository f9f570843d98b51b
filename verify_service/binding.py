"""Binds a session to the client that started it: by a cookie that no script can read, or by a secret for apps.

The secret is the session's identifier, signed for this purpose; the store holds nothing of it. Each session has a
cookie of its own, so that two tabs don't take each other's away.
"""

import hashlib
import hmac

from flask import Request, Response

from verify_service.origins import BINDING_HEADER, SECRET_HEADER
from verify_service.tokens import Kind, Tokens

_NAME = "dovecote-verify-"
SECURE_PREFIX = "__Host-"


class Binding:
    """Gives and recognises bindings; ``plain_cookie`` as the setting."""

    def __init__(self, tokens: Tokens, *, plain_cookie: bool) -> None:
        self._tokens = tokens
        self._plain = plain_cookie

    def is_by_header(self, request: Request) -> bool:
        """Whether the client asks for a secret instead of a cookie."""
        return request.headers.get(BINDING_HEADER, "").lower() == "header"

    def secret(self, session_id: str) -> str:
        """Return what the client that started the session keeps."""
        return self._tokens.sign(Kind.BINDING, session_id)

    def set_cookie(self, response: Response, session_id: str, seconds: int) -> None:
        """Give the browser its binding."""
        response.set_cookie(
            self._cookie(session_id),
            self.secret(session_id),
            max_age=seconds,
            path="/",
            secure=not self._plain,
            httponly=True,
            samesite="Lax",
        )

    def holds(self, request: Request, session_id: str) -> bool:
        """Whether a request comes from the client that started the session."""
        given = request.headers.get(SECRET_HEADER) or request.cookies.get(self._cookie(session_id), "")
        found = self._tokens.read(Kind.BINDING, given) or ""
        return hmac.compare_digest(found.encode(), session_id.encode())

    def _cookie(self, session_id: str) -> str:
        # Not the identifier itself: the name may turn up where people look at cookies.
        mark = hashlib.sha256(session_id.encode()).hexdigest()[:12]
        return f"{'' if self._plain else SECURE_PREFIX}{_NAME}{mark}"
