"""A person decides: the run waits in Prefect until its preview is approved, the text changed, or all of it refused."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from uuid import UUID

from prefect.client.orchestration import get_client
from prefect.flow_runs import apause_flow_run, asuspend_flow_run
from prefect.input import RunInput
from prefect.runtime import deployment, flow_run
from pydantic import Field

from flows.ledger import PlannedCampaign
from flows.planning.written_plan import preview_of, reading_of
from flows.reports.preview import preview_page

APPROVE: Final = "Approve"
CHANGE: Final = "Change the text"
REFUSE: Final = "Refuse"
LOOK_EVERY_SECONDS = 2


class Decision(RunInput):
    """What a person answers to a preview."""

    decision: Literal["Approve", "Change the text", "Refuse"] = Field(
        default=APPROVE, title="Decision", description="Approve: it is sent as previewed. Refuse: nothing is sent."
    )
    text: str = Field(
        default="", title="Text", description="With 'Change the text': the new one. It is previewed before it is sent."
    )


Withdrawn = Callable[[], Awaitable[bool]]
"""Tells whether the answer isn't wanted any more."""


@dataclass(frozen=True)
class Question:
    """A plan to decide about; asked again, ``number`` counts, when there was a ``problem`` with the answer."""

    planned: PlannedCampaign
    problem: str = ""
    number: int = 1

    def again(self, problem: str) -> "Question":
        """Ask once more about the same plan."""
        return replace(self, problem=problem, number=self.number + 1)

    @property
    def key(self) -> str:
        """Name the question: a run that is started again finds the answer that it was given."""
        return f"approval-{self.planned.id}-{self.number}"

    @property
    def description(self) -> str:
        """Write what the person decides about."""
        preview = preview_of(self.planned)
        page = preview_page(preview) if preview else self.planned.name
        return f"**{self.problem}**\n\n{page}" if self.problem else page


async def ask(question: Question, hours: float, withdrawn: Withdrawn) -> Decision | None:
    """Return what a person decides about a plan, within some hours; None when the question is withdrawn.

    A run of a deployment leaves its process and is started again by the answer; any other waits where it is, and looks
    whether the answer is still wanted.
    """
    text = reading_of(question.planned).text
    form = Decision.with_initial_data(description=question.description, decision=APPROVE, text=text)
    timeout = max(1, round(hours * 3600))
    if deployment.id:
        return await asuspend_flow_run(wait_for_input=form, timeout=timeout, key=question.key)
    answer = apause_flow_run(wait_for_input=form, timeout=timeout, poll_interval=LOOK_EVERY_SECONDS, key=question.key)
    return await _unless(withdrawn, answer)


async def _unless(withdrawn: Withdrawn, answer: Coroutine[Any, Any, Decision]) -> Decision | None:
    waiting, looking = asyncio.create_task(answer), asyncio.create_task(_until(withdrawn))
    try:
        await asyncio.wait({waiting, looking}, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return await waiting
        await looking
        return None
    finally:
        for each in (waiting, looking):
            each.cancel()
        await asyncio.gather(waiting, looking, return_exceptions=True)


async def _until(withdrawn: Withdrawn) -> None:
    # Prefect's own waiting notices nothing but an answer; a run that was cancelled would wait on for hours.
    while True:
        await asyncio.sleep(LOOK_EVERY_SECONDS)
        if await withdrawn() or await _run_has_ended():
            return


async def _run_has_ended() -> bool:
    async with get_client() as client:
        run = await client.read_flow_run(UUID(flow_run.id))
    return run.state is not None and (run.state.is_final() or run.state.is_cancelling())
