"""Files at http(s) addresses, within bounds. Addresses may hold secrets in their query: no error shows that."""

from http import HTTPStatus
from urllib.parse import urlsplit, urlunsplit

import httpx

from flows.problems import RecipientsProblem

LARGEST_BYTES = 512 * 1024 * 1024
TIMEOUT = httpx.Timeout(60.0, connect=10.0)


def is_url(place: str) -> bool:
    """Whether a file is named by an http(s) address rather than by a path."""
    return place.lower().startswith(("http://", "https://"))


def without_query(url: str) -> str:
    """Write an address as people may see it: without user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def download(url: str) -> bytes:
    """Return what is at an address; raises `RecipientsProblem`, in a sentence without the address's query."""
    shown = without_query(url)
    try:
        with httpx.stream("GET", url, timeout=TIMEOUT, follow_redirects=True) as response:
            if response.status_code != HTTPStatus.OK:
                raise RecipientsProblem(f"{shown} cannot be read: it answers with status {response.status_code}.")
            return _content(response, shown)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise RecipientsProblem(f"{shown} cannot be read ({type(error).__name__}).") from None


def _content(response: httpx.Response, shown: str) -> bytes:
    read = bytearray()
    for piece in response.iter_bytes():
        read += piece
        if len(read) > LARGEST_BYTES:
            raise RecipientsProblem(f"{shown} has more than {LARGEST_BYTES // 1024**2} MiB.")
    return bytes(read)
