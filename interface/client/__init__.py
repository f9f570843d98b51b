"""A client for the interface, synchronous and asynchronous from one definition of each call."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from interface.client.addresses import Addresses
    from interface.client.clients import AsyncMessagingClient, MessagingClient
    from interface.client.retries import RetryPolicy

__all__ = ["Addresses", "AsyncMessagingClient", "MessagingClient", "RetryPolicy"]

_MODULES = {"Addresses": "addresses", "RetryPolicy": "retries"}


def __getattr__(name: str) -> Any:  # noqa: ANN401  (the language's own signature)
    # Loaded when asked for, so that the command line finds `interface.client.commands` quickly.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'clients')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
