"""Every flow that sends, with work for it; and the two kinds of operators at which one counts what it has sent."""

import asyncio
import datetime as dt
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from builders import number
from segment_provider import SegmentProvider
from service_program import KEY, service_program
from serving import served
from sqlalchemy import update

from flows.blocks import MessagingAccount
from flows.campaign import send_campaign
from flows.ledger import find_campaign, open_ledger, outstanding, plan, totals
from flows.ledger.tables import turns, waves
from flows.parameters import Campaign
from flows.planning.facts import Facts
from flows.planning.preparing import Asked, prepare
from flows.planning.written_plan import written
from flows.recipients.sources import read_inline

RECIPIENTS = 900


@dataclass
class Stage:
    """Where the flows send: an account and a ledger; what the operator behind the account took, by number."""

    account: str
    ledger: str
    taken: Callable[[str], Counter[str]]
    set_segment: Callable[[Sequence[str]], None]

    def totals(self, campaign: str) -> tuple[dict[str, int], int]:
        """The results in the ledger, and its batches without an answer."""
        book = open_ledger(self.ledger)
        try:
            found = find_campaign(book, campaign)
            return totals(book, found.id).by_result, len(outstanding(book, found.id))
        finally:
            book.close()

    def let_leases_end(self) -> None:
        """What a killed process held is free, without waiting for that."""
        book = open_ledger(self.ledger)
        with book.write() as connection:
            connection.execute(update(turns).values(held_until=0))
            connection.execute(update(waves).values(lease_until=0))
        book.close()


@dataclass
class Work:
    """What a flow's process is given, and what is there when it is done: so many messages for each of the people.

    ``mark`` is in the texts of its messages, and in no others; ``campaign`` is its name in the ledger.
    """

    flow: str
    parameters: dict
    campaign: str
    mark: str
    people: list[str]
    each: int = 1
    result: str = "delivered"

    @property
    def entrypoint(self) -> str:
        """The flow as ``prefect.yaml`` names it."""
        return self.flow.replace(":", ".")

    @property
    def done(self) -> tuple[dict[str, int], tuple[dict[str, int], int]]:
        """What the operator has, and what the ledger says, when everybody was written to."""
        return dict.fromkeys(self.people, self.each), ({self.result: len(self.people)}, 0)

    def outcome(self, stage: Stage) -> tuple[dict[str, int], tuple[dict[str, int], int]]:
        return dict(stage.taken(self.mark)), stage.totals(self.campaign)


def by_calls(stage: Stage, mark: str) -> Work:
    people = [number(index) for index in range(RECIPIENTS)]
    return _campaign(stage, mark, people, recipients=people)


def by_files(stage: Stage, mark: str) -> Work:
    """Three waves at once, each a file: they end at different hours."""
    rows = [
        {"phone_number": number(index), "zone": f"Etc/GMT-{index % 3}" if index % 3 else "UTC"}
        for index in range(RECIPIENTS)
    ]
    people = [row["phone_number"] for row in rows]
    hours = {**hours_around_now(), "zone_column": "zone"}
    return _campaign(stage, mark, people, recipients=rows, local_hours=hours, bulk_from=1)


def a_wave(stage: Stage, mark: str) -> Work:
    """The only wave of a campaign that was planned and not sent."""
    people = [number(index) for index in range(RECIPIENTS)]
    hours = hours_around_now()
    asked = Campaign(**_campaign(stage, mark, people, recipients=people, local_hours=hours).parameters["campaign"])
    prepared = prepare(asked, read_inline(people, "phone_number"), time.time(), Asked.of(asked))
    book = open_ledger(stage.ledger)
    planned = plan(book, written(prepared, Facts()))
    book.close()
    wanted = {"campaign": mark, "campaign_id": planned.id, "wave": 1, "account": stage.account}
    return Work("flows.campaign:send_wave", wanted, mark, mark, people)


def hours_around_now() -> dict[str, str]:
    now = dt.datetime.now(dt.UTC)
    return {"start": f"{now - dt.timedelta(hours=4):%H:%M}", "end": f"{now + dt.timedelta(hours=4):%H:%M}"}


