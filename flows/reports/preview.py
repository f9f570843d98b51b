"""The preview of a campaign as Markdown: for the artifact, and for the person who is asked to approve it."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from flows.planning.preview import Preview
from interface.parts import Encoding

CHARACTERS_SHOWN = 20
WAVES_SHOWN = 60
COUNTRIES_SHOWN = 60
ENCODINGS: Final = {Encoding.GSM7: "GSM 7-bit", Encoding.UCS2: "UCS-2"}


def preview_page(preview: Preview) -> str:
    """Write the whole preview."""
    return "\n\n".join(
        [
            f"# {preview.campaign}: what will be sent",
            _people(preview),
            _money(preview),
            *(f"> {note}" for note in preview.notes),
            "## The longest text",
            _quoted(preview.longest_text),
            _length(preview),
            *_characters(preview),
            *_countries(preview),
            *_waves(preview),
        ]
    )


def _people(preview: Preview) -> str:
    suppressed = (
        "How many of them are on the opt-out list or the blacklist isn't known."
        if preview.suppressed is None
        else f"**{preview.suppressed}** of them are on the opt-out list or the blacklist and get nothing."
    )
    return (
        f"**{preview.recipients}** recipients: of {preview.lines} lines, {preview.left_out} were left out and "
        f"{preview.duplicates} named somebody again. {suppressed}"
    )


def _money(preview: Preview) -> str:
    if preview.price_czk is None:
        cost = f"{preview.parts} parts; what they cost isn't known."
    else:
        cost = f"{preview.parts} parts for **{preview.price_czk} CZK** ({preview.price_eur} EUR), without VAT."
    if preview.credit is None:
        return cost
    enough = {True: "That suffices.", False: "**That doesn't suffice.**", None: ""}[preview.credit_suffices]
    return f"{cost} The credit is {preview.credit} {preview.currency}. {enough}".rstrip()


def _length(preview: Preview) -> str:
    ucs2 = f" {preview.in_ucs2} recipients get a text in UCS-2." if preview.in_ucs2 else ""
    return (
        f"{len(preview.longest_text)} characters in {ENCODINGS[preview.longest_encoding]}, "
        f"{preview.longest_parts} {'part' if preview.longest_parts == 1 else 'parts'}.{ucs2}"
    )


def _characters(preview: Preview) -> list[str]:
    rows = [(f"`{one.character}`", one.name, one.recipients) for one in preview.expensive_characters]
    return _section("Characters that force UCS-2", ("Character", "Name", "Recipients"), rows, CHARACTERS_SHOWN)


def _countries(preview: Preview) -> list[str]:
    rows = [
        (one.country, one.recipients, one.parts, one.price_czk or "?", one.price_eur or "?")
        for one in preview.countries
    ]
    return _section("By country", ("Country", "Recipients", "Parts", "CZK", "EUR"), rows, COUNTRIES_SHOWN)


def _waves(preview: Preview) -> list[str]:
    if len(preview.waves) == 1 and preview.waves[0].closes_at is None:
        return []
    rows = [
        (_moment(one.opens_at) or "at once", _moment(one.closes_at) or "", one.recipients, one.way)
        for one in preview.waves
    ]
    return _section("Waves (UTC)", ("From", "Until", "Recipients", "As"), rows, WAVES_SHOWN)


def _moment(iso: str | None) -> str | None:
    return None if iso is None else f"{datetime.fromisoformat(iso):%Y-%m-%d %H:%M}"


def _section(title: str, names: Sequence[str], rows: Sequence[Iterable[object]], shown: int) -> list[str]:
    if not rows:
        return []
    lines = [_row(names), _row(["---"] * len(names)), *(_row(row) for row in rows[:shown])]
    more = [f"… and {len(rows) - shown} more."] if len(rows) > shown else []
    return [f"## {title}", "\n".join(lines), *more]


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |"


def _quoted(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"
