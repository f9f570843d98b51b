"""Bring the automations of the Prefect server to what ``automations.yaml`` declares."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import yaml
from prefect.client.orchestration import PrefectClient, get_client
from prefect.events.schemas.automations import AutomationCore
from prefect.exceptions import ObjectNotFound

from deployments.problems import CannotRun

DECLARATION = Path(__file__).with_name("automations.yaml")


async def apply_automations(notify: Sequence[str] = ()) -> list[str]:
    """Create or update every declared automation; return their names.

    ``notify`` names notification blocks by type and name, such as ``smtp-email/operations``. Without one, automations
    that only tell are left out, and those that are there stay as they are. Raises CannotRun.
    """
    async with get_client() as client:
        blocks = [await _block_id(client, each) for each in notify]
        automations = [made for each in declared() if (made := _automation(each, blocks)) is not None]
        for automation in automations:
            await _put(client, automation)
    return [each.name for each in automations]


def declared() -> list[dict[str, Any]]:
    """Read the declaration."""
    content: dict[str, list[dict[str, Any]]] = yaml.safe_load(DECLARATION.read_text(encoding="utf-8"))
    return content["automations"]


def _automation(values: dict[str, Any], blocks: Sequence[UUID]) -> AutomationCore | None:
    actions = list(values.get("actions", []))
    if values.get("notify"):
        message = {"type": "send-notification", "subject": values["subject"], "body": values["body"]}
        actions += [{**message, "block_document_id": block} for block in blocks]
    if not actions:
        return None
    return AutomationCore.model_validate(
        {
            "name": values["name"],
            "description": values.get("description", ""),
            "tags": ["dovecote"],
            "trigger": values["trigger"],
            "actions": actions,
        }
    )


async def _put(client: PrefectClient, automation: AutomationCore) -> None:
    first, *doubles = [*await client.read_automations_by_name(automation.name), None]
    if first is None:
        await client.create_automation(automation)
        return
    await client.update_automation(first.id, automation)
    for double in doubles:
        if double is not None:
            await client.delete_automation(double.id)


async def _block_id(client: PrefectClient, name: str) -> UUID:
    kind, _, document = name.partition("/")
    try:
        block = await client.read_block_document_by_name(document, kind)
    except ObjectNotFound:
        raise CannotRun(
            f"There is no block {name!r}; name it by type and name, such as smtp-email/operations. Create it in "
            "Prefect under Blocks."
        ) from None
    return block.id
