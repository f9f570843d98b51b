"""Tasks that send."""

from collections.abc import Sequence

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import exponential_backoff

from flows.advice import calling
from flows.ledger import NotNow
from flows.retrying import may_pass
from flows.sending.dispatch import send_batches
from flows.sending.outbox import Outbox


@task(
    name="send-batches",
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=6,
    retry_delay_seconds=exponential_backoff(1),
    retry_jitter_factor=0.5,
    retry_condition_fn=may_pass,
)
async def send_some(outbox: Outbox, batch_ids: Sequence[str]) -> NotNow | None:
    """Send these batches. Repeating it is safe: the ledger knows which of them are at the provider already.

    Returns why no more of them may go at present, None when all have gone.
    """
    try:
        with calling():
            await send_batches(outbox, batch_ids)
    except NotNow as reason:
        return reason
    return None
