"""What is to be sent, agreed upon: planned, previewed, and approved where that is asked for."""

import asyncio
from dataclasses import dataclass
from functools import partial

from prefect.runtime import flow_run

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign
from flows.parameters import Campaign
from flows.planning.approval import APPROVE, REFUSE, Question, ask
from flows.planning.preparing import Asked, pace_of
from flows.planning.written_plan import preview_of
from flows.problems import FlowProblem
from flows.provider import Provider
from flows.recipients.downloads import is_url
from flows.tasks.planning import plan_campaign, publish_preview

UNCHANGED = "The text is the one that was previewed."


class Refused(FlowProblem):
    """A person refused the campaign."""

    def __init__(self) -> None:
        super().__init__("The campaign was refused; nothing was sent.")


@dataclass(frozen=True)
class Agreement:
    """How one comes to a plan that may be sent."""

    book: Ledger
    provider: Provider
    campaign: Campaign
    asked: Asked

    async def reached(self) -> PlannedCampaign:
        """Return the plan that may be sent; raises `Refused`, and `ledger.Cancelled` for one that may not any more."""
        planned = await self._planned_before() or await self._plan(self.campaign.text)
        question = Question(planned)
        while question.planned.approved_at is None and question.planned.cancelled_at is None:
            decision = await ask(question, self.campaign.approval_hours, partial(self._is_cancelled, question.planned))
            if decision is None:
                raise ledger.Cancelled
            if decision.decision == APPROVE:
                await asyncio.to_thread(ledger.approve, self.book, question.planned.id)
                question = Question(await self._read(question.planned))
            elif decision.decision == REFUSE:
                await asyncio.to_thread(ledger.cancel, self.book, question.planned.id)
                raise Refused
            else:
                question = await self._with_text(question, decision.text)
        if question.planned.cancelled_at is not None:
            raise ledger.Cancelled
        return question.planned

    async def _planned_before(self) -> PlannedCampaign | None:
        """Find a plan to go on with without reading again.

        That of this run, which was approved or is asked about; or an approved one that reading would change: the source
        moves, or a person changed the text.
        """
        known = await asyncio.to_thread(ledger.find_campaign, self.book, self.campaign.name)
        if known is None or known.cancelled_at is not None or known.asked != self.asked.digest:
            return None
        approved = known.approved_at is not None
        if known.asked_by != self.asked.by and not (approved and (self._moves() or known.revision > 1)):
            return None
        await asyncio.to_thread(ledger.set_pace, self.book, known.id, pace_of(self.campaign))
        return await self._read(known)

    def _moves(self) -> bool:
        return self.campaign.recipients_segment is not None or is_url(self.campaign.recipients_file.strip())

    async def _plan(self, text: str) -> PlannedCampaign:
        wanted = self.campaign.model_copy(update={"text": text})
        planned = await plan_campaign(self.book, self.provider, wanted, self.asked)
        if preview := preview_of(planned):
            await publish_preview(planned.name, preview)
        return planned

    async def _with_text(self, question: Question, text: str) -> Question:
        try:
            planned = await self._plan(text)
        except FlowProblem as problem:
            return question.again(str(problem))
        return question.again(UNCHANGED) if planned.id == question.planned.id else Question(planned)

    async def _is_cancelled(self, planned: PlannedCampaign) -> bool:
        return (await self._read(planned)).cancelled_at is not None

    async def _read(self, planned: PlannedCampaign) -> PlannedCampaign:
        return await asyncio.to_thread(ledger.read_campaign, self.book, planned.id) or planned


async def agreed_plan(book: Ledger, provider: Provider, campaign: Campaign) -> PlannedCampaign:
    """Return the plan of a campaign that may be sent, as the ledger has it, once it is agreed upon.

    Waits for a person where approval is asked for, and plans anew with the text that they write.
    """
    return await Agreement(book, provider, campaign, Asked.of(campaign, flow_run.id)).reached()
