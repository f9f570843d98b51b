"""Tasks that take back what was handed over."""

from flows.ledger import Ledger
from flows.provider import Provider
from flows.recalling import recall
from flows.tasks.kinds import call


@call("recall-from-provider")
async def recall_from_provider(book: Ledger, provider: Provider, campaign_id: str) -> int:
    """Cancel at the provider what it has not sent, and count the people; nothing is cancelled twice."""
    return await recall(book, provider, campaign_id)
