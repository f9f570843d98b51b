"""The way out to a platform of the kind of the WhatsApp Cloud API: sends by HTTP, hears by webhook."""

import asyncio
from collections.abc import Sequence

import structlog

from messaging_service.channels.channel import Answer, OnInbound, OnReceipts, Submission, Taken
from messaging_service.channels.chat_app.cloud_events import read_event
from messaging_service.channels.chat_app.cloud_http import CONNECTIONS, CloudHttp, NoReply, NotSent
from messaging_service.channels.chat_app.cloud_replies import answer_to
from messaging_service.channels.chat_app.cloud_requests import message_request
from messaging_service.channels.chat_app.cloud_settings import CloudAccess
from messaging_service.clock import MINUTE, SECOND, Clock, Milliseconds
from messaging_service.running.waking import Waker
from messaging_service.store import chat_app_events, chat_templates
from messaging_service.store.chat_app_events import Event
from messaging_service.store.engine import Store

TRY_AGAIN_AFTER: Milliseconds = 10 * SECOND
"""When a message is handed over again that the platform has surely not heard of."""
RECORD_AGAIN_AFTER: Milliseconds = 1 * MINUTE
"""When what the platform told is read again that nobody recorded, since its process died."""
_BATCH_SECONDS = 30.0  # less than a hand-over may take, so that what was answered is known
_EVENTS_AT_ONCE = 100
_POLL_SECONDS = 0.5
_UNKNOWN_SENDER = Answer(Taken.NO, reason="This sender isn't set up for WhatsApp")

log = structlog.get_logger(__name__)


class CloudApi:
    """WhatsApp through the platform that ``access`` names. It delivers a message as often as it is sent."""

    recognises_repeats = False

    def __init__(
        self, access: CloudAccess, store: Store, clock: Clock, on_receipts: OnReceipts, on_inbound: OnInbound
    ) -> None:
        self._access = access
        self._store = store
        self._clock = clock
        self._on_receipts = on_receipts
        self._on_inbound = on_inbound
        self._places = asyncio.Semaphore(CONNECTIONS)
        self._http = CloudHttp(access)
        self.waker = Waker()

    async def submit(self, submissions: Sequence[Submission]) -> Sequence[Answer]:
        """Send each message by a request of its own, several at once."""
        ends = asyncio.get_running_loop().time() + _BATCH_SECONDS
        return await asyncio.gather(*(self._send(submission, ends) for submission in submissions))

    async def _send(self, submission: Submission, ends: float) -> Answer:
        phone = self._access.phones.get(submission.sender)
        if phone is None:
            return _UNKNOWN_SENDER
        begun = False
        try:
            async with asyncio.timeout_at(ends), self._places:
                begun = True
                reply = await self._http.request("POST", f"{phone}/messages", json=message_request(submission))
        except NotSent:
            return Answer(Taken.LATER, retry_in=TRY_AGAIN_AFTER)
        except NoReply as problem:
            log.warning("chat-app.no-reply", message_id=submission.message_id, reason=str(problem))
            return Answer(Taken.UNKNOWN)
        except TimeoutError:
            return Answer(Taken.UNKNOWN) if begun else Answer(Taken.LATER, retry_in=SECOND)
        answer = answer_to(reply)
        if answer.taken is Taken.UNKNOWN:
            log.warning("chat-app.not-understood", message_id=submission.message_id, status=reply.status)
        return answer

    async def run(self) -> None:
        """Record what the webhook has taken down, until cancelled."""
        try:
            while True:
                self.waker.begin()
                if not await self.record_events():
                    await self.waker.sleep(_POLL_SECONDS)
        finally:
            await self._http.close()
            self._http = CloudHttp(self._access)  # for a run that follows on a failed one

    async def record_events(self) -> int:
        """Record what was told and isn't recorded yet. Returns how many calls of the webhook that were.

        One that can't be recorded is tried again later, and holds no other up.
        """
        events = await asyncio.to_thread(self._claim)
        for event in events:
            try:
                await self._record(event)
            except Exception:
                log.exception("chat-app.event-failed", event_id=event.id)
        return len(events)

    async def _record(self, event: Event) -> None:
        told = read_event(event.body, self._access)
        if told.not_understood:
            log.warning("chat-app.events-not-understood", number=told.not_understood)
        if told.receipts:
            await self._on_receipts(told.receipts)
        if told.inbound:
            await self._on_inbound(told.inbound)
        await asyncio.to_thread(self._forget, event, told.template_ids)

    def _claim(self) -> list[Event]:
        now = self._clock.now()
        with self._store.reading() as connection:
            if not chat_app_events.any_due(connection, now):
                return []
        with self._store.writing() as connection:
            return chat_app_events.claim_due(connection, now, _EVENTS_AT_ONCE, now + RECORD_AGAIN_AFTER)

    def _forget(self, event: Event, template_ids: Sequence[str]) -> None:
        with self._store.writing() as connection:
            if template_ids:
                chat_templates.ask_at(connection, template_ids, self._clock.now())
            chat_app_events.forget(connection, event.id)
