"""What the last four digits of a number make the simulated network do (details, "Simulated operator"). Pure."""

from dataclasses import dataclass

from interface.flow_steps import Channel
from interface.results import Result


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the network treats a submission. Receipts come one delay after another, in this order, then an answer."""

    refuses: bool = False
    throttles_first: bool = False
    receipts: tuple[Result, ...] = (Result.DELIVERED,)
    answer: str | None = None

    @property
    def delivers(self) -> bool:
        """Whether the message gets onto the telephone."""
        return Result.DELIVERED in self.receipts


_DELIVERS = Behaviour()
_REFUSES = Behaviour(refuses=True, receipts=())
_BY_ENDING = {
    "9001": Behaviour(receipts=(Result.UNDELIVERED,)),
    "9002": _REFUSES,
    "9003": Behaviour(receipts=()),
    "9004": Behaviour(answer="STOP"),
    "9005": Behaviour(answer="YES"),
    "9006": Behaviour(receipts=(Result.DELIVERED, Result.SENT, Result.DELIVERED, Result.SENT)),
    "9007": Behaviour(throttles_first=True),
}
_NO_CHAT_APP = "9008"
_READS_CHATS = "9009"


def behaviour(phone_number: str, channel: Channel) -> Behaviour:
    """Return what happens to a message to this number on this channel; every number that isn't listed gets it."""
    ending = phone_number[-4:]
    if channel is not Channel.SMS and ending == _NO_CHAT_APP:
        return _REFUSES
    if channel is not Channel.SMS and ending == _READS_CHATS:
        return Behaviour(receipts=(Result.DELIVERED, Result.SEEN))
    return _BY_ENDING.get(ending, _DELIVERS)
