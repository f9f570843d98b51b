"""A real HTTP server that answers as a test tells it, so that the client is tested over sockets."""

import json
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Reply:
    """An answer; ``status`` 0 hangs up without one."""

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies: deque[Reply] = deque()
        self.received: list[Received] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def will_answer(self, *replies: Reply) -> None:
        self.replies.extend(replies)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ScriptedServer

    def do_GET(self) -> None:
        length = int(self.headers.get("content-length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append(Received(self.command, self.path, headers, self.rfile.read(length)))
        reply = self.server.replies.popleft()
        if not reply.status:
            self.close_connection = True
            return
        content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in {"content-length": str(len(content)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_POST = do_PATCH = do_GET  # noqa: N815 - the names http.server looks for

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests clean."""
