"""Tasks about credit: read it, find out where to pay, warn people."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from prefect import get_run_logger
from prefect.blocks.abstract import NotificationBlock, NotificationError
from prefect.blocks.core import Block

from flows.advice import calling
from flows.problems import NotNotified, SettingsProblem
from flows.provider import Provider
from flows.spending import Balance
from flows.tasks.kinds import call
from interface.billing import Topup
from interface.credit import Credit
from interface.errors import Refused, UnexpectedAnswer

MILLION = 1_000_000


@call("read-credit")
async def read_credit(provider: Provider, now: float) -> Balance:
    """Read what the wallet holds, in its own currency."""
    with calling("GET /credit"):
        credit = await provider.client.credit()
        return Balance(now, _amount(credit), currency_of(credit))


@call("read-topup")
async def read_topup(provider: Provider) -> Topup | None:
    """Read where to pay; None where the provider doesn't say, for a warning without it is better than none."""
    try:
        return await provider.client.billing_topup()
    except (Refused, UnexpectedAnswer) as error:
        get_run_logger().warning("GET /billing/topup doesn't tell where to pay: %s", error)
        return None


@call("notify")
async def notify(block_name: str, subject: str, body: str) -> None:
    """Send a message through a notification block, named by its type and name such as ``smtp-email/operations``."""
    block = await load_notifier(block_name)
    try:
        with block.raise_on_failure():
            await block.notify(body, subject)
    except NotificationError as error:
        raise NotNotified(f"The block {block_name!r} could not notify anybody: {error.log.strip()}") from None


async def load_notifier(name: str) -> NotificationBlock:
    """Load a notification block; raises `SettingsProblem` when there is none of this name."""
    try:
        block = await Block.aload(name)
    except ValueError:
        raise SettingsProblem(
            f"There is no block {name!r}; name it by type and name, such as smtp-email/operations or "
            "slack-webhook/operations, as in its address under Blocks."
        ) from None
    if not isinstance(block, NotificationBlock):
        raise SettingsProblem(f"The block {name!r} notifies nobody; choose one of a notification type.")
    return block


async def check_notifiers(names: Sequence[str]) -> None:
    """Raise `SettingsProblem` for a block that isn't there: now, not when credit has run out."""
    for name in names:
        await load_notifier(name)


def currency_of(credit: Credit) -> str:
    """Return the wallet's currency; a provider that doesn't say has the one of which there is something."""
    return (credit.currency or ("EUR" if Decimal(credit.credit_eur) else "CZK")).upper()


def _amount(credit: Credit) -> int:
    written = credit.credit_eur if currency_of(credit) == "EUR" else credit.credit_czk
    try:
        return round(Decimal(written) * MILLION)
    except InvalidOperation:
        raise UnexpectedAnswer(f"The answer holds no amount: {written!r}.", 200) from None
