"""Reads a header as it came, without making a mapping of all of them first: most calls need three."""

from starlette.requests import Request


def header(request: Request, name: str) -> str | None:
    """Return the first header of this name (lower case), None without one."""
    wanted = name.encode("latin-1")
    for given, value in request.scope["headers"]:
        if given == wanted:
            return bytes(value).decode("latin-1")
    return None
