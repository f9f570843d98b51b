"""The options that describe a campaign, the same for each command that takes one."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deployments.campaign_options import (
    At,
    BulkFrom,
    Callback,
    CallingCode,
    Connector,
    Days,
    Holidays,
    Hours,
    Name,
    Numbers,
    Parameters,
    PhoneColumn,
    Recipients,
    Segment,
    Sender,
    Tag,
    Text,
    User,
    Window,
    WindowZone,
    ZoneColumn,
    ZoneIfUnknown,
    checked,
    segment_of,
    windows_of,
)

if TYPE_CHECKING:
    from flows.parameters import Campaign


@dataclass(frozen=True)
class Described:
    """What a person wrote of a campaign: its name, a file of parameters, and options by the fields that they fill."""

    name: str
    parameters: Path | None
    options: Mapping[str, Any]

    def campaign(self, **more: Any) -> "Campaign":  # noqa: ANN401 - what the command's own options hold
        """Return the campaign, with ``more`` options; one that can't be is wrong usage, told with the option."""
        return checked(self.name, self.parameters, **self.options, **more)


def described(  # noqa: PLR0913 - the options of a command
    name: Name,
    *,
    text: Text = "",
    parameters: Parameters = None,
    recipients: Recipients = "",
    number: Numbers = None,
    segment: Segment = "",
    connector: Connector = "",
    user: User = "",
    phone_column: PhoneColumn = "",
    calling_code: CallingCode = "",
    sender: Sender = "",
    tag: Tag = "",
    callback: Callback = "",
    at: At = None,
    hours: Hours = "",
    days: Days = "",
    no_holidays: Holidays = False,
    zone_column: ZoneColumn = "",
    zone_if_unknown: ZoneIfUnknown = "",
    window: Window = "",
    window_zone: WindowZone = "",
    bulk_from: BulkFrom = None,
) -> Described:
    """Return what these options describe."""
    options = {
        "text": text,
        "recipients_file": recipients,
        "recipients": number,
        "recipients_segment": segment_of(segment, connector, user),
        "phone_column": phone_column,
        "calling_code": calling_code,
        "sender": sender,
        "tag": tag,
        "callback": callback,
        "datetime": at,
        "bulk_from": bulk_from,
    }
    windows = windows_of(
        hours=hours,
        window=window,
        days=days,
        no_holidays=no_holidays,
        zone_column=zone_column,
        zone_if_unknown=zone_if_unknown,
        window_zone=window_zone,
    )
    return Described(name, parameters, {**options, **windows})


def describing(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `described` before its own; what they describe is its first argument."""
    shared = inspect.signature(described).parameters
    _, *own = inspect.signature(command).parameters.values()

    @wraps(command)
    def called(**given: Any) -> None:  # noqa: ANN401 - what the options hold
        taken = described(**{option: given.pop(option) for option in shared})
        command(taken, **given)

    signature = inspect.Signature([*shared.values(), *own])
    called.__signature__ = signature  # type: ignore[attr-defined]
    called.__annotations__ = {option: one.annotation for option, one in signature.parameters.items()}
    return called
