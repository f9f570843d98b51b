"""Tasks about chat-app templates: list, create and delete them."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, replace

from flows.advice import calling
from flows.ledger.templates import BEGUN, KnownLanguage, KnownTemplate, Shelf
from flows.provider import Provider
from flows.tasks.kinds import call
from flows.template_files import WantedTemplate
from interface.chat_templates import ChatTemplate
from interface.errors import Forbidden, NotFound, Refused, UnexpectedAnswer

DONE = 200
"""The status of a `Refused` that is the platform's own: the call was right, the platform doesn't do it."""
UNKNOWN_ID = "unknown"


@dataclass(frozen=True)
class Librarian:
    """Who changes one business account's templates."""

    shelf: Shelf
    provider: Provider


@call("list-templates")
async def list_templates(librarian: Librarian) -> list[ChatTemplate] | None:
    """List the provider's templates; None where it offers no such call (it is Dovecote's own)."""
    try:
        with calling("GET /chatapp/templates"):
            return await librarian.provider.client.chat_templates(waba_id=librarian.shelf.waba_id)
    except (NotFound, Forbidden, UnexpectedAnswer):
        return None


@call("create-template")
async def create_template(librarian: Librarian, wanted: WantedTemplate, languages: Collection[str]) -> None:
    """Create these languages of a name, each written down before its call.

    A call that was begun before and is refused now was taken then: the platform has that name and language once.
    """
    known = await asyncio.to_thread(librarian.shelf.known)
    now = known.get(wanted.name, KnownTemplate(wanted.name, {}))
    for language in languages:
        before, digest = now.languages.get(language), wanted.digest(language)
        was_begun = before is not None and before.template_id == BEGUN
        now = replace(now, languages={**now.languages, language: KnownLanguage(BEGUN, digest)})
        await asyncio.to_thread(librarian.shelf.keep, now)
        template_id = await _create(librarian, wanted, language, was_begun=was_begun)
        now = replace(now, languages={**now.languages, language: KnownLanguage(template_id, digest)})
        await asyncio.to_thread(librarian.shelf.keep, now)


@call("delete-template")
async def delete_template(librarian: Librarian, name: str) -> None:
    """Delete a name in all its languages; that it is gone already is fine."""
    try:
        with calling(f"POST /chatapp/templates/delete of {name}"):
            await librarian.provider.client.delete_chat_template(librarian.shelf.waba_id, name)
    except Refused as refused:
        if refused.status != DONE:
            raise
    await asyncio.to_thread(librarian.shelf.forget, name)


async def _create(librarian: Librarian, wanted: WantedTemplate, language: str, *, was_begun: bool) -> str:
    try:
        with calling(f"POST /chatapp/templates/library/create of {wanted.name} in {language}"):
            created = await librarian.provider.client.create_chat_template(
                librarian.shelf.waba_id, wanted.languages[language]
            )
    except Refused as refused:
        if was_begun and refused.status == DONE:
            return UNKNOWN_ID
        if refused.status == DONE:
            await asyncio.to_thread(_forget_language, librarian.shelf, wanted.name, language)
        raise
    return created.template_id or UNKNOWN_ID


def _forget_language(shelf: Shelf, name: str, language: str) -> None:
    known = shelf.known()[name]
    languages = {each: given for each, given in known.languages.items() if each != language}
    if languages:
        shelf.keep(replace(known, languages=languages))
    else:
        shelf.forget(name)
