"""A call as the load generators send it again and again, each time to recipients of its own."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from benchmarks.recipients import number

PLACE = "{number}"
"""Where a recipient's number goes in a path or body."""


@dataclass(frozen=True)
class Call:
    """One call with ``PLACE`` wherever a recipient stands; the generators fill in numbers never used before."""

    method: str
    path: str
    body: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def recipients(self) -> int:
        """How many recipients one call has."""
        return self.path.count(PLACE) + self.body.count(PLACE)

    def render(self, first: int, host: str) -> bytes:
        """Return the bytes of one HTTP/1.1 request to the recipients from number ``first`` on."""
        indexes = iter(range(first, first + self.recipients))
        path, body = (_fill(text, indexes) for text in (self.path, self.body))
        content = body.encode()
        headers = {"Host": host, **self.headers}
        if content:
            headers["Content-Length"] = str(len(content))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"{self.method} {path} HTTP/1.1\r\n{head}\r\n".encode() + content


def _fill(text: str, indexes: Iterator[int]) -> str:
    before, *rest = text.split(PLACE)
    return before + "".join(number(next(indexes)) + part for part in rest)
