"""Wires everything: the only place that knows all parts."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import structlog
from starlette.applications import Starlette

from interface.calls import Call
from interface.flow_steps import Channel
from messaging_service.accept.acceptor import Acceptor
from messaging_service.accept.filing import Filer
from messaging_service.accounts.credit_alerts import CreditAlerts
from messaging_service.accounts.downloads import Downloads
from messaging_service.accounts.keys import KeyRing
from messaging_service.accounts.low_credit import LowCreditWatch
from messaging_service.accounts.orders import Orders
from messaging_service.accounts.prices import read_prices
from messaging_service.accounts.sub_keys import SubKeys
from messaging_service.accounts.submissions import Submissions
from messaging_service.billing.invoicing import Invoicing
from messaging_service.billing.issuer import read_issuer
from messaging_service.bulk.checking import Checker
from messaging_service.bulk.opening import open_processor, open_reception
from messaging_service.cancel import Cancelling
from messaging_service.channels.channel import Inbound, Receipt, WayOut
from messaging_service.channels.chat_app.approval import Approval
from messaging_service.channels.chat_app.cloud_api import CloudApi
from messaging_service.channels.chat_app.cloud_settings import cloud_access
from messaging_service.channels.chat_app.templates import Templates
from messaging_service.channels.simulated.operator import Reports
from messaging_service.clock import Clock
from messaging_service.connectors.kit.opening import open_asking
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.billing import BillingEndpoints
from messaging_service.endpoints.bulk import BulkCalls, BulkEndpoints
from messaging_service.endpoints.bulk_files import BulkFiles
from messaging_service.endpoints.chat_app_webhook import ChatAppWebhook
from messaging_service.endpoints.chat_templates import ChatTemplateEndpoints
from messaging_service.endpoints.connectors import ConnectorEndpoint
from messaging_service.endpoints.credit import CreditCalls, CreditEndpoints
from messaging_service.endpoints.documentation import DocumentationPages
from messaging_service.endpoints.health import HealthPages
from messaging_service.endpoints.inbox import InboxEndpoints
from messaging_service.endpoints.keys import KeyCalls, KeyEndpoints
from messaging_service.endpoints.links import LinkPages
from messaging_service.endpoints.list_files import ListFiles
from messaging_service.endpoints.lists import ListEndpoints
from messaging_service.endpoints.messaging import MessagingEndpoints
from messaging_service.endpoints.partner import PartnerEndpoints
from messaging_service.endpoints.phone import PhonePages
from messaging_service.endpoints.serving import Handler, Serving, problem_handlers
from messaging_service.endpoints.signup_pages import SignupPages
from messaging_service.endpoints.simple import SimpleEndpoints
from messaging_service.endpoints.status import StatusEndpoints
from messaging_service.endpoints.verification import VerificationEndpoints
from messaging_service.endpoints.xml import XmlEndpoint
from messaging_service.housekeeping import Housekeeping
from messaging_service.inbound.recorder import InboundRecorder
from messaging_service.links.clicks import Clicks
from messaging_service.links.shortening import ShortLinks
from messaging_service.mail.mailer import Mailer
from messaging_service.mail.server import open_mail_server
from messaging_service.notify.opening import open_notifier
from messaging_service.operators import (
    Stores,
    channels_to_repeat,
    notice,
    open_operator_records,
    template_platform,
    ways_out,
)
from messaging_service.partners.apps import Apps
from messaging_service.partners.signups import Signups
from messaging_service.process.decide import Rules
from messaging_service.process.hand_over import HandOver
from messaging_service.process.phase_two import PhaseTwo
from messaging_service.process.worker import Worker
from messaging_service.running.supervision import Loop, running
from messaging_service.running.waking import Waker
from messaging_service.settings import Role, Settings
from messaging_service.store import messages
from messaging_service.store.engine import Store
from messaging_service.store.journal_file import open_journal
from messaging_service.store.key_changes import open_key_changes
from messaging_service.track import Tracker
from messaging_service.verification.delivery import CodeDelivery
from messaging_service.verification.key import open_codes
from messaging_service.verification.opening import open_verification

log = structlog.get_logger(__name__)


class Application:
    """The service over one open, migrated store: an ASGI application, and the loops that run beside it.

    ``wake_elsewhere`` wakes a worker in another process on this machine.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        clock: Clock,
        wake_elsewhere: Callable[[], None] | None = None,
    ) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._loops: dict[str, Loop] = {}
        self._wakes = [] if wake_elsewhere is None else [wake_elsewhere]
        self._to_close: list[Store] = []
        self._phone: PhonePages | None = None
        self._journal = open_journal(store, settings.database)
        if self._journal is not store:
            self._to_close.append(self._journal)
        self._filer = Filer(store, self._journal)
        self._codes = open_codes(settings)
        self._issued_by = read_issuer(settings.issuer)
        self._vat = None if self._issued_by is None else float(settings.vat)
        self._templates = template_platform(settings, clock)
        self._pages = HealthPages(store, clock, notice(settings)).routes()
        handlers: dict[Call[Any], Handler] = {}
        if settings.role is not Role.WORKER:
            handlers |= self._build_api()
        if settings.role is not Role.API:
            self._build_worker()
        pages = Starlette(
            routes=[*self._pages, *DocumentationPages(handlers).routes()],
            exception_handlers=problem_handlers(),
            lifespan=self._lifespan,
        )
        self.asgi = Serving(handlers, pages)

    def _build_api(self) -> dict[Call[Any], Handler]:
        key_changes = open_key_changes(self._store)
        authentication = Authentication(KeyRing(self._store, self._clock, key_changes))
        sub_keys = SubKeys(self._store, self._clock, self._codes)
        acceptor = Acceptor(self._journal, self._clock, self.wake)
        verification = open_verification(self._settings, self._codes, self._store, self._clock, self.wake)
        checker = self._build_checker()
        self._loops |= {"accept": acceptor, "verification": verification.verifier, "keys": key_changes}
        self._build_phone()
        self._build_webhook()
        self._build_links()
        return {
            **MessagingEndpoints(authentication, acceptor).handlers(),
            **SimpleEndpoints(authentication, acceptor).handlers(),
            **StatusEndpoints(authentication, self._store, self._filer).handlers(),
            **InboxEndpoints(authentication, self._store).handlers(),
            **self._build_credit(authentication).handlers(),
            **KeyEndpoints(authentication, KeyCalls(self._store, sub_keys, key_changes, self._vat)).handlers(),
            **self._build_lists(authentication).handlers(),
            **VerificationEndpoints(authentication, verification).handlers(),
            **self._build_bulk(authentication, checker).handlers(),
            **ChatTemplateEndpoints(authentication, Templates(self._store, self._clock, self._templates)).handlers(),
            **ConnectorEndpoint(authentication, open_asking(self._settings, self._store, self._codes)).handlers(),
            **BillingEndpoints(authentication, self._store, self._issued_by).handlers(),
            **self._build_partner(authentication, sub_keys).handlers(),
            **XmlEndpoint(authentication, acceptor, checker).handlers(),
        }

    def _build_lists(self, authentication: Authentication) -> ListEndpoints:
        downloads = Downloads(self._store, self._clock, self._codes.derived("list-download"))
        self._pages += ListFiles(downloads).routes()
        submissions = Submissions(self._store, self._clock)
        return ListEndpoints(authentication, submissions, downloads, self._settings.public_url)

    def _build_credit(self, authentication: Authentication) -> CreditEndpoints:
        prices = read_prices(self._settings.prices)
        alerts = CreditAlerts(self._store, self._settings.sends_mail)
        orders = Orders(self._store, self._clock, prices)
        return CreditEndpoints(authentication, CreditCalls(self._store, prices, alerts, orders, self._vat))

    def _build_checker(self) -> Checker:
        return Checker(self._store, self._clock, self._rules(may_repeat=frozenset()))

    def _rules(self, may_repeat: frozenset[Channel]) -> Rules:
        settings = self._settings
        links = ShortLinks(settings.reached_at, urlsplit(settings.public_url).scheme or "https")
        prices = read_prices(settings.prices)
        return Rules(prices, settings.identical_limit, may_repeat, links, self._templates.knows_all)

    def _build_bulk(self, authentication: Authentication, checker: Checker) -> BulkEndpoints:
        reception = open_reception(self._settings, self._store, self._clock)
        if reception is not None:
            self._pages += BulkFiles(reception, self.wake).routes()
        doing = BulkCalls(
            None if reception is None else reception.uploads,
            Cancelling(self._store, self._clock, self._filer),
            checker,
        )
        return BulkEndpoints(authentication, doing, self._settings.public_url)

    def _build_webhook(self) -> None:
        access = cloud_access(self._settings)
        if access is not None:
            self._pages += ChatAppWebhook(access, self._store, self._clock, self.wake).routes()

    def _build_partner(self, authentication: Authentication, sub_keys: SubKeys) -> PartnerEndpoints:
        signups = Signups(self._store, self._clock, self._codes, sub_keys)
        self._pages += SignupPages(signups).routes()
        return PartnerEndpoints(authentication, signups, Apps(self._store, self._clock), self._settings.public_url)

    def _build_phone(self) -> None:
        if self._settings.phone_served:
            records = open_operator_records(self._settings)
            self._to_close.append(records)
            self._phone = PhonePages(records, self._clock)
            self._pages += self._phone.routes()

    def _build_links(self) -> None:
        clicks = Clicks(self._store, self._clock)
        self._loops["clicks"] = clicks
        self._pages += LinkPages(clicks).routes()

    def _build_worker(self) -> None:
        records = open_operator_records(self._settings)
        self._to_close.append(records)
        tracker = Tracker(self._store, self._clock)
        recorder = InboundRecorder(self._store, self._clock, sends_mail=self._settings.sends_mail)

        async def on_receipts(receipts: Sequence[Receipt]) -> None:
            await asyncio.to_thread(tracker.record, receipts)
            self.wake()

        async def on_inbound(received: Sequence[Inbound]) -> None:
            await asyncio.to_thread(recorder.record, received)
            self.wake()

        stores = Stores(self._store, records)
        ways = ways_out(self._settings, stores, self._clock, Reports(on_receipts, on_inbound))
        rules = self._rules(channels_to_repeat(self._settings, ways))
        phase_two = PhaseTwo(self._store, self._clock, rules)
        fill_in = CodeDelivery(self._store, self._codes).fill_in
        worker = Worker(self._store, self._clock, self._filer, phase_two, HandOver(tracker, ways, self.wake, fill_in))
        notifier = open_notifier(self._settings, self._store, self._clock)
        self._wakes += [worker.waker.wake, notifier.waker.wake]
        self._build_alerts(notifier.waker)
        self._loops |= {
            "process": worker,
            "notify": notifier,
            "housekeeping": Housekeeping(self._store, self._journal, self._clock),
            "templates": Approval(self._store, self._clock, self._templates),
        }
        if self._issued_by is not None:
            self._loops["billing"] = Invoicing(self._store, self._clock, self._issued_by, self._settings.vat)
        processor = open_processor(self._settings, self._store, self._clock, self.wake)
        if processor is not None:
            self._wakes.append(processor.waker.wake)
            self._loops["bulk"] = processor
        self._loops |= {f"operator-{index}": way_out for index, way_out in enumerate(_distinct(ways.values()))}
        self._wakes += [way_out.waker.wake for way_out in _distinct(ways.values()) if isinstance(way_out, CloudApi)]

    def _build_alerts(self, notifier: Waker) -> None:
        server = open_mail_server(self._settings)
        wakers = [notifier]
        if server is not None:
            mailer = Mailer(self._store, self._clock, server)
            self._loops["mail"] = mailer
            wakers.append(mailer.waker)

        def on_told() -> None:
            for waker in wakers:
                waker.wake()

        self._loops["low-credit"] = LowCreditWatch(self._store, self._clock, on_told, sends_mail=server is not None)

    def wake(self) -> None:
        """Have the loops look for work: something was written that may be due for them. In the event loop's thread."""
        for wake in self._wakes:
            wake()

    def begin_to_stop(self) -> None:
        """End answers that would go on for ever. In the event loop's thread, before the server waits for the others."""
        if self._phone is not None:
            self._phone.stop()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the loops while the block runs."""
        if self._settings.role is not Role.API and self._store.is_sqlite:
            self._take_over()
        async with running(self._loops):
            yield
        self.close()

    def close(self) -> None:
        """Close what this one has opened, which leaves out the store."""
        for store in self._to_close:
            store.close()

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        async with self.running():
            yield

    def _take_over(self) -> None:
        """Go on at once with what the worker before was handing over: a SQLite store has one worker."""
        with self._store.writing() as connection:
            count = messages.release_in_doubt(connection, self._clock.now())
        if count:
            log.info("process.took-over", messages=count)


def _distinct(ways: Iterable[WayOut]) -> list[WayOut]:
    return list({id(way_out): way_out for way_out in ways}.values())
