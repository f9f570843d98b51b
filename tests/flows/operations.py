"""Operations as the automations know them: who is told, and automations that wait less."""

import asyncio
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mail_server import MailServer, mail_server_of
from prefect.client.orchestration import get_client
from prefect.events.schemas.automations import AutomationCore

from deployments.automations.applying import apply_automations, declared

RUN_AGAIN = "Dovecote: run again what crashed"
NOTICE_HANGING = "Dovecote: notice runs that hang"
LEAST_SECONDS = 10
"""For which an automation waits: Prefect allows no less."""


@contextmanager
def told_by_mail() -> Iterator[MailServer]:
    """The mail server of operations, whom every automation tells."""
    name = f"operations-{uuid.uuid4().hex[:6]}"
    with mail_server_of(name) as server, automations_that_tell([f"smtp-email/{name}"]):
        yield server


@contextmanager
def automations_that_tell(blocks: Sequence[str]) -> Iterator[None]:
    """All that is declared, for the time of the block."""
    asyncio.run(apply_automations(blocks))
    try:
        yield
    finally:
        asyncio.run(remove_automations())


async def remove_automations() -> None:
    async with get_client() as client:
        for each in declared():
            for found in await client.read_automations_by_name(each["name"]):
                await client.delete_automation(found.id)


async def hurry(name: str, seconds: int = LEAST_SECONDS) -> None:
    """Let a declared automation wait so long, and leave out whom it tells."""
    (declaration,) = [one for one in declared() if one["name"] == name]
    quick = {**declaration, "trigger": {**declaration["trigger"], "within": seconds}}
    async with get_client() as client:
        (applied,) = await client.read_automations_by_name(name)
        await client.update_automation(applied.id, AutomationCore.model_validate(quick))


def mail_about(mails: MailServer, subject: str, seconds: float = 60) -> str:
    """What the mail says whose subject has these words, as soon as there is one."""
    ends = time.monotonic() + seconds
    while True:
        for mail in mails.mails:
            if subject in mail["Subject"]:
                return mail.get_payload(decode=True).decode()
        assert time.monotonic() < ends, [mail["Subject"] for mail in mails.mails]
        time.sleep(0.2)
