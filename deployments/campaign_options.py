"""The options of the commands ``dovecote campaign``, and the campaign that they make."""

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from flows.parameters import Campaign

OPTIONS = {
    "recipients_file": "recipients",
    "recipients": "number",
    "recipients_segment": "segment",
    "datetime": "at",
    "local_hours": "hours",
    "delivery_time": "window",
}
SOURCES = {"recipients_file", "recipients", "recipients_segment"}
WINDOWS = {"local_hours", "delivery_time"}
"""Of these a campaign has one: an option replaces what the file of parameters has."""

Name = Annotated[str, typer.Argument(help="The campaign's name.")]
Parameters = Annotated[
    Path | None,
    typer.Option(help="JSON with the fields of the flow's form; options go before it.", metavar="FILE"),
]
Text = Annotated[str, typer.Option(help="What they get; {column} stands for a recipient's own value.")]
Recipients = Annotated[str, typer.Option(help="CSV or JSON Lines: a path or an http(s) address.", metavar="FILE")]
Numbers = Annotated[list[str] | None, typer.Option("--number", help="A phone number; again for more.")]
Segment = Annotated[str, typer.Option(help="Id or name of a segment of a marketing platform, for its members.")]
Connector = Annotated[str, typer.Option(help="With --segment: name of the platform, such as klaviyo.")]
User = Annotated[str, typer.Option(help="With --segment: whose credentials for the platform the service holds.")]
PhoneColumn = Annotated[str, typer.Option(help="Column of phone numbers, where its name doesn't tell.")]
CallingCode = Annotated[str, typer.Option(help="For numbers that are written without one. Default: 420.")]
Sender = Annotated[str, typer.Option(help="Name of at most 11 characters, or a number.")]
Tag = Annotated[str, typer.Option(help="Labels, with commas between.")]
Callback = Annotated[str, typer.Option(help="Address that gets the notifications.", metavar="URL")]
At = Annotated[datetime | None, typer.Option(help="Not before this moment, UTC.")]
Hours = Annotated[str, typer.Option(help="On the recipients' own clocks.", metavar="HH:MM-HH:MM")]
Days = Annotated[
    str, typer.Option(help="With --hours or --window: days of the week, such as monday,friday. Default: all.")
]
Holidays = Annotated[bool, typer.Option("--no-holidays", help="With --hours: not on public holidays.")]
ZoneColumn = Annotated[str, typer.Option(help="With --hours: column of time zones, such as Europe/Prague.")]
ZoneIfUnknown = Annotated[str, typer.Option(help="With --hours: zone of numbers that tell none. Default: UTC.")]
Window = Annotated[
    str, typer.Option(help="Handed over at once; the provider sends in these hours of one zone.", metavar="HH:MM-HH:MM")
]
WindowZone = Annotated[str, typer.Option(help="With --window: its time zone. Default: UTC.")]
BulkFrom = Annotated[
    int | None, typer.Option(min=0, help="So many recipients at once go as a file; 0: never. Default: 10000.")
]


def checked(name: str, parameters: Path | None, **options: Any) -> "Campaign":  # noqa: ANN401 - what the options hold
    """Return the campaign; one that can't be is wrong usage, told with the option.

    What ``options`` leaves empty is as ``parameters`` has it, else as the form does.
    """
    from pydantic import ValidationError

    from deployments.problems import first_of
    from flows.parameters import Campaign

    given = {field: value for field, value in options.items() if not _is_empty(value)}
    from_file = _read(parameters, set(Campaign.model_fields)) if parameters else {}
    for alternatives in (SOURCES, WINDOWS):
        if alternatives & given.keys():
            from_file = {field: value for field, value in from_file.items() if field not in alternatives}
    values = {**from_file, **given, "name": name}
    if not values.get("text"):
        raise typer.BadParameter("Give the text that they get.", param_hint="--text")
    if isinstance(recipients := values.get("recipients_file"), str):
        values["recipients_file"] = _absolute(recipients)
    try:
        return Campaign.model_validate(values)
    except ValidationError as error:
        field, sentence = first_of(error)
        together = "--hours, --window" if values.keys() >= WINDOWS else "--recipients, --number, --segment"
        hint = f"--{OPTIONS.get(field, field).replace('_', '-')}" if field else together
        raise typer.BadParameter(
            sentence, param_hint="--parameters" if field in from_file.keys() - given else hint
        ) from None


def segment_of(segment: str, connector: str, user: str) -> dict[str, str] | None:
    """Return the segment whose members are meant, None when none is."""
    named = (segment, connector, user)
    if any(named) and not all(named):
        raise typer.BadParameter(
            "Give the segment, its platform and the user together.", param_hint="--segment, --connector, --user"
        )
    return {"segment": segment, "connector": connector, "app_userid": user} if all(named) else None


def windows_of(  # noqa: PLR0913 - the options of a command
    *, hours: str, window: str, days: str, no_holidays: bool, zone_column: str, zone_if_unknown: str, window_zone: str
) -> dict[str, dict[str, Any] | None]:
    """Return the hours on the recipients' clocks, and the window at the provider; None for what isn't given."""
    if not hours and (no_holidays or zone_column or zone_if_unknown):
        raise typer.BadParameter("Give the hours, such as 09:00-20:00.", param_hint="--hours")
    if not window and window_zone:
        raise typer.BadParameter("Give the hours of the window, such as 09:00-17:30.", param_hint="--window")
    if days and not (hours or window):
        raise typer.BadParameter("Give the hours, such as 09:00-20:00.", param_hint="--hours, --window")
    chosen = {"days": [day.strip().lower() for day in days.split(",")]} if days else {}
    on_clocks = {"zone_column": zone_column, "holidays": no_holidays, **_given(zone_if_unknown=zone_if_unknown)}
    return {
        "local_hours": {**_span(hours, "--hours"), **chosen, **on_clocks} if hours else None,
        "delivery_time": {**_span(window, "--window"), **chosen, **_given(tz=window_zone)} if window else None,
    }


def _is_empty(value: object) -> bool:
    return value is None or value is False or value in ("", [])


def _given(**texts: str) -> dict[str, str]:
    return {field: text for field, text in texts.items() if text}


def _span(written: str, option: str) -> dict[str, str]:
    start, dash, end = written.partition("-")
    if not dash:
        raise typer.BadParameter("Write the hours such as 09:00-20:00.", param_hint=option)
    return {"start": start, "end": end}


def _read(path: Path, known: set[str]) -> dict[str, Any]:
    """Read parameters as the form, or Python, would give them to the flow: the campaign, or an object that has it."""

    def wrong(sentence: str) -> typer.BadParameter:
        return typer.BadParameter(f"{path}: {sentence}", param_hint="--parameters")

    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise wrong(f"{error.strerror}.") from None
    except ValueError as error:
        raise wrong(f"This is no JSON: {error}.") from None
    campaign = read.get("campaign", read) if isinstance(read, dict) else read
    if not isinstance(campaign, dict):
        raise wrong("An object with the campaign's fields is wanted.")
    if unknown := sorted(campaign.keys() - known):
        raise wrong(f"A campaign has no {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    return campaign


def _absolute(recipients: str) -> str:
    """Return where the file is, for a process elsewhere on this machine; an address stays as it is."""
    is_path = recipients and "://" not in recipients
    return str(Path(recipients).resolve()) if is_path else recipients
