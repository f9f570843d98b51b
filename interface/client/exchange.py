"""How a call goes, without doing any of it: what to send, what to wait, what the answer means.

`Exchange.steps` is a generator: it yields a `Request` to send or a `Pause` to make, is told what came of it, and
returns the result or raises one of the client's errors. The two clients only carry out its steps.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

import httpx
from pydantic import BaseModel

from interface.calls import IDEMPOTENCY_HEADER, KEY_HEADER, Base, Content
from interface.client.addresses import Addresses
from interface.client.answers import RawAnswer, error_of, read_answer
from interface.client.operations import Operation
from interface.client.retries import RetryPolicy
from interface.errors import ConnectionFailed, DovecoteError, OutcomeUnknown, Refused, UnexpectedAnswer

Outcome = TypeVar("Outcome")

_NOTHING_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx.InvalidURL,
)
_DID_NOTHING = 429
_STILL_RUNNING = 409
_MAY_PASS = frozenset({500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Request:
    """A request to send; sent again as it is when it is repeated."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Pause:
    """Seconds to wait."""

    seconds: float


Step: TypeAlias = Request | Pause
Came: TypeAlias = httpx.Response | httpx.HTTPError | httpx.InvalidURL | None
"""What came of a step: a response, the reason there is none, or None after a pause."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What an attempt came to: an error, and whether the call may be tried again."""

    error: DovecoteError
    may_repeat: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """Whom to call, as whom, and how patiently."""

    key: str = field(repr=False)
    addresses: Addresses
    retries: RetryPolicy

    def __post_init__(self) -> None:
        if not self.key or not self.key.isascii() or not self.key.isprintable() or " " in self.key:
            raise ValueError("The key must consist of printable ASCII characters, without spaces.")

    def steps(self, operation: Operation[Outcome]) -> Generator[Step, Came, Outcome]:
        """Go through ``operation``, trying again where that is safe and the policy allows it."""
        try:
            return (yield from self._tries(operation))
        except DovecoteError as error:
            error.call = _named(operation)
            raise

    def _tries(self, operation: Operation[Outcome]) -> Generator[Step, Came, Outcome]:
        request = self.request(operation)
        attempt = 0
        while True:
            attempt += 1
            came = yield request
            if isinstance(came, httpx.Response) and came.is_success:
                return operation.result(read_answer(operation.call, _raw(came)))
            verdict = self._judge(operation, came)
            wait = self.retries.wait_after(attempt, verdict.error.retry_after) if verdict.may_repeat else None
            if wait is None:
                raise verdict.error
            yield Pause(wait)

    def request(self, operation: Operation[Any]) -> Request:
        """Build the request of ``operation``."""
        call, sent = operation.call, operation.sent
        path = call.path.format_map({name: quote(value, safe="") for name, value in sent.path.items()})
        url = self.addresses.url(call.base, path)
        if sent.query is not None:
            url += f"?{urlencode(_wire(sent.query))}"
        headers = {"accept": call.answers.value}
        if call.needs_key:
            headers[KEY_HEADER] = self.key
        if sent.idempotency_key is not None:
            headers[IDEMPOTENCY_HEADER] = sent.idempotency_key
        if call.body is None:
            return Request(call.method, url, headers)
        headers["content-type"] = call.content.value
        return Request(call.method, url, headers, _content(operation))

    def _judge(self, operation: Operation[Any], came: Came) -> _Verdict:
        call = operation.call
        repeatable = self.retries.may_repeat(call, operation.sent.idempotency_key)
        if isinstance(came, httpx.Response):
            return self._judge_response(operation, came, repeatable=repeatable)
        reason = type(came).__name__
        if isinstance(came, _NOTHING_SENT):
            connecting = isinstance(came, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
            return _Verdict(ConnectionFailed(f"No connection to the service for {call.name} ({reason})."), connecting)
        return _Verdict(OutcomeUnknown(f"The service was sent {call.name} and did not answer ({reason})."), repeatable)

    def _judge_response(self, operation: Operation[Any], response: httpx.Response, *, repeatable: bool) -> _Verdict:
        raw = _raw(response)
        error = self._without_key(error_of(operation.call, raw, self.retries.clock()))
        awaited = raw.status == _STILL_RUNNING and operation.sent.idempotency_key is not None
        may_repeat = raw.status == _DID_NOTHING or (repeatable and (raw.status in _MAY_PASS or awaited))
        return _Verdict(error, may_repeat)

    def _without_key(self, error: Refused | UnexpectedAnswer) -> Refused | UnexpectedAnswer:
        """Blank the key where a service repeats it in its sentence."""
        error.args = tuple(each.replace(self.key, "…") if isinstance(each, str) else each for each in error.args)
        if isinstance(error, Refused):
            error.message = error.message.replace(self.key, "…")
        return error


def _named(operation: Operation[Any]) -> str:
    call = operation.call
    # The token of a verification is no business of those who read errors.
    path = call.path if call.base is Base.VERIFY else call.path.format_map(operation.sent.path)
    return f"{call.method} {path or call.base}"


def _raw(response: httpx.Response) -> RawAnswer:
    return RawAnswer(response.status_code, response.content, response.headers.get("retry-after"))


def _wire(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _content(operation: Operation[Any]) -> bytes:
    call, body = operation.call, operation.sent.body
    if call.content is Content.FORM and isinstance(body, BaseModel):
        return urlencode(_wire(body)).encode()
    if call.body is None:
        return b""
    return call.body.dump_json(body, by_alias=True, exclude_none=True)
