"""The deployments that ``prefect.yaml`` declares, for a machine that serves the flows itself."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate
from prefect.client.schemas.objects import ConcurrencyLimitConfig, ConcurrencyLimitStrategy
from prefect.deployments.runner import RunnerDeployment
from prefect.exceptions import ObjectNotFound
from prefect.flows import load_flow_from_entrypoint
from prefect.schedules import Cron, Schedule
from prefect.types.entrypoint import EntrypointType

DECLARATION = Path(__file__).with_name("prefect.yaml")


@dataclass(frozen=True, slots=True)
class Declared:
    """One deployment, as it is declared."""

    entrypoint: str
    values: dict[str, Any]

    async def served(self, name: str, *, scheduled: bool) -> RunnerDeployment:
        """Make it one that a runner on this machine serves; its schedules are active where that is wanted."""
        flow: Any = load_flow_from_entrypoint(self.entrypoint)
        limit = self.values["concurrency_limit"]
        deployment: RunnerDeployment = await flow.ato_deployment(
            name,
            description=self.values["description"],
            tags=self.values["tags"],
            parameters=self.values.get("parameters", {}),
            schedules=[_schedule(each, active=scheduled) for each in self.values.get("schedules", [])],
            concurrency_limit=ConcurrencyLimitConfig(
                limit=limit["limit"], collision_strategy=ConcurrencyLimitStrategy(limit["collision_strategy"])
            ),
            entrypoint_type=EntrypointType.MODULE_PATH,
        )
        return deployment


def declared_deployments() -> list[Declared]:
    """Read the declaration, in its order."""
    declaration = yaml.safe_load(DECLARATION.read_text(encoding="utf-8"))
    return [Declared(each["entrypoint"], each) for each in declaration["deployments"]]


async def keep_added_schedules(deployment: RunnerDeployment) -> None:
    """Take over the schedules that people have added at the server, which registering would otherwise delete."""
    async with get_client() as client:
        try:
            there = await client.read_deployment_by_name(deployment.full_name)
        except ObjectNotFound:
            return
    declared = deployment.schedules or []
    slugs = {each.slug for each in declared}
    added = [
        DeploymentScheduleCreate(
            schedule=each.schedule,
            active=each.active,
            max_scheduled_runs=each.max_scheduled_runs,
            parameters=each.parameters,
            slug=each.slug,
        )
        for each in there.schedules
        if each.slug is None or each.slug not in slugs
    ]
    deployment.schedules = [*declared, *added]


def _schedule(values: dict[str, Any], *, active: bool) -> Schedule:
    return Cron(values["cron"], timezone=values["timezone"], slug=values["slug"], active=active)
