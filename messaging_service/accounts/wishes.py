"""Reads what a person asks for on the command line about accounts and keys."""

import re

from interface.account import Scope
from messaging_service.accounts.administration import SubAccount, WrongUsage
from messaging_service.accounts.money import CURRENCIES, Money, parse_money
from messaging_service.accounts.opening import Opening
from messaging_service.settings import read_settings

_SUBID = re.compile(r"[A-Za-z0-9._-]{0,64}")


def read_amount(text: str) -> Money:
    """Return an amount of money. Raises WrongUsage."""
    try:
        return parse_money(text)
    except ValueError as error:
        raise WrongUsage(f"{error}.") from None


def read_opening(name: str, credit: str, currency: str) -> Opening:
    """Return what a new account starts with. Raises WrongUsage and WrongSettings."""
    settings = read_settings()
    if currency.lower() not in CURRENCIES:
        raise WrongUsage(f"The currency must be one of {', '.join(CURRENCIES)}.")
    amount = read_amount(credit)
    if amount < 0:
        raise WrongUsage("The credit must not be below zero.")
    return Opening(name, currency.lower(), amount, settings.calling_code, settings.default_sender)


def read_sub_account(subid: str, note: str, scope: str) -> SubAccount:
    """Return what a new key starts with. Raises WrongUsage."""
    if not _SUBID.fullmatch(subid):
        raise WrongUsage("The name of a sub-account is 1 to 64 letters, digits, dots, dashes or underscores.")
    if scope not in set(Scope):
        raise WrongUsage(f"The scope must be one of {', '.join(Scope)}.")
    return SubAccount(subid, note, Scope(scope))
