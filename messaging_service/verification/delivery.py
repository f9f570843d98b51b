"""Puts codes into the texts that carry them, at the last moment: an operator gets the code, the store has a mask."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import structlog

from messaging_service.channels.channel import Submission
from messaging_service.store import verification
from messaging_service.store.engine import Store
from messaging_service.verification.codes import MASK, CodeKeeper, WrongKey
from messaging_service.verification.texts import filled_in

log = structlog.get_logger(__name__)


class CodeDelivery:
    """Fills in the codes of submissions on their way out."""

    def __init__(self, store: Store, codes: CodeKeeper) -> None:
        self._store = store
        self._codes = codes

    async def fill_in(self, submissions: Sequence[Submission]) -> Sequence[Submission]:
        """Return the submissions with the codes of those that carry one; any other stays as it is."""
        masked = {submission.message_id for submission in submissions if MASK in submission.text}
        if not masked:
            return submissions
        sealed = await asyncio.to_thread(self._sealed_codes, masked)
        return [self._filled_in(submission, sealed.get(submission.message_id)) for submission in submissions]

    def _sealed_codes(self, message_ids: set[str]) -> dict[str, str]:
        with self._store.reading() as connection:
            return verification.sealed_codes(connection, message_ids)

    def _filled_in(self, submission: Submission, sealed: str | None) -> Submission:
        if sealed is None:
            return submission
        try:
            return replace(submission, text=filled_in(submission.text, self._codes.unseal(sealed)))
        except WrongKey as error:
            # It goes out without its code: holding it back would hold back its whole batch, and it can't be verified.
            log.error("verification.wrong-key", reason=str(error))  # noqa: TRY400 - the sentence says all
            return submission
