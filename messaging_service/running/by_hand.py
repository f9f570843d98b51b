"""Small servers that people start by hand to try something: one line says where they listen, Ctrl-C ends them."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress

import typer
import uvicorn
from starlette.types import ASGIApp


def serve_by_hand(application: ASGIApp, host: str, port: int, introduction: Callable[[str], str]) -> int:
    """Serve until Ctrl-C, and print what ``introduction`` says about the address; port 0 takes a free one.

    Returns the exit code: 1, after a sentence on standard error, when the port is taken.
    """
    try:
        opened = socket.create_server((host, port))
    except OSError as problem:
        reason = os.strerror(problem.errno) if problem.errno else str(problem)
        typer.echo(f"Can't listen on {host}:{port}: {reason}. Choose another --port.", err=True)
        return 1
    typer.echo(introduction(f"http://{host}:{opened.getsockname()[1]}"))
    server = uvicorn.Server(uvicorn.Config(application, log_config=None, access_log=False, lifespan="off"))
    with opened, suppress(KeyboardInterrupt):
        server.run(sockets=[opened])
    return 0
