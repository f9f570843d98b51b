"""The report of a segment's synchronisation. Pure."""

from pydantic import BaseModel, ConfigDict, Field

from flows.reports.campaign import CampaignReport


class SegmentReport(BaseModel):
    """What a run found, and to whom it wrote; numbers of people."""

    model_config = ConfigDict(frozen=True)

    name: str
    segment_id: str
    segment_name: str
    members: int = Field(description="Members now, each once.")
    malformed: int = Field(description="Told by the platform, and no phone numbers.")
    joined: int = Field(description="Since the last run.")
    left: int = Field(description="Since the last run.")
    suppressed: int = Field(description="Not written to: on the provider's opt-out list or blacklist.")
    capped: int = Field(description="Not written to now: they have had their messages.")
    chosen: int = Field(description="Written to, or to be in their hours.")
    campaign: CampaignReport | None = Field(description="The campaign of this run.")
    finished_before: CampaignReport | None = Field(description="That of a run that was ended before its time.")


def summary(report: SegmentReport) -> str:
    """Write the summary in Markdown."""
    rows = {
        "Members": report.members,
        "Joined": report.joined,
        "Left": report.left,
        "No phone numbers": report.malformed,
        "Opted out or blacklisted": report.suppressed,
        "At the frequency cap": report.capped,
        "Chosen": report.chosen,
    }
    table = "\n".join(["| | People |", "|---|---:|", *(f"| {name} | {number:,} |" for name, number in rows.items())])
    parts = [f"# {report.name}", f"Segment {report.segment_name or report.segment_id}.", table]
    if report.finished_before:
        parts.append(f"First, a run that had been ended was finished: {_sent(report.finished_before)}")
    if report.campaign:
        parts.append(_sent(report.campaign))
    return "\n\n".join(parts)


def figures(report: SegmentReport) -> dict[str, str | int]:
    """Write the report as one row; the figures of campaigns are of both, where an earlier run was finished."""
    counted: dict[str, str | int] = report.model_dump(exclude={"campaign", "finished_before"})
    sent = [one for one in (report.finished_before, report.campaign) if one]
    return counted | {
        "accepted": sum(one.accepted for one in sent),
        "delivered": sum(one.delivered for one in sent),
        "undelivered": sum(one.undelivered for one in sent),
        "without_receipt": sum(one.without_receipt for one in sent),
        "rejected": sum(sum(one.rejected.values()) for one in sent),
        "waiting": sum(one.waiting for one in sent),
    }


def _sent(campaign: CampaignReport) -> str:
    return (
        f"**{campaign.campaign}**: {campaign.accepted} accepted, {campaign.delivered} delivered, "
        f"{campaign.undelivered} undelivered, {campaign.without_receipt} without a receipt, "
        f"{sum(campaign.rejected.values())} rejected, {campaign.waiting} waiting."
    )
