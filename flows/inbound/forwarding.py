"""Hand inbound messages on to a receiver of the operator's own: a webhook, kept as Prefect's block 'Webhook'."""

import uuid
from dataclasses import dataclass, field

import httpx
from prefect.blocks.webhook import Webhook

from flows.inbound.arrivals import Arrival
from flows.problems import ReceiverFailed, ReceiverRefused, SettingsProblem
from interface.notifications import IncomingMessage

SECONDS_TO_ANSWER = 10.0
REQUEST_ID = "X-Request-Id"
MAY_PASS = frozenset({408, 425, 429})


@dataclass(frozen=True)
class Receiver:
    """Where messages are handed on to; the address and its headers are secrets of the block."""

    name: str
    url: str = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    verify: bool = True

    def client(self) -> httpx.AsyncClient:
        """Return a client for the receiver; close it, or use it as a context manager."""
        return httpx.AsyncClient(headers=self.headers, verify=self.verify, timeout=SECONDS_TO_ANSWER)

    async def hand_on(self, client: httpx.AsyncClient, arrival: Arrival) -> None:
        """POST a message as the interface's notification ``incomingMessage`` (section 6), an array of one.

        ``X-Request-Id`` is the message's own, the same each time. Anything but a 2xx raises: `ReceiverFailed` where
        that may pass, else `ReceiverRefused`.
        """
        try:
            answer = await client.post(
                self.url,
                content=f"[{notification(arrival).model_dump_json()}]",
                headers={"content-type": "application/json", REQUEST_ID: str(uuid.UUID(arrival.id[:32]))},
            )
        except httpx.HTTPError as error:
            raise ReceiverFailed(
                f"POST to the webhook {self.name!r} failed ({type(error).__name__}). Is its receiver running?"
            ) from None
        if not answer.is_success:
            problem = ReceiverFailed if answer.is_server_error or answer.status_code in MAY_PASS else ReceiverRefused
            raise problem(
                f"POST to the webhook {self.name!r} failed with status {answer.status_code}; only a 2xx means taken. "
                "Put the receiver right: what it hasn't taken is handed on by the next run."
            )


async def load_receiver(name: str) -> Receiver | None:
    """Load the block 'Webhook' of this name; None for an empty name. Raises `SettingsProblem`."""
    if not name.strip():
        return None
    try:
        block: Webhook = await Webhook.aload(name.strip())
    except ValueError:
        raise SettingsProblem(
            f"There is no block 'Webhook' of the name {name!r}; create it in Prefect under Blocks."
        ) from None
    headers = {header: str(value) for header, value in block.headers.get_secret_value().items()}
    return Receiver(name.strip(), block.url.get_secret_value(), headers, block.verify)


def notification(arrival: Arrival) -> IncomingMessage:
    """Write a message as the service itself would push it."""
    message = arrival.message
    return IncomingMessage(
        gateway=message.gateway,
        timestamp=int(message.ts_received.timestamp()),
        sender=message.from_,
        recipient=message.to,
        body=message.body,
    )
