"""The calls about templates of messaging apps (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.calls.call import Base, Call, Repeatable
from interface.calls.errors import REST_ERRORS, SETTINGS_ERRORS
from interface.chat_templates import (
    TemplateCreate,
    TemplateCreated,
    TemplateDelete,
    TemplateDeleted,
    TemplatesQuery,
    TemplatesResponse,
)

_GROUP: Final = "chat-app templates"

CHAT_TEMPLATE_CREATE: Final = Call(
    name="chat_template_create",
    method="POST",
    path="/chatapp/templates/library/create",
    aliases=("/whatsapp/templates/library/create",),
    base=Base.REST,
    group=_GROUP,
    summary="Make a template from the platform's library",
    description="It is `PENDING` until the platform approves or rejects it. `success` is false when it isn't taken.",
    body=TypeAdapter(TemplateCreate),
    answer=TemplateCreated,
    repeatable=Repeatable.NEVER,
    errors=SETTINGS_ERRORS,
)

CHAT_TEMPLATE_DELETE: Final = Call(
    name="chat_template_delete",
    method="POST",
    path="/chatapp/templates/delete",
    aliases=("/whatsapp/templates/delete",),
    base=Base.REST,
    group=_GROUP,
    summary="Delete a template in all its languages",
    description="`success` is false when there is no such template.",
    body=TypeAdapter(TemplateDelete),
    answer=TemplateDeleted,
    repeatable=Repeatable.NEVER,
    errors=SETTINGS_ERRORS,
)

CHAT_TEMPLATES: Final = Call(
    name="chat_templates",
    method="GET",
    path="/chatapp/templates",
    aliases=("/whatsapp/templates",),
    base=Base.REST,
    group=_GROUP,
    summary="The account's templates and where their approval is",
    description="Dovecote's own call.",
    query=TemplatesQuery,
    answer=TemplatesResponse,
    errors=REST_ERRORS,
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (CHAT_TEMPLATE_CREATE, CHAT_TEMPLATE_DELETE, CHAT_TEMPLATES)
