"""What a platform offers about templates: create, delete, and tell where an approval is."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from interface.chat_templates import LibraryTemplate
from messaging_service.clock import Milliseconds


class TemplateRefused(Exception):  # noqa: N818 - the platform's word, not ours
    """The platform doesn't do what it was asked; the message is the sentence that the caller reads."""


class Counts(NamedTuple):
    """How many values a message must bring for each part of a template."""

    body: int
    header: int
    buttons: int


class NewTemplate(NamedTuple):
    """A template that the platform took; ``ask_at`` is when it is worth asking about its approval."""

    template_id: str
    status: str
    category: str
    counts: Counts
    ask_at: Milliseconds


class Verdict(NamedTuple):
    """What the platform says of a template; ``ask_at`` is None when that is final."""

    status: str
    reason: str | None
    counts: Counts
    ask_at: Milliseconds | None


class TemplatePlatform(Protocol):
    """A platform that keeps and approves templates. Its calls raise TemplateRefused."""

    knows_all: bool
    """Whether it has no templates but those of our store."""

    def belongs(self, waba_id: str, account_id: int) -> bool:
        """Whether an account may manage the templates of a business account."""
        ...

    async def create(self, waba_id: str, template: LibraryTemplate) -> NewTemplate:
        """Make a template from the library."""
        ...

    async def delete(self, waba_id: str, name: str) -> None:
        """Delete a template in all its languages."""
        ...

    async def verdict(self, template: Mapping[str, Any]) -> Verdict:
        """Tell where the approval of a template (a row of ``chat_templates``) is."""
        ...
