"""Tasks that take back what was handed over."""

from flows.ledger import Ledger
from flows.provider import Provider
from flows.recalling import Recalled, recall
from flows.tasks.kinds import call


@call("recall-from-provider")
async def recall_from_provider(book: Ledger, provider: Provider, campaign_id: str) -> Recalled:
    """Cancel at the provider what it has not sent; what it cancelled already is not asked for again."""
    return await recall(book, provider, campaign_id)
