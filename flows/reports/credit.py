"""What people read about credit. Pure."""

from datetime import UTC, datetime
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field

from flows.spending import DAY, Balance, Forecast, Level
from interface.billing import Topup

MILLION = Decimal(1_000_000)
CENTS = Decimal("0.01")


class CreditReport(BaseModel):
    """The balance and how long it lasts; amounts are decimal strings in ``currency``."""

    model_config = ConfigDict(frozen=True)

    account: str
    amount: str
    currency: str
    a_day: str | None = Field(description="Spent a day; null until it is known.")
    days_left: float | None
    runs_out: datetime | None = Field(description="In UTC.")
    level: Level
    warned: bool = False
    topup: Topup | None = Field(default=None, description="Where to pay, with a warning.")


def report_of(account: str, balance: Balance, told: Forecast, topup: Topup | None) -> CreditReport:
    """Bring the balance, the forecast and where to pay together."""
    ends = None if told.days_left is None else balance.read_at + told.days_left * DAY
    return CreditReport(
        account=account,
        amount=_price(balance.amount),
        currency=balance.currency,
        a_day=None if told.a_day is None else _price(told.a_day),
        days_left=None if told.days_left is None else round(told.days_left, 1),
        runs_out=None if ends is None else _moment(ends),
        level=told.level,
        topup=topup,
    )


def message(report: CreditReport) -> str:
    """Write it as an e-mail or an artifact: Markdown that reads as plain text, too."""
    lines = [f"Account {report.account}: {report.amount} {report.currency} left."]
    if report.level is Level.EMPTY:
        lines.append("Nothing can be sent until somebody pays in.")
    elif report.a_day is None:
        lines.append("The rate of spending isn't known yet: it takes balances of an hour at least.")
    elif report.runs_out is None:
        lines.append("Nothing was spent lately.")
    else:
        lines.append(
            f"At {report.a_day} {report.currency} a day it lasts {report.days_left:.1f} days, "
            f"until {report.runs_out:%Y-%m-%d %H:%M} UTC."
        )
    if report.topup is not None:
        lines += [
            "To pay in:",
            f"- account {report.topup.account_number}/{report.topup.account_bank}",
            f"- IBAN {report.topup.iban}",
            f"- payment symbol (vs) {report.topup.vs}: the payment is matched by it",
        ]
    return "\n".join(lines[:2]) + ("\n\n" + "\n".join(lines[2:]) if lines[2:] else "")


def _price(millionths: int) -> str:
    return str((Decimal(millionths) / MILLION).quantize(CENTS))


def _moment(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError):  # so little is spent that it lasts beyond the calendar
        return None
