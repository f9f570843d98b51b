"""The flow ``apply_templates``: a folder of files says which chat-app templates there are."""

import asyncio
from typing import Annotated

from prefect import flow
from prefect.artifacts import acreate_table_artifact
from pydantic import BaseModel, ConfigDict, Field

from flows import events
from flows.connections import load_account, opened_ledger, provider_of
from flows.ledger.templates import Shelf
from flows.parameters import Name
from flows.planning.tags import slug
from flows.problems import SettingsProblem
from flows.sending.work import turn
from flows.tasks.templates import Librarian, create_template, delete_template, list_templates
from flows.template_files import Changes, WantedTemplate, changes, read_folder
from interface.chat_templates import ChatTemplate, TemplateStatus, WabaId

CHANGED, REJECTED = "dovecote.templates.changed", "dovecote.template.rejected"


class Templates(BaseModel):
    """Which folder, for which business account, and what may be deleted."""

    model_config = ConfigDict(frozen=True)

    account: Name = Field(
        default="main",
        title="Account",
        description="Name of the block 'Messaging Account'.",
        examples=["main"],
    )
    waba_id: WabaId = Field(
        title="Business account", description="The platform's id of it.", examples=["102290129340398"]
    )
    folder: Annotated[str, Field(min_length=1, max_length=1000)] = Field(
        title="Folder",
        description="Path of a folder with a YAML or JSON file for each template and language: name, language, "
        "category, library_template_name, library_template_button_inputs.",
        examples=["/srv/templates"],
    )
    delete: bool = Field(
        default=False,
        title="Delete those without a file",
        description="Only templates that this flow created; others are never deleted.",
    )
    replace: bool = Field(
        default=False,
        title="Replace changed ones",
        description="Delete a template whose files changed, and create it anew. Platforms keep the name of a deleted "
        "template taken for weeks: better give the changed one a new name.",
    )
    only_show: bool = Field(default=False, title="Only show what would be done", description="Change nothing.")


class TemplatesReport(BaseModel):
    """Names of templates by what was done; ``changed`` are those whose files changed and which were left."""

    model_config = ConfigDict(frozen=True)

    account: str
    created: list[str]
    replaced: list[str]
    deleted: list[str]
    kept: list[str]
    changed: list[str]
    without_file: list[str]
    rejected: list[str] = Field(description="Of those with a file, by the platform.")


@flow(name="apply-templates", flow_run_name="templates-of-{templates.account}", persist_result=False)
async def apply_templates(templates: Templates) -> TemplatesReport:
    """Create and delete chat-app templates until the provider has those of a folder. Started again, it goes on.

    Args:
        templates: Which folder, for which business account, and what may be deleted.

    """
    account = await load_account(templates.account)
    wanted = await asyncio.to_thread(read_folder, templates.folder)
    async with (
        opened_ledger(account) as book,
        provider_of(account) as provider,
        turn(book, f"the templates of {templates.account}"),
    ):
        librarian = Librarian(Shelf(book, templates.account, templates.waba_id), provider)
        listed = await list_templates(librarian)
        known = await asyncio.to_thread(librarian.shelf.known)
        there = None if listed is None else [(one.name, one.language) for one in listed]
        to_do = changes(wanted, known, there)
        report = report_of(templates, to_do, rejected_of(wanted, listed or []))
        await publish(report, listed or [])
        if not templates.only_show:
            await apply(librarian, wanted, to_do, templates)
            await announce(report)
    if report.changed and not templates.only_show:
        raise SettingsProblem(
            f"The files of {', '.join(report.changed)} changed. Give the changed templates new names, or allow to "
            "replace them; everything else was done."
        )
    return report


async def apply(librarian: Librarian, wanted: dict[str, WantedTemplate], to_do: Changes, templates: Templates) -> None:
    """Do it: deletions first, so that a name is free."""
    if templates.delete:
        for name in to_do.delete:
            await delete_template(librarian, name)
    for name, languages in to_do.create.items():
        await create_template(librarian, wanted[name], languages)
    if templates.replace:
        for name in to_do.replace:
            await delete_template(librarian, name)
            await create_template(librarian, wanted[name], sorted(wanted[name].languages))


def rejected_of(wanted: dict[str, WantedTemplate], listed: list[ChatTemplate]) -> list[str]:
    """Name those with a file that the platform rejected."""
    return sorted({one.name for one in listed if one.name in wanted and one.status == TemplateStatus.REJECTED})


def report_of(templates: Templates, to_do: Changes, rejected: list[str]) -> TemplatesReport:
    """Sort the names by what is done about them."""
    return TemplatesReport(
        account=templates.account,
        created=sorted(to_do.create),
        replaced=list(to_do.replace) if templates.replace else [],
        deleted=list(to_do.delete) if templates.delete else [],
        kept=list(to_do.kept),
        changed=[] if templates.replace else list(to_do.replace),
        without_file=[] if templates.delete else list(to_do.delete),
        rejected=rejected,
    )


async def publish(report: TemplatesReport, listed: list[ChatTemplate]) -> None:
    """Leave a table of what is done, and of where the approvals are."""
    kinds = ("created", "replaced", "deleted", "kept", "changed", "without_file")
    rows: list[dict[str, str]] = [
        {"template": name, "language": "all", "what": kind.replace("_", " "), "reason": ""}
        for kind in kinds
        for name in getattr(report, kind)
    ]
    rows += [
        {"template": one.name, "language": one.language, "what": one.status.lower(), "reason": one.reason or ""}
        for one in listed
    ]
    key = f"templates-{slug(report.account)}"
    await acreate_table_artifact(rows, key=key, description=f"Templates of {report.account}")


async def announce(report: TemplatesReport) -> None:
    """Tell automations what was changed, and of each template that the platform rejected."""
    resource = f"dovecote.account.{report.account}"
    told = [
        events.event(REJECTED, resource, report.account, {"template": name}, once=f"{report.account}:{name}")
        for name in report.rejected
    ]
    if report.created or report.replaced or report.deleted:
        told.append(events.event(CHANGED, resource, report.account, report.model_dump(mode="json")))
    await events.tell(told)
