"""The keys of the tokens: from the settings, or from a file beside a SQLite store that is made at the first start."""

import os
import secrets
from pathlib import Path

from sqlalchemy import make_url

from verify_service.setting_kinds import SHORTEST_KEY
from verify_service.settings import Settings

FILE = "verify-signing.key"


def signing_keys(settings: Settings) -> tuple[str, ...]:
    """Return the keys, the one that signs first. Raises ValueError where there is none and none can be made."""
    if settings.signing_keys:
        return tuple(key.get_secret_value() for key in settings.signing_keys)
    url = make_url(settings.database)
    if url.get_backend_name() != "sqlite" or not url.database:
        raise ValueError(
            "DOVECOTE_VERIFY_SIGNING_KEYS must be set where the store is PostgreSQL: the same for every process. "
            "`openssl rand -hex 32` makes one.",
        )
    return (_of_file(Path(url.database).with_name(FILE)),)


def _of_file(path: Path) -> str:
    if not path.exists():
        _write_once(path, secrets.token_hex(32))
    key = path.read_text().strip()
    if len(key) < SHORTEST_KEY:
        raise ValueError(f"{path} holds no signing key; restore it, or delete it for a new one.")
    return key


def _write_once(path: Path, content: str) -> None:
    """Write a file that only its owner may read; one that another process has just made stays as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(content)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
