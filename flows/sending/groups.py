"""Batches that the ledger reads and writes together, so that it does so once for many calls. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

BATCHES_A_GROUP = 16
RECIPIENTS_A_GROUP = 2_000
"""A file is larger, and so a group of its own."""


@dataclass(frozen=True)
class Group:
    """Batches in the order of the plan, and how many recipients they have."""

    batch_ids: tuple[str, ...]
    recipients: int


def grouped(sizes: Mapping[str, int], batch_ids: Sequence[str], rate: float | None = None) -> Iterator[Group]:
    """Put batches, whose recipients ``sizes`` counts, into groups; with a rate, of what may go in a second at most."""
    most = RECIPIENTS_A_GROUP if rate is None else min(RECIPIENTS_A_GROUP, rate)
    group: list[str] = []
    recipients = 0
    for batch_id in batch_ids:
        size = sizes.get(batch_id, 0)
        if group and (len(group) == BATCHES_A_GROUP or recipients + size > most):
            yield Group(tuple(group), recipients)
            group, recipients = [], 0
        group.append(batch_id)
        recipients += size
    if group:
        yield Group(tuple(group), recipients)
