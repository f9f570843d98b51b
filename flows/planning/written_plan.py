"""What a plan keeps in the ledger besides its messages: the account of its reading, and its preview."""

from dataclasses import replace

from flows.ledger import CampaignPlan, PlannedCampaign
from flows.planning.account_of_reading import Reading
from flows.planning.facts import Facts
from flows.planning.preparing import Prepared
from flows.planning.preview import Preview, make_preview


def written(prepared: Prepared, facts: Facts) -> CampaignPlan:
    """Return the plan with its reading and its preview, as the ledger keeps them."""
    preview = make_preview(prepared.plan, prepared.reading, facts)
    source = {"reading": prepared.reading.as_stored(), "preview": preview.model_dump(mode="json")}
    return replace(prepared.plan, source=source)


def reading_of(planned: PlannedCampaign) -> Reading:
    """Return what was read; nothing, for a campaign that other flows planned."""
    return Reading.from_stored((planned.source or {}).get("reading"))


def preview_of(planned: PlannedCampaign) -> Preview | None:
    """Return the preview that was made with the plan; None for a campaign that other flows planned."""
    stored = (planned.source or {}).get("preview")
    return None if stored is None else Preview.model_validate(stored)
