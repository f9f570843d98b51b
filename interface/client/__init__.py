"""A client for the interface, synchronous and asynchronous from one definition of each call."""

from interface.client.addresses import Addresses
from interface.client.clients import AsyncMessagingClient, MessagingClient
from interface.client.retries import RetryPolicy

__all__ = ["Addresses", "AsyncMessagingClient", "MessagingClient", "RetryPolicy"]