def a_segment(stage: Stage, mark: str) -> Work:
    people = [number(index) for index in range(RECIPIENTS)]
    stage.set_segment(people)
    wanted = {
        "name": mark,
        "segment": {"connector": "demo", "app_userid": "shop", "segment": "Spring"},
        "text": f"Hello {{phone_number}} of {mark}.",
        "account": stage.account,
        "quiet_seconds": 30,
    }
    return Work("flows.segments:sync_segment", {"segment": wanted}, f"segment {mark} 0001", mark, people)


def a_second_try(stage: Stage, mark: str) -> Work:
    """For those whom a campaign didn't reach; the second try doesn't reach them either."""
    people = [f"42077{index:03}9001" for index in range(RECIPIENTS)]
    first = _campaign(stage, mark, people, recipients=people)
    asyncio.run(send_campaign(Campaign(**first.parameters["campaign"])))
    wanted = {"campaign": mark, "account": stage.account, "channel": "rcs", "sender": "Shop", "quiet_seconds": 30}
    again = f"{mark}-again-1"
    return Work("flows.resending:resend_failed", {"second_try": wanted}, again, mark, people, 2, "undelivered")


SENDING_FLOWS = {
    "send_campaign, by calls": by_calls,
    "send_campaign, by files": by_files,
    "send_wave": a_wave,
    "sync_segment": a_segment,
    "resend_failed": a_second_try,
}


def _campaign(stage: Stage, mark: str, people: list[str], **wanted: object) -> Work:
    text = f"Hello {{phone_number}} of {mark}."
    asked = {"name": mark, "text": text, "account": stage.account, "quiet_seconds": 30, **wanted}
    return Work("flows.campaign:send_campaign", {"campaign": asked}, mark, mark, people)


@contextmanager
def stage_on_the_service(ledger: str, account: str, folder: Path) -> Iterator[Stage]:
    """Dovecote's own service, which honours idempotency keys, and the records of its simulated operator."""
    segments = folder / "segments"
    segments.mkdir()

    def taken(mark: str) -> Counter[str]:
        with sqlite3.connect(folder / "operator.db") as store:
            query = "SELECT phone_number FROM operator_taken WHERE text LIKE ?"
            found = Counter(row[0] for row in store.execute(query, (f"% of {mark}.",)))
        store.close()
        return found

    def set_segment(people: Sequence[str]) -> None:
        (segments / "spring.csv").write_text("\n".join(["phone", *people]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOVECOTE_DEMO_SEGMENTS", str(segments))
        with service_program(folder) as address:
            MessagingAccount(
                api_key=KEY, messaging_url=f"{address}/v2", rest_url=f"{address}/v1", honours_idempotency_key=True
            ).save(account, overwrite=True)
            yield Stage(account, ledger, taken, set_segment)


@contextmanager
def stage_without_keys(ledger: str, account: str, _folder: Path) -> Iterator[Stage]:
    """A provider of the plain interface, which knows nothing of idempotency keys."""
    with stage_at(SegmentProvider(tells_lists=True, seconds_a_send=0.05), ledger, account) as stage:
        yield stage


@contextmanager
def stage_at(provider: SegmentProvider, ledger: str, account: str) -> Iterator[Stage]:
    """A provider that a test may disturb."""

    def taken(mark: str) -> Counter[str]:
        return Counter(one.phone_number for one in provider.sent if one.body.endswith(f" of {mark}."))

    def set_segment(people: Sequence[str]) -> None:
        provider.segments = {"s1": ("Spring", list(people))}

    with served(provider.app) as address:
        MessagingAccount(
            api_key="secret-key",
            messaging_url=f"{address}/v2",
            rest_url=f"{address}/v1",
            honours_idempotency_key=provider.honours_idempotency_key,
            appears_within_seconds=0.5,
        ).save(account, overwrite=True)
        yield Stage(account, ledger, taken, set_segment)
