"""The summary of a campaign as Markdown: the story, a chart, and every line that got nothing, and why. Pure."""

from collections.abc import Sequence

from flows.ledger import UnsentLine
from flows.planning.account_of_reading import Reading
from flows.recipients.sources import LeftOut
from flows.reports.campaign import CampaignReport, several
from flows.reports.outcome_chart import Bar, outcome_chart

LINES_SHOWN = 100


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
        outcome_chart(_bars(report), f"What became of {report.campaign}"),
        *_waves(report),
        *_reasons(report),
        *_networks(report),
        *_section("Left out before sending", reading.left_out.number, _lines(reading.left_out.first)),
        *_section("Rejected by the provider", len(unsent), _lines(unsent)),
        *_section("Sent with an empty place", reading.empty_places.number, _lines(reading.empty_places.first)),
    ]
    if report.planned:
        sections.append(f"{report.planned} people have not been written to yet.")
    if report.waiting > report.planned:
        sections.append("Some results are not known yet: start the campaign again, unchanged, to look for them.")
    return "\n\n".join(sections)


def _bars(report: CampaignReport) -> list[Bar]:
    return [
        (
            f"wave {one.wave}" if several(report) else "all",
            {
                "delivered": one.delivered,
                "undelivered": one.undelivered,
                "without receipt": one.without_receipt,
                "rejected": one.rejected,
                "waiting": one.waiting,
            },
        )
        for one in report.waves
    ]


def _waves(report: CampaignReport) -> list[str]:
    if not several(report):
        return []
    rows = [
        f"| {one.wave} | {one.recipients} | {one.delivered} | {one.undelivered} | {one.without_receipt} | "
        f"{one.rejected} | {one.waiting} |"
        for one in report.waves
    ]
    names = "| Wave | Recipients | Delivered | Undelivered | Without receipt | Rejected | Waiting |"
    return ["## By wave", "\n".join([names, "|---:|---:|---:|---:|---:|---:|---:|", *rows])]


def _reasons(report: CampaignReport) -> list[str]:
    reasons = dict(report.rejected)
    if report.undelivered:
        reasons["sent and not delivered"] = report.undelivered
    if not reasons:
        return []
    rows = [f"| {_escaped(reason)} | {number} |" for reason, number in sorted(reasons.items())]
    file = [f"Each of them is in `{report.failures_file}`."] if report.failures_file else []
    return ["## Failures by reason", "\n".join(["| Reason | People |", "|---|---:|", *rows]), *file]


def _networks(report: CampaignReport) -> list[str]:
    if not report.networks:
        return []
    rows = [f"| {network} | {number} |" for network, number in report.networks.items()]
    return ["## By network", "\n".join(["| Network | Messages |", "|---|---:|", *rows])]


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
