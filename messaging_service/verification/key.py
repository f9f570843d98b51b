"""The verification key: it lives outside the database, in a setting or in a file beside a SQLite store."""

from pathlib import Path

from sqlalchemy import make_url

from messaging_service.secret_keys import SHORTEST, key_file
from messaging_service.settings import Settings
from messaging_service.verification.codes import CodeKeeper

FILE = "verification.key"


def open_codes(settings: Settings) -> CodeKeeper:
    """Return what works with the key. Raises ValueError, in a sentence, where there is none and none can be made."""
    return CodeKeeper(_key(settings))


def _key(settings: Settings) -> bytes:
    if settings.verification_key is not None:
        return settings.verification_key.get_secret_value().encode()
    url = make_url(settings.database)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ValueError(
            f"DOVECOTE_VERIFICATION_KEY must be set where the store is PostgreSQL: at least {SHORTEST} characters, the "
            "same for every process, kept apart from the database. `openssl rand -hex 32` makes one.",
        )
    return key_file(Path(url.database).with_name(FILE))
