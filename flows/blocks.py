"""Prefect blocks: what the flows need to know and nobody should see."""

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import UUID

from prefect.blocks.core import Block
from prefect.logging import get_logger
from pydantic import ConfigDict, Field, HttpUrl, SecretStr, field_validator

from flows.email_block import SmtpEmail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flows.ledger import Ledger
    from interface.client import Addresses, AsyncMessagingClient

__all__ = ["LedgerDatabase", "MessagingAccount", "SmtpEmail"]

CHECK_SECONDS = 10.0


class LedgerDatabase(Block):
    """The database in which flows keep what was sent, and what they remember from run to run.

    Attributes:
        address: Where it is: SQLite on one machine, PostgreSQL for more than one.

    Example:
        Name the database once, and use it in each account:
        ```python
        from flows import LedgerDatabase, MessagingAccount

        LedgerDatabase(address="postgresql://dovecote:secret@db.example.com/dovecote").save("main")
        account = MessagingAccount(api_key="…", ledger=LedgerDatabase.load("main"))
        account.save("main")

        with LedgerDatabase.load("main").opened() as ledger:
            print(ledger.engine.dialect.name)
        ```

    """

    model_config = ConfigDict(hide_input_in_errors=True)  # an address may hold a password

    _block_type_name = "Ledger Database"
    _block_type_slug = "ledger-database"
    _logo_url = HttpUrl("https://raw.githubusercontent.com/googlefonts/noto-emoji/main/png/128/emoji_u1f4d2.png")
    _documentation_url = HttpUrl("https://docs.prefect.io/v3/concepts/blocks")
    _description = "The database in which flows keep what was sent, so that nobody gets a message twice."

    address: SecretStr = Field(
        title="Address",
        description=(
            "SQLAlchemy's address of the database, sqlite:////srv/dovecote/ledger.sqlite3 or "
            "postgresql://user:password@host/name; stored encrypted."
        ),
    )

    @field_validator("address")
    @classmethod
    def _is_one_of_ours(cls, address: SecretStr) -> SecretStr:
        from flows.ledger.database import WrongAddress, check_address

        try:
            check_address(address.get_secret_value())
        except WrongAddress as problem:
            raise ValueError(str(problem)) from None
        return address

    @contextmanager
    def opened(self) -> "Iterator[Ledger]":
        """Open the ledger for the time of the block, its schema brought up to date; raises `LedgerProblem`."""
        from flows.ledger import open_ledger

        book = open_ledger(self.address.get_secret_value())
        try:
            yield book
        finally:
            book.close()


class MessagingAccount(Block):
    """An account at a provider of the messaging interface: its key and addresses.

    Attributes:
        api_key: The account's key.
        messaging_url: Base address of the messaging API, with its version.
        rest_url: Base address of the account REST API, with its version.
        verify_url: Base address of the verification API.
        xml_url: Address of the XML interface.
        ledger: The database that the account's flows use.

    Example:
        Load the account and use its client:
        ```python
        from flows import MessagingAccount

        account = await MessagingAccount.aload("main")
        async with account.client() as client:
            print(await client.apikey_me())
        ```

    """

    _block_type_name = "Messaging Account"
    _block_type_slug = "messaging-account"
    _logo_url = HttpUrl("https://raw.githubusercontent.com/googlefonts/noto-emoji/main/png/128/emoji_u1f54a.png")
    _documentation_url = HttpUrl("https://docs.prefect.io/v3/concepts/blocks")
    _description = "An account at a provider of the messaging interface: its secret key and its addresses."

    api_key: SecretStr = Field(title="Key", description="The account's key; stored encrypted.")
    messaging_url: str = Field(
        default="http://127.0.0.1:8800/v2",
        title="Messaging API",
        description="Base address of the messaging API, with its version.",
    )
    rest_url: str = Field(
        default="http://127.0.0.1:8800/v1",
        title="Account REST API",
        description="Base address of the account REST API, with its version.",
    )
    verify_url: str = Field(
        default="http://127.0.0.1:8800",
        title="Verification API",
        description="Base address of the verification API.",
    )
    xml_url: str = Field(
        default="http://127.0.0.1:8800/xml",
        title="XML interface",
        description="Address of the XML interface.",
    )
    subid: str = Field(default="default", title="Sub-account", description="Sub-account of status and list calls.")
    honours_idempotency_key: bool = Field(
        default=False,
        title="Honours Idempotency-Key",
        description=(
            "On for a Dovecote service: a call whose answer was lost is repeated under its key. Off for any other "
            "provider: it is looked up first."
        ),
    )
    appears_within_seconds: float = Field(
        default=90.0,
        ge=0,
        le=3600,
        title="Sent messages appear within (seconds)",
        description=(
            "How long after a call was begun its messages may take to show up in GET /messages. A call with a lost "
            "answer is repeated only when they haven't by then. Used when Idempotency-Key is not honoured."
        ),
    )

    ledger: LedgerDatabase | None = Field(
        default=None,
        title="Ledger database",
        description=(
            "Where the account's flows keep what was sent. None: the setting DOVECOTE_LEDGER, else a file of the user "
            "who runs them."
        ),
    )

    def check(self) -> None:
        """Ask the provider for the key's settings (``GET /apikey/me``); raises `Unauthorized` for a key it refuses.

        A provider that can't be reached from here, or doesn't offer the call, tells nothing: a warning is logged.
        """
        from flows.advice import calling
        from interface.client import MessagingClient, RetryPolicy
        from interface.errors import DovecoteError, Unauthorized

        once = RetryPolicy(attempts=1)
        with MessagingClient(
            self.api_key.get_secret_value(), self._addresses(), retries=once, timeout=CHECK_SECONDS
        ) as client:
            try:
                with calling("GET /apikey/me"):
                    client.apikey_me()
            except Unauthorized:
                raise
            except DovecoteError as reason:
                get_logger("blocks").warning("The key of a Messaging Account wasn't checked: %s", reason)

    # Both ways in which Prefect saves a block from code lead here; its pages save without our code.
    async def _save(self, *given: Any, **named: Any) -> UUID:  # noqa: ANN401  (Prefect's business)
        await asyncio.to_thread(self.check)
        return await super()._save(*given, **named)

    def _save_sync(self, *given: Any, **named: Any) -> UUID:  # noqa: ANN401
        self.check()
        return super()._save_sync(*given, **named)

    def client(self) -> "AsyncMessagingClient":
        """Return a client for one event loop; close it, or use it as a context manager.

        It never repeats a send whose answer was lost, even where the provider would allow it: the ledger has to know of
        every call that may have been taken. And it sends nothing of a batch that another process has taken over.
        """
        # Here, because Prefect loads this module wherever it looks for blocks.
        from flows.sending.fence import look_before
        from interface.client import AsyncMessagingClient, RetryPolicy

        retries = RetryPolicy(idempotent_server=False)
        return AsyncMessagingClient(
            self.api_key.get_secret_value(), self._addresses(), retries=retries, before_each=look_before
        )

    def _addresses(self) -> "Addresses":
        from interface.client import Addresses

        return Addresses(
            base_url=self.messaging_url, rest_url=self.rest_url, verify_url=self.verify_url, xml_url=self.xml_url
        )
