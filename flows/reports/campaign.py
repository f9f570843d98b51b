"""The report of a campaign: its figures, a table and a summary. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field

from flows.ledger import PlannedCampaign, Totals, UnsentLine
from flows.reading import Reading
from flows.recipient_sources import LeftOut
from interface.results import Result

LINES_SHOWN = 100
MILLION = Decimal(1_000_000)
CENTS = Decimal("0.01")

UNDELIVERED = (Result.UNDELIVERED, Result.FAILED)
DELIVERED = (Result.DELIVERED, Result.SEEN)


class CampaignReport(BaseModel):
    """The figures of a campaign; prices are decimal strings in the currency of their name."""

    model_config = ConfigDict(frozen=True)

    campaign: str
    campaign_id: str
    lines: int = Field(description="Lines of the source.")
    malformed: int = Field(description="Lines left out before anything was sent.")
    duplicates: int = Field(description="Lines with a number of an earlier line.")
    recipients: int = Field(description="People who were to get a message.")
    accepted: int = Field(description="Taken by the provider for processing.")
    rejected: dict[str, int] = Field(description="Never sent, by reason.")
    delivered: int = Field(description="Confirmed by the device.")
    undelivered: int = Field(description="Sent and not delivered.")
    without_receipt: int = Field(description="Sent, and nothing heard since.")
    waiting: int = Field(description="Neither sent nor rejected yet.")
    planned: int = Field(description="Of them those that haven't gone to the provider.")
    parts: int = Field(description="Billed parts.")
    price_czk: str
    price_eur: str


def make_report(planned: PlannedCampaign, reading: Reading, totals: Totals) -> CampaignReport:
    """Bring what was read and what the ledger counted together."""
    return CampaignReport(
        campaign=planned.name,
        campaign_id=planned.id,
        lines=reading.lines,
        malformed=reading.left_out.number,
        duplicates=reading.duplicates,
        recipients=totals.recipients,
        accepted=totals.recipients - totals.count("planned", "refused"),
        rejected=dict(totals.by_reason),
        delivered=totals.count(*DELIVERED),
        undelivered=totals.count(*UNDELIVERED),
        without_receipt=totals.count(Result.SENT),
        waiting=totals.waiting,
        planned=totals.count("planned"),
        parts=totals.parts,
        price_czk=_price(totals.price_czk),
        price_eur=_price(totals.price_eur),
    )


def table(report: CampaignReport) -> list[dict[str, str | int]]:
    """Write the figures as rows of the table artifact, in the order in which they are read."""
    rejected: Mapping[str, int] = {f"Rejected: {reason}": count for reason, count in sorted(report.rejected.items())}
    figures: dict[str, str | int] = {
        "Recipients": report.recipients,
        "Accepted": report.accepted,
        **rejected,
        "Delivered": report.delivered,
        "Undelivered": report.undelivered,
        "Without receipt": report.without_receipt,
        "Waiting": report.waiting,
        "Parts": report.parts,
        "Price (CZK)": report.price_czk,
        "Price (EUR)": report.price_eur,
    }
    return [{"what": name, "figure": figure} for name, figure in figures.items()]


def summary(report: CampaignReport, reading: Reading, unsent: Sequence[UnsentLine]) -> str:
    """Write the Markdown summary: the story in a paragraph, then every line that got nothing, and why."""
    people = (
        f"Of {report.lines} lines, {report.malformed} were left out and {report.duplicates} named somebody again; "
        f"{report.recipients} people were to get the message."
    )
    figures = (
        f"**{report.delivered}** delivered, **{report.undelivered}** undelivered, "
        f"**{report.without_receipt}** without a receipt, **{sum(report.rejected.values())}** rejected, "
        f"**{report.waiting}** waiting. {report.parts} parts, {report.price_czk} CZK ({report.price_eur} EUR)."
    )
    sections = [
        f"# {report.campaign}",
        people,
        figures,
        *_section("Left out before sending", reading.left_out.number, _lines(reading.left_out.first)),
        *_section("Rejected by the provider", len(unsent), _lines(unsent)),
        *_section("Sent with an empty place", reading.empty_places.number, _lines(reading.empty_places.first)),
    ]
    if report.waiting:
        sections.append("Some results are not known yet: start the campaign again, unchanged, to look for them.")
    return "\n\n".join(sections)


def _lines(lines: Sequence[LeftOut] | Sequence[UnsentLine]) -> list[tuple[int, str]]:
    return [(one.line, one.reason) for one in lines[:LINES_SHOWN]]


def _section(title: str, number: int, lines: Sequence[tuple[int, str]]) -> list[str]:
    if not number:
        return []
    rows = [f"| {line} | {_escaped(reason)} |" for line, reason in lines]
    shown = "\n".join(["| Line | Reason |", "|---:|---|", *rows])
    more = [f"… and {number - len(rows)} more."] if number > len(rows) else []
    return [f"## {title} ({number})", shown, *more]


def _escaped(reason: str) -> str:
    return reason.replace("|", "\\|").replace("\n", " ")


def _price(millionths: int) -> str:
    return str((Decimal(millionths) / MILLION).quantize(CENTS))
