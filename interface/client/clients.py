"""The two clients: they carry out the steps of an exchange, and nothing else differs between them."""

import asyncio
import functools
import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from datetime import date as date_
from datetime import datetime as datetime_
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar, cast

import httpx

from interface.client import operations, uploading
from interface.client.addresses import Addresses
from interface.client.exchange import Came, Exchange, Pause, Request
from interface.client.operations import Operation
from interface.client.retries import RetryPolicy
from interface.client.uploading import Source
from interface.queries import MessagesQuery
from interface.responses import MessageRow

P = ParamSpec("P")
Outcome = TypeVar("Outcome")

DEFAULT_TIMEOUT: Final = httpx.Timeout(30.0, connect=5.0)
"""Seconds for each part of a call."""
# Kept shorter than servers keep idle connections (uvicorn: 5 s), so that no send is lost on one just being closed.
_LIMITS: Final = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=2.0)


def _synchronous(
    define: Callable[P, Operation[Outcome]],
) -> Callable[Concatenate["MessagingClient", P], Outcome]:
    @functools.wraps(define)
    def method(self: "MessagingClient", /, *args: P.args, **kwargs: P.kwargs) -> Outcome:
        return self.run(define(*args, **kwargs))

    return _as_method(method, define)


def _asynchronous(
    define: Callable[P, Operation[Outcome]],
) -> Callable[Concatenate["AsyncMessagingClient", P], Coroutine[Any, Any, Outcome]]:
    @functools.wraps(define)
    async def method(self: "AsyncMessagingClient", /, *args: P.args, **kwargs: P.kwargs) -> Outcome:
        return await self.run(define(*args, **kwargs))

    return _as_method(method, define)


Method = TypeVar("Method", bound=Callable[..., Any])


def _as_method(method: Method, define: Callable[..., Any]) -> Method:
    """Let ``help()`` show the parameters of the definition, after ``self``."""
    signature = inspect.signature(define)
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    method.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[this, *signature.parameters.values()],
        return_annotation=inspect.Signature.empty,
    )
    return method


