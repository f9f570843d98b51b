"""Flow runs of waves: scheduled for their moment, each once, by the deployment that sends waves."""

import asyncio
from datetime import UTC, datetime
from uuid import UUID

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    FlowRunFilterTags,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.deployments.flow_runs import arun_deployment
from prefect.exceptions import ObjectNotFound
from prefect.runtime import deployment as own_deployment
from prefect.runtime import flow_run as own_run
from prefect.states import Cancelled

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign, PlannedWave, Wave
from flows.planning.tags import campaign_run_tag
from flows.problems import SettingsProblem

WAVE_FLOW = "send-wave"


async def schedule_wave(book: Ledger, campaign: PlannedCampaign, wave: PlannedWave) -> FlowRun:
    """Let a flow run send the wave when it opens; asked for again, it is the same run.

    Raises `SettingsProblem` when no deployment sends waves.
    """
    deployment = await _wave_deployment()
    key = f"{campaign.id}-wave-{wave.number}-{round(wave.opens_at or 0)}"
    run = await _run(deployment, campaign, wave, key)
    if own_run.id == str(run.id) or _failed(run):
        run = await _run(deployment, campaign, wave, f"{key}-after-{own_run.id}")
    await asyncio.to_thread(ledger.record_run, book, campaign.id, wave.number, str(run.id))
    return run


async def is_left_to_its_run(wave: Wave) -> bool:
    """Whether the flow run scheduled for a wave will send it, or a person cancelled that run."""
    if wave.run_id is None or wave.run_id == own_run.id:
        return False
    async with get_client() as client:
        try:
            run = await client.read_flow_run(UUID(wave.run_id))
        except ObjectNotFound:
            return False
    return run.state is None or not run.state.is_final() or run.state.is_cancelled()


async def cancel_scheduled_waves(campaign: PlannedCampaign) -> int:
    """Cancel the flow runs of waves that wait for their time, and count them."""
    waiting = FlowRunFilter(
        tags=FlowRunFilterTags(all_=[campaign_run_tag(campaign.name)]),
        state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED])),
    )
    async with get_client() as client:
        # The tag alone may be that of another campaign, too.
        runs = [
            one
            for one in await client.read_flow_runs(flow_run_filter=waiting)
            if one.parameters.get("campaign_id") == campaign.id
        ]
        for run in runs:
            await client.set_flow_run_state(run.id, Cancelled(message="The campaign was cancelled."), force=True)
    return len(runs)


async def _run(deployment: UUID, campaign: PlannedCampaign, wave: PlannedWave, key: str) -> FlowRun:
    return await arun_deployment(
        deployment,
        parameters={
            "campaign": campaign.name,
            "campaign_id": campaign.id,
            "wave": wave.number,
            "account": campaign.settings.account,
        },
        scheduled_time=datetime.fromtimestamp(wave.opens_at, UTC) if wave.opens_at else None,
        flow_run_name=f"{campaign.name}: wave {wave.number}",
        timeout=0,
        tags=[campaign_run_tag(campaign.name)],
        idempotency_key=key,
        as_subflow=False,
    )


def _failed(run: FlowRun) -> bool:
    return run.state is not None and (run.state.is_failed() or run.state.is_crashed())


async def _wave_deployment() -> UUID:
    async with get_client() as client:
        found = await client.read_deployments(flow_filter=FlowFilter(name=FlowFilterName(any_=[WAVE_FLOW])))
    beside = [one for one in found if one.name == own_deployment.name]
    chosen = beside or found
    if len(chosen) == 1:
        return chosen[0].id
    if not chosen:
        raise SettingsProblem(
            "Some recipients are to be written to later, and no deployment of the flow 'send-wave' would do that; "
            "serve the flows with 'dovecote up', or deploy them."
        )
    names = ", ".join(sorted(one.name for one in chosen))
    raise SettingsProblem(
        f"Several deployments send waves ({names}), and none has the name of this run's; start the campaign from a "
        "deployment of the same name as one of them."
    )
