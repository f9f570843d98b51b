"""Prefect flows that orchestrate multi-step messaging over the interface."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flows.blocks import LedgerDatabase, MessagingAccount, SmtpEmail

__all__ = ["LedgerDatabase", "MessagingAccount", "SmtpEmail"]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (the language's own signature)
    # `prefect block register -m flows` finds the blocks here, while `import flows.ledger` never loads Prefect.
    if name in __all__:
        from flows import blocks

        return getattr(blocks, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
