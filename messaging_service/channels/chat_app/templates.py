"""An account's templates: asks the platform, then keeps what it took."""

import asyncio
from collections.abc import Sequence

from sqlalchemy import RowMapping

from interface.chat_templates import LibraryTemplate, TemplateCreate, TemplateDelete, TemplatesQuery
from messaging_service.channels.chat_app.platform import NewTemplate, TemplatePlatform, TemplateRefused
from messaging_service.clock import Clock
from messaging_service.store import chat_templates
from messaging_service.store.engine import Store

MOST = 6000
"""How many templates an account may have."""


class Templates:
    """Creates, deletes and lists templates. No transaction is open while the platform is asked."""

    def __init__(self, store: Store, clock: Clock, platform: TemplatePlatform) -> None:
        self._store = store
        self._clock = clock
        self._platform = platform

    async def create(self, account_id: int, wanted: TemplateCreate) -> NewTemplate:
        """Make a template from the library. Raises TemplateRefused."""
        self._check_belongs(wanted.waba_id, account_id)
        await asyncio.to_thread(self._check_is_new, account_id, wanted)
        created = await self._platform.create(wanted.waba_id, wanted.template)
        if not await asyncio.to_thread(self._keep, account_id, wanted, created):
            raise _there_already(wanted.template)
        return created

    async def delete(self, account_id: int, wanted: TemplateDelete) -> None:
        """Delete a template in all its languages. Raises TemplateRefused."""
        self._check_belongs(wanted.waba_id, account_id)
        await self._platform.delete(wanted.waba_id, wanted.template_name)
        if not await asyncio.to_thread(self._remove, account_id, wanted) and self._platform.knows_all:
            raise TemplateRefused(f"There is no template {wanted.template_name}.")

    def of_account(self, account_id: int, query: TemplatesQuery) -> Sequence[RowMapping]:
        """Return an account's templates, by name and language."""
        with self._store.reading() as connection:
            return chat_templates.of_account(connection, account_id, query.waba_id, query.name)

    def _check_belongs(self, waba_id: str, account_id: int) -> None:
        if not self._platform.belongs(waba_id, account_id):
            raise TemplateRefused(f"This account has no business account {waba_id}.")

    def _check_is_new(self, account_id: int, wanted: TemplateCreate) -> None:
        template = wanted.template
        with self._store.reading() as connection:
            same = chat_templates.of_account(connection, account_id, wanted.waba_id, template.name)
            number = chat_templates.count(connection, account_id)
        if any(row["language"] == template.language for row in same):
            raise _there_already(template)
        if number >= MOST:
            raise TemplateRefused(f"This account has {MOST} templates, which is the most; delete some first.")

    def _keep(self, account_id: int, wanted: TemplateCreate, created: NewTemplate) -> bool:
        now = self._clock.now()
        row = {
            "account_id": account_id,
            "template_id": created.template_id,
            "waba_id": wanted.waba_id,
            "name": wanted.template.name,
            "language": wanted.template.language,
            "category": created.category,
            "library_template_name": wanted.template.library_template_name,
            "status": created.status,
            "body_count": created.counts.body,
            "header_count": created.counts.header,
            "button_count": created.counts.buttons,
            "due_at": created.ask_at,
            "created_at": now,
            "updated_at": now,
        }
        with self._store.writing() as connection:
            return chat_templates.add(connection, row)

    def _remove(self, account_id: int, wanted: TemplateDelete) -> int:
        with self._store.writing() as connection:
            return chat_templates.remove(connection, account_id, wanted.waba_id, wanted.template_name)


def _there_already(template: LibraryTemplate) -> TemplateRefused:
    return TemplateRefused(f"There is a template {template.name} in {template.language} already.")
