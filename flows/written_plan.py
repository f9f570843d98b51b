"""What a plan keeps in the ledger besides its messages: the account of its reading, and its preview."""

from dataclasses import replace

from flows.facts import Facts
from flows.ledger import CampaignPlan, PlannedCampaign
from flows.preparing import Prepared
from flows.preview import Preview, make_preview
from flows.reading import Reading


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
