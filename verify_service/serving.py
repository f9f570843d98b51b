"""Runs the service: by gunicorn where it is installed, else by Werkzeug's threaded server, which says so."""

import logging
import socket
from collections.abc import Callable
from importlib.util import find_spec

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from verify_service import measures
from verify_service.application import create_app
from verify_service.database import open_store
from verify_service.listening import listen_alone
from verify_service.settings import Settings
from verify_service.signing_key import signing_keys

Say = Callable[[str], None]


class CannotStart(Exception):  # noqa: N818
    """The port or the store can't be used; the message says why."""


def serve(settings: Settings, say: Say) -> None:
    """Serve until SIGINT or SIGTERM. Raises CannotStart, NewerSchema, ValueError."""
    with _listen(settings.host, settings.port) as listener:
        settings = settings.model_copy(update={"port": listener.getsockname()[1]})
        _prepare(settings)
        say(f"Verification for front ends  {settings.address}")
        if not settings.service_keys:
            say("No back end can redeem results: DOVECOTE_VERIFY_SERVICE_KEYS is not set.")
        if find_spec("gunicorn"):
            _by_gunicorn(settings, listener)
        else:
            say("Werkzeug's server, for trying it out; for production: pip install gunicorn.")
            _by_werkzeug(settings, listener)


def _prepare(settings: Settings) -> None:
    """Bring the store and the key into being once, and fail here rather than in each process."""
    try:
        open_store(settings.database).close()
    except (SQLAlchemyError, OSError) as error:
        # Of the address no more than the driver says: it may hold a password.
        why = str(error.orig or "").partition("\n")[0] if isinstance(error, DBAPIError) else type(error).__name__
        raise CannotStart(f"The store in DOVECOTE_VERIFY_DATABASE can't be opened: {why}.") from None
    signing_keys(settings)


def _listen(host: str, port: int) -> socket.socket:
    try:
        return listen_alone(host, port)
    except OSError as error:
        raise CannotStart(f"Can't listen on {host}:{port}: {error.strerror}; choose another with --port.") from None


def _by_gunicorn(settings: Settings, listener: socket.socket) -> None:
    from verify_service.gunicorn_server import run

    with measures.shared():
        run(settings, listener)


def _by_werkzeug(settings: Settings, listener: socket.socket) -> None:
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # whoever stands in front keeps the access log
    app = create_app(settings)
    server = make_server(settings.host, settings.port, app, threaded=True, fd=listener.fileno())
    server.serve_forever()
