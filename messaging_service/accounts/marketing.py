"""What the machine's owner does with an account's marketing window, directly on the store."""

from dataclasses import dataclass

from pydantic import ValidationError
from sqlalchemy import Connection

from interface.field_errors import field_errors
from interface.phone_numbers import mobile_country_codes
from messaging_service.accounts.administration import NotPossible, WrongUsage, find_key
from messaging_service.marketing import Hours, MarketingWindow, read_marketing_window
from messaging_service.store import keys


@dataclass(frozen=True, slots=True)
class Wanted:
    """Hours as they are asked for; None stays as it is (or 08:00 to 20:00). An empty ``country`` means everywhere."""

    country: str = ""
    start: str | None = None
    end: str | None = None


def window_of_account(connection: Connection, key: str) -> MarketingWindow | None:
    """Return the window of the account that a key belongs to, None when it is off. Raises NotPossible."""
    text = keys.marketing_window(connection, find_key(connection, key)["account_id"])
    return None if text is None else read_marketing_window(text)


def set_hours(connection: Connection, key: str, wanted: Wanted) -> MarketingWindow:
    """Switch the window on with these hours, everywhere or in one country. Raises NotPossible."""
    window = window_of_account(connection, key) or MarketingWindow()
    country = _country(wanted.country)
    before = window.countries.get(country, window.everywhere)
    try:
        hours = Hours.checked(wanted.start or before.start, wanted.end or before.end)
    except ValidationError as error:
        raise WrongUsage(" ".join(problem.message for problem in field_errors(error))) from None
    own = {country: hours} if country else {}
    everywhere = window.everywhere if country else hours
    return _write(connection, key, MarketingWindow(everywhere=everywhere, countries={**window.countries, **own}))


def switch_off(connection: Connection, key: str) -> None:
    """Let promotional messages go at any time. Raises NotPossible."""
    keys.set_marketing_window(connection, find_key(connection, key)["account_id"], None)


def forget_country(connection: Connection, key: str, country: str) -> MarketingWindow:
    """Give a country the hours of everywhere again. Raises NotPossible."""
    window = window_of_account(connection, key)
    code = _country(country)
    if window is None or code not in window.countries:
        raise NotPossible(f"{code} has no hours of its own.")
    others = {name: hours for name, hours in window.countries.items() if name != code}
    return _write(connection, key, MarketingWindow(everywhere=window.everywhere, countries=others))


def _write(connection: Connection, key: str, window: MarketingWindow) -> MarketingWindow:
    keys.set_marketing_window(connection, find_key(connection, key)["account_id"], window.model_dump_json())
    return window


def _country(text: str) -> str:
    code = text.upper()
    if code and code not in mobile_country_codes():
        raise WrongUsage(f"{text!r} is no country; write the two letters of ISO 3166, such as DE.")
    return code
