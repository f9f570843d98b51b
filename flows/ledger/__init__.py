"""What was sent, exactly once: the memory of every flow that sends.

A campaign is *planned* whole, in batches of one call each. A process takes the campaign's *lease*, *claims* a batch
(durably, before the call), and *records* the provider's answer. A batch found claimed without an answer is in doubt: it
is looked up at the provider by its own tag, and *settled* by what was found.
"""

from flows.ledger.batches import (
    Cancelled,
    NotNow,
    WindowClosed,
    claim,
    claim_again,
    load,
    mark_in_doubt,
    outstanding,
    record_answer,
    release,
)
from flows.ledger.database import Ledger, default_address, open_ledger
from flows.ledger.lease import LEASE_SECONDS, Lease, LeaseLost, LeaseTaken, take_lease, waves_at_work
from flows.ledger.plans import (
    PlanDiffers,
    PlannedCampaign,
    approve,
    cancel,
    find_campaign,
    list_campaigns,
    plan,
    read_campaign,
)
from flows.ledger.records import (
    Answer,
    Batch,
    BatchState,
    CampaignPlan,
    CampaignSettings,
    Delivery,
    Pace,
    PlannedBatch,
    PlannedMessage,
    PlannedRecipient,
    PlannedWave,
    Way,
)
from flows.ledger.results import (
    FollowedBatch,
    Totals,
    UnsentLine,
    batch_states,
    batches_to_follow,
    record_deliveries,
    totals,
    unsent_lines,
)
from flows.ledger.settling import Settled, settle
from flows.ledger.turns import Turn, take_turn

__all__ = [
    "LEASE_SECONDS",
    "Answer",
    "Batch",
    "BatchState",
    "CampaignPlan",
    "CampaignSettings",
    "Cancelled",
    "Delivery",
    "FollowedBatch",
    "Lease",
    "LeaseLost",
    "LeaseTaken",
    "Ledger",
    "NotNow",
    "Pace",
    "PlanDiffers",
    "PlannedBatch",
    "PlannedCampaign",
    "PlannedMessage",
    "PlannedRecipient",
    "PlannedWave",
    "Settled",
    "Totals",
    "Turn",
    "UnsentLine",
    "Way",
    "WindowClosed",
    "approve",
    "batch_states",
    "batches_to_follow",
    "cancel",
    "claim",
    "claim_again",
    "default_address",
    "find_campaign",
    "list_campaigns",
    "load",
    "mark_in_doubt",
    "open_ledger",
    "outstanding",
    "plan",
    "read_campaign",
    "record_answer",
    "record_deliveries",
    "release",
    "settle",
    "take_lease",
    "take_turn",
    "totals",
    "unsent_lines",
    "waves_at_work",
]