class MessagingClient:
    """Calls a provider of the interface. Threads may share one. Close it, or use it as a context manager.

    Raises the errors drawn in `interface.errors`. Methods with ``idempotency_key`` are repeated after a lost answer
    only when one is given and ``retries.idempotent_server`` says that the provider honours it.
    """

    def __init__(  # noqa: PLR0913 - what is passed in, each by name
        self,
        key: str,
        addresses: Addresses,
        *,
        retries: RetryPolicy | None = None,
        timeout: httpx.Timeout | float = DEFAULT_TIMEOUT,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._exchange = Exchange(key, addresses, retries or RetryPolicy())
        self._http = httpx.Client(timeout=timeout, transport=transport, limits=_LIMITS)
        self._sleep = sleep

    send = _synchronous(operations.send)
    send_priority = _synchronous(operations.send_priority)
    send_many = _synchronous(operations.send_many)
    send_simple = _synchronous(operations.send_simple)
    send_xml = _synchronous(operations.send_xml)
    message_status = _synchronous(operations.message_status)
    messages_page = _synchronous(operations.messages_page)
    request_statistics = _synchronous(operations.request_statistics)
    statistics = _synchronous(operations.statistics)
    inbox = _synchronous(operations.inbox)
    apikey_me = _synchronous(operations.apikey_me)
    apikey_update = _synchronous(operations.apikey_update)
    apikey_add = _synchronous(operations.apikey_add)
    apikey_list = _synchronous(operations.apikey_list)
    apikey_change = _synchronous(operations.apikey_change)
    credit = _synchronous(operations.credit)
    credit_prices = _synchronous(operations.credit_prices)
    credit_alert = _synchronous(operations.credit_alert)
    set_credit_alert = _synchronous(operations.set_credit_alert)
    credit_services = _synchronous(operations.credit_services)
    credit_order = _synchronous(operations.credit_order)
    credit_cancel = _synchronous(operations.credit_cancel)
    opt_out = _synchronous(operations.opt_out)
    blacklist = _synchronous(operations.blacklist)
    opt_out_address = _synchronous(operations.opt_out_address)
    blacklist_address = _synchronous(operations.blacklist_address)
    opt_out_remove = _synchronous(operations.opt_out_remove)
    blacklist_remove = _synchronous(operations.blacklist_remove)
    bulk_url = _synchronous(operations.bulk_url)
    bulk_cancel = _synchronous(operations.bulk_cancel)
    bulk_validate = _synchronous(operations.bulk_validate)
    bulk_status = _synchronous(operations.bulk_status)
    billing_get = _synchronous(operations.billing_get)
    billing_set = _synchronous(operations.billing_set)
    invoices_list = _synchronous(operations.invoices_list)
    invoice_pdf = _synchronous(operations.invoice_pdf)
    billing_topup = _synchronous(operations.billing_topup)
    connector_segments = _synchronous(operations.connector_segments)
    connector_recipients = _synchronous(operations.connector_recipients)
    connector_senders = _synchronous(operations.connector_senders)
    connector_me = _synchronous(operations.connector_me)
    create_chat_template = _synchronous(operations.create_chat_template)
    delete_chat_template = _synchronous(operations.delete_chat_template)
    chat_templates = _synchronous(operations.chat_templates)
    partner_signup = _synchronous(operations.partner_signup)
    push_device = _synchronous(operations.push_device)
    recipient_register = _synchronous(operations.recipient_register)
    start_validation = _synchronous(operations.start_validation)
    verify_code = _synchronous(operations.verify_code)
    check_proof = _synchronous(operations.check_proof)
    verify_proof = _synchronous(operations.verify_proof)

    def messages(
        self,
        date: date_,
        *,
        tag: str | None = None,
        phone_number: str | None = None,
        subid: str = "default",
    ) -> Iterator[MessageRow]:
        """Iterate over the messages of a UTC date (2.5), asking for further pages as needed."""
        query: MessagesQuery | None = MessagesQuery(date=date, tag=tag, phone_number=phone_number, subid=subid)
        while query is not None:
            page = self.messages_page(query)
            yield from page.messages
            query = operations.next_page(query, page)

    def upload_bulk(self, bulk_id: str, source: Source, *, datetime: datetime_ | None = None) -> None:
        """Send a file of messages, gzipped or not, in one go (4.2): each line is a `MessageRequest` as JSON.

        Its results come as notifications; `bulk_status` tells how far it is. Raises `Conflict` for a ``bulk_id`` that
        was used before.
        """
        url = self.bulk_url(uploading.describe(bulk_id, source, datetime))
        uploading.put(self._http, url, source)

    def run(self, operation: Operation[Outcome]) -> Outcome:
        """Make a call defined in `interface.client.operations`."""
        steps = self._exchange.steps(operation)
        came: Came = None
        while True:
            try:
                step = steps.send(came)
            except StopIteration as done:
                return cast("Outcome", done.value)
            came = self._carry_out(step)

    def _carry_out(self, step: Request | Pause) -> Came:
        if isinstance(step, Pause):
            self._sleep(step.seconds)
            return None
        try:
            return self._http.request(step.method, step.url, headers=step.headers, content=step.content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"MessagingClient({self._exchange.addresses})"


class AsyncMessagingClient:
    """As `MessagingClient`, with awaitable methods; for one event loop.

    ``before_each`` is awaited before each request, also one that is sent again; what it raises, the call raises.
    """

    def __init__(  # noqa: PLR0913 - what is passed in, each by name
        self,
        key: str,
        addresses: Addresses,
        *,
        retries: RetryPolicy | None = None,
        timeout: httpx.Timeout | float = DEFAULT_TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        before_each: Callable[[httpx.Request], Awaitable[None]] | None = None,
    ) -> None:
        self._exchange = Exchange(key, addresses, retries or RetryPolicy())
        hooks = {"request": [before_each]} if before_each else {}
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport, limits=_LIMITS, event_hooks=hooks)
        self._sleep = sleep

    send = _asynchronous(operations.send)
    send_priority = _asynchronous(operations.send_priority)
    send_many = _asynchronous(operations.send_many)
    send_simple = _asynchronous(operations.send_simple)
    send_xml = _asynchronous(operations.send_xml)
    message_status = _asynchronous(operations.message_status)
    messages_page = _asynchronous(operations.messages_page)
    request_statistics = _asynchronous(operations.request_statistics)
    statistics = _asynchronous(operations.statistics)
    inbox = _asynchronous(operations.inbox)
    apikey_me = _asynchronous(operations.apikey_me)
    apikey_update = _asynchronous(operations.apikey_update)
    apikey_add = _asynchronous(operations.apikey_add)
    apikey_list = _asynchronous(operations.apikey_list)
    apikey_change = _asynchronous(operations.apikey_change)
    credit = _asynchronous(operations.credit)
    credit_prices = _asynchronous(operations.credit_prices)
    credit_alert = _asynchronous(operations.credit_alert)
    set_credit_alert = _asynchronous(operations.set_credit_alert)
    credit_services = _asynchronous(operations.credit_services)
    credit_order = _asynchronous(operations.credit_order)
    credit_cancel = _asynchronous(operations.credit_cancel)
    opt_out = _asynchronous(operations.opt_out)
    blacklist = _asynchronous(operations.blacklist)
    opt_out_address = _asynchronous(operations.opt_out_address)
    blacklist_address = _asynchronous(operations.blacklist_address)
    opt_out_remove = _asynchronous(operations.opt_out_remove)
    blacklist_remove = _asynchronous(operations.blacklist_remove)
    bulk_url = _asynchronous(operations.bulk_url)
    bulk_cancel = _asynchronous(operations.bulk_cancel)
    bulk_validate = _asynchronous(operations.bulk_validate)
    bulk_status = _asynchronous(operations.bulk_status)
    billing_get = _asynchronous(operations.billing_get)
    billing_set = _asynchronous(operations.billing_set)
    invoices_list = _asynchronous(operations.invoices_list)
    invoice_pdf = _asynchronous(operations.invoice_pdf)
    billing_topup = _asynchronous(operations.billing_topup)
    connector_segments = _asynchronous(operations.connector_segments)
    connector_recipients = _asynchronous(operations.connector_recipients)
    connector_senders = _asynchronous(operations.connector_senders)
    connector_me = _asynchronous(operations.connector_me)
    create_chat_template = _asynchronous(operations.create_chat_template)
    delete_chat_template = _asynchronous(operations.delete_chat_template)
    chat_templates = _asynchronous(operations.chat_templates)
    partner_signup = _asynchronous(operations.partner_signup)
    push_device = _asynchronous(operations.push_device)
    recipient_register = _asynchronous(operations.recipient_register)
    start_validation = _asynchronous(operations.start_validation)
    verify_code = _asynchronous(operations.verify_code)
    check_proof = _asynchronous(operations.check_proof)
    verify_proof = _asynchronous(operations.verify_proof)

    async def messages(
        self,
        date: date_,
        *,
        tag: str | None = None,
        phone_number: str | None = None,
        subid: str = "default",
    ) -> AsyncIterator[MessageRow]:
        """Iterate over the messages of a UTC date (2.5), asking for further pages as needed."""
        query: MessagesQuery | None = MessagesQuery(date=date, tag=tag, phone_number=phone_number, subid=subid)
        while query is not None:
            page = await self.messages_page(query)
            for row in page.messages:
                yield row
            query = operations.next_page(query, page)

    async def upload_bulk(self, bulk_id: str, source: Source, *, datetime: datetime_ | None = None) -> None:
        """Send a file of messages, as `MessagingClient.upload_bulk` does."""
        url = await self.bulk_url(await asyncio.to_thread(uploading.describe, bulk_id, source, datetime))
        await uploading.put_async(self._http, url, source)

    async def run(self, operation: Operation[Outcome]) -> Outcome:
        """Make a call defined in `interface.client.operations`."""
        steps = self._exchange.steps(operation)
        came: Came = None
        while True:
            try:
                step = steps.send(came)
            except StopIteration as done:
                return cast("Outcome", done.value)
            came = await self._carry_out(step)

    async def _carry_out(self, step: Request | Pause) -> Came:
        if isinstance(step, Pause):
            await self._sleep(step.seconds)
            return None
        try:
            return await self._http.request(step.method, step.url, headers=step.headers, content=step.content)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return error

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncMessagingClient({self._exchange.addresses})"
