"""A person decides: the run waits in Prefect until its preview is approved, the text changed, or all of it refused."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from prefect.flow_runs import apause_flow_run, asuspend_flow_run
from prefect.input import RunInput
from prefect.runtime import deployment
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


async def ask(question: Question, hours: float) -> Decision:
    """Return what a person decides about a plan, within some hours.

    A run of a deployment leaves its process and is started again by the answer; any other waits where it is.
    """
    text = reading_of(question.planned).text
    form = Decision.with_initial_data(description=question.description, decision=APPROVE, text=text)
    timeout = max(1, round(hours * 3600))
    if deployment.id:
        return await asuspend_flow_run(wait_for_input=form, timeout=timeout, key=question.key)
    return await apause_flow_run(
        wait_for_input=form, timeout=timeout, poll_interval=LOOK_EVERY_SECONDS, key=question.key
    )
