"""Templates of messaging apps (specification 4.3). What the platform doesn't do is a `Refused` of status 200."""

from typing import TypeVar

from interface import calls
from interface.chat_templates import (
    ChatTemplate,
    LibraryTemplate,
    TemplateCreate,
    TemplateCreated,
    TemplateDelete,
    TemplateDeleted,
    TemplatesQuery,
)
from interface.client.operations.operation import Operation, Sent, operation
from interface.errors import Refused

_Changed = TypeVar("_Changed", TemplateCreated, TemplateDeleted)


def create_chat_template(waba_id: str, template: LibraryTemplate) -> Operation[TemplateCreated]:
    """Make a template from the platform's library, which then approves it or not; `Refused` when it isn't taken."""
    return operation(calls.CHAT_TEMPLATE_CREATE, Sent(body=TemplateCreate(waba_id=waba_id, template=template)), _done)


def delete_chat_template(waba_id: str, template_name: str) -> Operation[TemplateDeleted]:
    """Delete all language versions of a template; `Refused` when there is none."""
    request = TemplateDelete(waba_id=waba_id, template_name=template_name)
    return operation(calls.CHAT_TEMPLATE_DELETE, Sent(body=request), _done)


def chat_templates(*, waba_id: str | None = None, name: str | None = None) -> Operation[list[ChatTemplate]]:
    """Return the account's templates with where their approval is; Dovecote's own call."""
    query = TemplatesQuery(waba_id=waba_id, name=name)
    return operation(calls.CHAT_TEMPLATES, Sent(query=query), lambda answer: answer.templates)


def _done(answer: _Changed) -> _Changed:
    if not answer.success:
        raise Refused(answer.message or "The platform refuses that.", 200)
    return answer
