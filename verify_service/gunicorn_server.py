"""The service under gunicorn: processes of threads, since a call mostly waits for the upstream."""

import socket
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker

from verify_service import logs
from verify_service.application import create_app
from verify_service.listening import SHARED, listen
from verify_service.settings import Settings

_KEEP_ALIVE_SECONDS = 30


class _Server(BaseApplication):
    def __init__(self, settings: Settings, options: dict[str, Any]) -> None:
        self._settings = settings
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        """Set what we chose; options that this gunicorn doesn't know yet don't matter."""
        for name, value in self._options.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Any:  # noqa: ANN401 - of the types that gunicorn allows, Flask fits only loosely
        """Make the application, in each process."""
        logs.configure(self._settings.log_format, self._settings.log_level)
        return create_app(self._settings)


def run(settings: Settings, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM; ``listener`` shares its port."""
    address, family = listener.getsockname(), listener.family

    # Each process has a socket of its own: of one socket, the process that is awake takes all connections.
    def listen_too(_arbiter: object, worker: Worker) -> None:
        worker.sockets.append(listen(family, address, *SHARED))

    _Server(
        settings,
        {
            "bind": [f"fd://{listener.detach()}"],  # gunicorn closes it
            "workers": settings.processes,
            "worker_class": "gthread",
            "threads": settings.threads,
            "keepalive": _KEEP_ALIVE_SECONDS,
            "loglevel": "warning",
            "control_socket_disable": True,
            **({"post_fork": listen_too} if SHARED else {}),
        },
    ).run()
