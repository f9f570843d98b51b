"""A site of somebody else: another origin than the service's."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug.serving import BaseWSGIServer, make_server


@contextmanager
def serving(application: Any = None) -> Iterator[BaseWSGIServer]:
    """Serve a site of somebody else; its application may be set later as ``app``."""
    server = make_server("localhost", 0, application, threaded=True)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def origin_of(server: BaseWSGIServer) -> str:
    return f"http://localhost:{server.port}"
