"""The blacklist, which blocks all messages, and the opt-out list, which blocks promotional ones (specification 4.3)."""

from collections.abc import Iterable

from interface import calls
from interface.account import ListResponse, ListSubmission
from interface.client.operations.operation import Operation, Sent, operation, whole
from interface.lists import ListQuery, ListRemoval, Removed


def opt_out(numbers: Iterable[str], *, subid: str = "default") -> Operation[ListResponse]:
    """Add numbers to the opt-out list, which blocks promotional messages (4.3)."""
    return operation(calls.OPT_OUT, Sent(body=ListSubmission(to="\n".join(numbers), subid=subid)), whole)


def blacklist(numbers: Iterable[str], *, subid: str = "default") -> Operation[ListResponse]:
    """Add numbers to the blacklist, which blocks all messages (4.3)."""
    return operation(calls.BLACKLIST, Sent(body=ListSubmission(to="\n".join(numbers), subid=subid)), whole)


def opt_out_address(*, subid: str = "default") -> Operation[str]:
    """Return where the opt-out list can be downloaded as CSV for 60 seconds; `NotFound` when it is empty."""
    return operation(calls.OPT_OUT_ADDRESS, Sent(query=ListQuery(subid=subid)), lambda answer: answer.url)


def blacklist_address(*, subid: str = "default") -> Operation[str]:
    """Return where the blacklist can be downloaded as CSV for 60 seconds; `NotFound` when it is empty."""
    return operation(calls.BLACKLIST_ADDRESS, Sent(query=ListQuery(subid=subid)), lambda answer: answer.url)


def opt_out_remove(removal: ListRemoval) -> Operation[Removed]:
    """Take numbers, or all, off the opt-out list."""
    return operation(calls.OPT_OUT_REMOVE, Sent(body=removal), lambda answer: answer.optout)


def blacklist_remove(removal: ListRemoval) -> Operation[Removed]:
    """Take numbers, or all, off the blacklist."""
    return operation(calls.BLACKLIST_REMOVE, Sent(body=removal), lambda answer: answer.blacklist)
