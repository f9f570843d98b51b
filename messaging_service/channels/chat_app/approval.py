"""Asks the platform where the approval of templates is, as each falls due."""

import asyncio
from collections.abc import Mapping
from typing import Any

import structlog

from messaging_service.channels.chat_app.platform import TemplatePlatform, TemplateRefused, Verdict
from messaging_service.clock import MINUTE, Clock, Milliseconds
from messaging_service.store import chat_templates
from messaging_service.store.engine import Store

ASK_AGAIN_AFTER: Milliseconds = 5 * MINUTE
"""When a template is asked about again that the platform said nothing of, or whose worker died."""
_AT_ONCE = 50
_POLL_SECONDS = 0.5

log = structlog.get_logger(__name__)


class Approval:
    """Follows the approval of templates over one store; any number of workers may."""

    def __init__(self, store: Store, clock: Clock, platform: TemplatePlatform) -> None:
        self._store = store
        self._clock = clock
        self._platform = platform

    async def run(self) -> None:
        """Follow until cancelled."""
        while True:
            if not await self.ask_about_due():
                await asyncio.sleep(_POLL_SECONDS)

    async def ask_about_due(self) -> int:
        """Ask about the templates that are due now. Returns how many there were."""
        due = await asyncio.to_thread(self._claim)
        for template in due:
            await self._ask(template)
        return len(due)

    async def _ask(self, template: Mapping[str, Any]) -> None:
        try:
            verdict = await self._platform.verdict(template)
        except TemplateRefused as refusal:
            log.warning("template.not-told", template_id=template["template_id"], reason=str(refusal))
        else:
            await asyncio.to_thread(self._record, template["id"], verdict)

    def _claim(self) -> list[Mapping[str, Any]]:
        now = self._clock.now()
        with self._store.reading() as connection:
            if (chat_templates.next_due(connection) or now + 1) > now:
                return []
        with self._store.writing() as connection:
            return [dict(row) for row in chat_templates.claim_due(connection, now, _AT_ONCE, now + ASK_AGAIN_AFTER)]

    def _record(self, row_id: int, verdict: Verdict) -> None:
        values = {
            "status": verdict.status,
            "reason": verdict.reason,
            "body_count": verdict.counts.body,
            "header_count": verdict.counts.header,
            "button_count": verdict.counts.buttons,
            "due_at": verdict.ask_at,
            "updated_at": self._clock.now(),
        }
        with self._store.writing() as connection:
            chat_templates.change(connection, row_id, values)
