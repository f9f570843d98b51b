"""What a flow works with: the account's block, the ledger, and the provider; opened and closed for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from flows.blocks import MessagingAccount
from flows.ledger import Ledger, open_ledger
from flows.problems import SettingsProblem
from flows.provider import Provider


async def load_account(name: str) -> MessagingAccount:
    """Load the block that holds the key; raises `SettingsProblem` when there is none of this name."""
    try:
        return await MessagingAccount.aload(name)
    except ValueError:
        raise SettingsProblem(
            f"There is no block 'Messaging Account' of the name {name!r}; create it in Prefect under Blocks."
        ) from None


@asynccontextmanager
async def opened_ledger(account: MessagingAccount | None = None) -> AsyncIterator[Ledger]:
    """Open the ledger of the account's block, else that of the setting, for the time of the block."""
    chosen = account.ledger if account is not None else None
    address = chosen.address.get_secret_value() if chosen else None
    book = await asyncio.to_thread(open_ledger, address)
    try:
        yield book
    finally:
        book.close()


@asynccontextmanager
async def provider_of(account: MessagingAccount) -> AsyncIterator[Provider]:
    """Connect to the account's provider for the time of the block."""
    async with account.client() as client:
        yield Provider(
            client=client,
            subid=account.subid,
            honours_idempotency_key=account.honours_idempotency_key,
            appears_within_seconds=account.appears_within_seconds,
        )
