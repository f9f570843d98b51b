"""Plans and numbers for tests."""

import pytest

from flows.ledger import (
    Batch,
    CampaignPlan,
    CampaignSettings,
    Lease,
    PlannedBatch,
    PlannedMessage,
    PlannedRecipient,
    claim_all,
)

SOCKETS_OF_PREFECT = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
"""For tests that run flows: Prefect's client leaves sockets to its server for the garbage collector."""

SETTINGS = CampaignSettings(account="main", tags=("promotional",))


def number(index: int) -> str:
    return f"420777{index:06}"


def a_plan(recipients: int = 4, name: str = "Spring sale", body: str = "Hello") -> CampaignPlan:
    """Calls of two message objects with one recipient each."""
    messages = [PlannedMessage(body, (PlannedRecipient(number(index), index + 2),)) for index in range(recipients)]
    batches = [PlannedBatch(tuple(messages[start : start + 2])) for start in range(0, recipients, 2)]
    return CampaignPlan(name, SETTINGS, batches)


def claim(lease: Lease, batch_id: str) -> Batch | None:
    """Claim one batch; None when it is not planned any more."""
    return next(iter(claim_all(lease, [batch_id])), None)
