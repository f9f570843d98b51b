"""The options of the commands ``dovecote campaign``, and the campaign that they make."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from flows.parameters import Campaign

OPTIONS = {"recipients_file": "recipients", "recipients": "number", "datetime": "at", "local_hours": "hours"}

Name = Annotated[str, typer.Argument(help="The campaign's name.")]
Text = Annotated[str, typer.Option(help="What they get; {column} stands for a recipient's own value.")]
Recipients = Annotated[str, typer.Option(help="CSV or JSON Lines: a path or an http(s) address.", metavar="FILE")]
Numbers = Annotated[list[str] | None, typer.Option("--number", help="A phone number; again for more.")]
PhoneColumn = Annotated[str, typer.Option(help="Column of phone numbers, where its name doesn't tell.")]
CallingCode = Annotated[str, typer.Option(help="For numbers that are written without one.")]
Sender = Annotated[str, typer.Option(help="Name of at most 11 characters, or a number.")]
Tag = Annotated[str, typer.Option(help="Labels, with commas between.")]
At = Annotated[datetime | None, typer.Option(help="Not before this moment, UTC.")]
Hours = Annotated[str, typer.Option(help="On the recipients' own clocks.", metavar="HH:MM-HH:MM")]
Days = Annotated[str, typer.Option(help="With --hours: days of the week, such as monday,friday. Default: all.")]
Holidays = Annotated[bool, typer.Option("--no-holidays", help="With --hours: not on public holidays.")]
ZoneColumn = Annotated[str, typer.Option(help="With --hours: column of time zones, such as Europe/Prague.")]
BulkFrom = Annotated[int, typer.Option(min=0, help="So many recipients at once go as a file; 0: never.")]


def checked(**values: Any) -> "Campaign":  # noqa: ANN401 - what the options hold
    """Return the campaign; one that can't be is wrong usage, told with the option."""
    from pydantic import ValidationError

    from deployments.problems import first_of
    from flows.parameters import Campaign

    try:
        return Campaign.model_validate(values)
    except ValidationError as error:
        field, sentence = first_of(error)
        hint = f"--{OPTIONS.get(field, field).replace('_', '-')}" if field else "--recipients, --number"
        raise typer.BadParameter(sentence, param_hint=hint) from None


def absolute(recipients: str) -> str:
    """Return where the file is, for a process elsewhere on this machine; an address stays as it is."""
    is_path = recipients and "://" not in recipients
    return str(Path(recipients).resolve()) if is_path else recipients


def local_hours(hours: str, days: str, zone_column: str, *, no_holidays: bool) -> dict[str, Any] | None:
    """Return the hours on the recipients' clocks, None when none are given."""
    if not hours:
        if days or zone_column or no_holidays:
            raise typer.BadParameter("Give the hours, such as 09:00-20:00.", param_hint="--hours")
        return None
    start, dash, end = hours.partition("-")
    if not dash:
        raise typer.BadParameter("Write the hours such as 09:00-20:00.", param_hint="--hours")
    chosen = {"days": [day.strip().lower() for day in days.split(",")]} if days else {}
    return {"start": start, "end": end, "zone_column": zone_column, "holidays": no_holidays, **chosen}
