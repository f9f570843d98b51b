"""The report of a campaign: its figures, and a table of them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field

from flows.ledger import PlannedCampaign, Totals
from flows.planning.account_of_reading import Reading
from interface.results import Result

MILLION = Decimal(1_000_000)
CENTS = Decimal("0.01")

UNDELIVERED = (Result.UNDELIVERED, Result.FAILED)
DELIVERED = (Result.DELIVERED, Result.SEEN)


@dataclass(frozen=True)
class Counted:
    """What the ledger counted: in all, by wave and result, and the messages by network code."""

    totals: Totals = field(default_factory=Totals)
    waves: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    networks: Mapping[str, int] = field(default_factory=dict)


class WaveFigures(BaseModel):
    """The figures of one wave."""

    model_config = ConfigDict(frozen=True)

    wave: int
    recipients: int
    delivered: int
    undelivered: int
    without_receipt: int
    rejected: int
    waiting: int


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
    waves: list[WaveFigures] = []
    networks: dict[str, int] = Field(default={}, description="Messages by network code (MCC and MNC).")
    failures_file: str = Field(default="", description="CSV of those who didn't get it, where the flow ran.")


def make_report(
    planned: PlannedCampaign, reading: Reading, counted: Counted, failures_file: str = ""
) -> CampaignReport:
    """Bring what was read and what the ledger counted together."""
    totals = counted.totals
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
        waves=[_wave(number, results) for number, results in sorted(counted.waves.items())],
        networks=dict(sorted(counted.networks.items())),
        failures_file=failures_file,
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
        **{f"Wave {one.wave}: delivered of {one.recipients}": one.delivered for one in several(report)},
        **{f"Messages to network {network}": number for network, number in report.networks.items()},
    }
    return [{"what": name, "figure": figure} for name, figure in figures.items()]


def _wave(number: int, results: Mapping[str, int]) -> WaveFigures:
    totals = Totals(recipients=sum(results.values()), by_result=results)
    return WaveFigures(
        wave=number,
        recipients=totals.recipients,
        delivered=totals.count(*DELIVERED),
        undelivered=totals.count(*UNDELIVERED),
        without_receipt=totals.count(Result.SENT),
        rejected=totals.count("refused", Result.REJECTED, Result.CANCELLED),
        waiting=totals.waiting,
    )


def several(report: CampaignReport) -> list[WaveFigures]:
    """Return the waves, unless there is one alone."""
    return report.waves if len(report.waves) > 1 else []


def _price(millionths: int) -> str:
    return str((Decimal(millionths) / MILLION).quantize(CENTS))
