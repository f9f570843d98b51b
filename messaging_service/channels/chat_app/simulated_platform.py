"""The simulated platform: takes what its library has, and decides a moment later by the name."""

import random
import secrets
from collections.abc import Mapping
from typing import Any

from interface.chat_templates import LibraryTemplate, TemplateStatus
from messaging_service.channels.chat_app.library import counts_of
from messaging_service.channels.chat_app.platform import Counts, NewTemplate, Verdict
from messaging_service.clock import Clock, Milliseconds

REJECTED_BY = "rejected"
"""A template whose name has this word in it is rejected; every other one is approved."""
_REASON = "The name asks the simulated platform to reject it"
_SMALLEST_ID = 10**15


class SimulatedPlatform:
    """Every account has whatever business accounts it names, and nobody else sees them."""

    knows_all = True

    def __init__(self, clock: Clock, delay: tuple[Milliseconds, Milliseconds]) -> None:
        self._clock = clock
        self._delay = delay
        self._random = random.Random()  # noqa: S311 - delays, not secrets

    def belongs(self, _waba_id: str, _account_id: int) -> bool:
        """Permit all: templates are kept by account."""
        return True

    async def create(self, _waba_id: str, template: LibraryTemplate) -> NewTemplate:
        """Take a template that the library has."""
        counts = counts_of(template)
        template_id = str(_SMALLEST_ID + secrets.randbelow(9 * _SMALLEST_ID))
        decided_at = self._clock.now() + self._random.randint(*self._delay)
        return NewTemplate(template_id, TemplateStatus.PENDING, template.category, counts, decided_at)

    async def delete(self, _waba_id: str, _name: str) -> None:
        """Do nothing: the store is all there is."""

    async def verdict(self, template: Mapping[str, Any]) -> Verdict:
        """Decide by the name."""
        counts = Counts(template["body_count"], template["header_count"], template["button_count"])
        if REJECTED_BY in template["name"]:
            return Verdict(TemplateStatus.REJECTED, _REASON, counts, None)
        return Verdict(TemplateStatus.APPROVED, None, counts, None)
