"""Templates on a platform of the kind of the WhatsApp Cloud API: it keeps and approves them, we keep what it says."""

import re
from collections.abc import Mapping
from typing import Any

from interface.chat_templates import LibraryTemplate, TemplateStatus
from messaging_service.channels.chat_app.cloud_http import CloudHttp, NoReply, NotSent
from messaging_service.channels.chat_app.cloud_replies import Reply, sentence_of
from messaging_service.channels.chat_app.cloud_settings import CloudAccess
from messaging_service.channels.chat_app.platform import Counts, NewTemplate, TemplateRefused, Verdict
from messaging_service.clock import MINUTE, SECOND, Clock, Milliseconds

FIRST_ASKED_AFTER: Milliseconds = 5 * SECOND
ASKED_EVERY: Milliseconds = 1 * MINUTE
_OK = 200
_LONGEST_REASON = 200
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORD = re.compile(r"[A-Z_]{1,24}")
_PLACE = re.compile(r"{{[^{}]+}}")


class CloudPlatform:
    """Speaks to the platform for the accounts that the settings name, each about its own business accounts."""

    knows_all = False

    def __init__(self, access: CloudAccess, clock: Clock) -> None:
        self._access = access
        self._clock = clock

    def belongs(self, waba_id: str, account_id: int) -> bool:
        """Whether the settings give an account this business account."""
        return self._access.owners.get(waba_id) == account_id

    async def create(self, waba_id: str, template: LibraryTemplate) -> NewTemplate:
        """Have the platform make a template. How many values it takes is known once it is approved."""
        wanted = template.model_dump(mode="json", exclude_none=True)
        body = (await self._ask("POST", f"{waba_id}/message_templates", json=wanted)).json()
        if not isinstance(body.get("id"), str) or not _ID.fullmatch(body["id"]):
            raise TemplateRefused("The platform's answer can't be read; the template may be there or not.")
        status = _word(body.get("status"), TemplateStatus.PENDING)
        category = _word(body.get("category"), template.category)
        return NewTemplate(body["id"], status, category, Counts(0, 0, 0), self._clock.now() + FIRST_ASKED_AFTER)

    async def delete(self, waba_id: str, name: str) -> None:
        """Have the platform delete a template in all its languages."""
        await self._ask("DELETE", f"{waba_id}/message_templates", query={"name": name})

    async def verdict(self, template: Mapping[str, Any]) -> Verdict:
        """Ask where the approval is, and what the approved template takes."""
        wanted = {"fields": "status,rejected_reason,components"}
        body = (await self._ask("GET", template["template_id"], query=wanted)).json()
        status = _word(body.get("status"), template["status"])
        reason = str(body.get("rejected_reason") or "")[:_LONGEST_REASON] if status == TemplateStatus.REJECTED else ""
        ask_at = self._clock.now() + ASKED_EVERY if status == TemplateStatus.PENDING else None
        return Verdict(status, reason or None, counts_of(body.get("components")), ask_at)

    async def _ask(self, method: str, path: str, *, json: object = None, query: object = None) -> Reply:
        http = CloudHttp(self._access)
        try:
            reply = await http.request(method, path, json=json, query=query)
        except NotSent:
            raise TemplateRefused("The platform can't be reached; nothing was done.") from None
        except NoReply:
            raise TemplateRefused("The platform didn't answer; it may have done this or not.") from None
        finally:
            await http.close()
        if reply.status != _OK:
            raise TemplateRefused(sentence_of(reply))
        return reply


def _word(told: object, otherwise: str) -> str:
    """Return a status or category as the platform tells it, if it tells one that can be kept."""
    return told if isinstance(told, str) and _WORD.fullmatch(told) else otherwise


def counts_of(components: object) -> Counts:
    """Return how many values a template takes, by its components as the platform tells them."""
    counts = {"BODY": 0, "HEADER": 0, "BUTTONS": 0}
    for component in components if isinstance(components, list) else []:
        if isinstance(component, dict) and component.get("type") in counts:
            counts[component["type"]] += _places(component.get("text")) + _open_buttons(component.get("buttons"))
    return Counts(counts["BODY"], counts["HEADER"], counts["BUTTONS"])


def _open_buttons(buttons: object) -> int:
    given = buttons if isinstance(buttons, list) else []
    return sum(1 for button in given if isinstance(button, dict) and _places(button.get("url")))


def _places(text: object) -> int:
    return len(set(_PLACE.findall(text))) if isinstance(text, str) else 0
