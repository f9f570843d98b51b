"""Every flow is deployed by ``prefect deploy`` to a pool of a real Prefect server, and the automations beside it."""

import asyncio
import importlib
import json
import pkgutil
import uuid

import pytest
from builders import SOCKETS_OF_PREFECT
from operations import remove_automations
from prefect import Flow
from prefect.client.collections import get_collections_metadata_client
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate, WorkPoolCreate
from prefect.client.schemas.schedules import CronSchedule
from prefect.utilities.schema_tools.validation import is_valid
from prefect.utilities.templating import apply_values
from work_pools import deploy, deployments_of, in_the_client, new_pool, remove_pool

import flows
from deployments.automations.applying import apply_automations, declared
from deployments.declared import declared_deployments, keep_added_schedules
from deployments.problems import CannotRun
from flows.email_block import SmtpEmail

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(500)]


@pytest.fixture
def pool(prefect, request):  # noqa: ARG001  (where it is made)
    """The name of a new pool."""
    with new_pool(getattr(request, "param", "process")) as name:
        yield name


@pytest.mark.parametrize("pool", ["process", "docker", "kubernetes"], indirect=True)
def test_every_flow_is_deployed_to_a_pool_of_any_kind_by_one_variable(prefect, pool):
    done = deploy(prefect, pool)

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found = {one.entrypoint: one for one in deployments_of(pool)}
    assert set(found) == {each.entrypoint for each in declared_deployments()}
    assert {one.name for one in found.values()} == {"dovecote"}
    inbox = found["flows.inbox.poll_inbox"]
    assert inbox.parameters == {"inbox": {"account": "main"}}
    assert [(each.schedule.cron, each.schedule.timezone) for each in inbox.schedules] == [("*/5 * * * *", "UTC")]
    assert (inbox.global_concurrency_limit.limit, inbox.concurrency_options.collision_strategy) == (1, "CANCEL_NEW")
    assert "run-again" in inbox.tags
    assert inbox.description.startswith("Handles what people wrote")


@pytest.mark.parametrize("entrypoint", ["flows.campaign.send_campaign", "flows.inbox.poll_inbox"])
@pytest.mark.parametrize("slug", [None, "by-hand"])
def test_a_schedule_that_a_person_added_is_kept_when_the_flows_are_served_again(prefect, entrypoint, slug):  # noqa: ARG001
    declared = next(each for each in declared_deployments() if each.entrypoint == entrypoint)
    added = DeploymentScheduleCreate(
        schedule=CronSchedule(cron="0 9 24 12 *", timezone="Europe/Prague"), parameters={"mine": 1}, slug=slug
    )

    async def serve():
        deployment = await declared.served(f"again-{slug}", scheduled=True)
        await keep_added_schedules(deployment)
        return await deployment.aapply()

    async def added_by_hand_and_served_again():
        async with get_client() as client:
            await client.create_deployment_schedules(await serve(), [added])
            await serve()
            deployment_id = await serve()
            found = await client.read_deployment_schedules(deployment_id)
            await client.delete_deployment(deployment_id)
            return found

    found = {each.schedule.cron: each for each in asyncio.run(added_by_hand_and_served_again())}

    assert set(found) == {"0 9 24 12 *"} | {each["cron"] for each in declared.values.get("schedules", [])}
    kept = found["0 9 24 12 *"]
    assert (kept.schedule.timezone, kept.parameters, kept.slug, kept.active) == (
        "Europe/Prague",
        {"mine": 1},
        slug,
        True,
    )


IMAGE = "registry.example.com/dovecote:1"
WHERE_THE_IMAGE_STANDS = {
    "docker": lambda job: job["image"],
    "kubernetes": lambda job: job["job_manifest"]["spec"]["template"]["spec"]["containers"][0]["image"],
}


async def template_of(kind):
    """Prefect's own template for the jobs of such a pool, with an image that has Dovecote installed."""
    async with get_collections_metadata_client() as client:
        packages = await client.read_worker_metadata()
    (template,) = [workers[kind]["default_base_job_configuration"] for workers in packages.values() if kind in workers]
    template["variables"]["properties"]["image"]["default"] = IMAGE
    return template


@pytest.mark.parametrize("kind", WHERE_THE_IMAGE_STANDS)
def test_the_jobs_of_containers_are_whole_when_the_pool_names_an_image(prefect, kind):
    name, template = f"pool-{uuid.uuid4().hex[:8]}", asyncio.run(template_of(kind))
    wanted = WorkPoolCreate(name=name, type=kind, base_job_template=template)
    in_the_client(lambda client: client.create_work_pool(wanted))

    done = deploy(prefect, name)

    assert done.returncode == 0, done.stderr[-3000:]
    for each in deployments_of(name):
        assert is_valid(each.job_variables, template["variables"])
        job = apply_values(template["job_configuration"], defaults_of(template) | each.job_variables)
        assert WHERE_THE_IMAGE_STANDS[kind](job) == IMAGE
        assert "{{" not in json.dumps(job)
    remove_pool(name)


def defaults_of(template):
    return {name: one["default"] for name, one in template["variables"]["properties"].items() if "default" in one}


def test_deployed_again_nothing_is_doubled(prefect, pool):
    deploy(prefect, pool)

    done = deploy(prefect, pool)

    assert done.returncode == 0
    assert len(deployments_of(pool)) == len(declared_deployments())
    assert all(len(one.schedules) <= 1 for one in deployments_of(pool))


def test_every_flow_of_the_package_is_declared():
    modules = [each.name for each in pkgutil.iter_modules(flows.__path__) if not each.ispkg]
    there = {
        f"flows.{module}.{name}"
        for module in modules
        for name, value in vars(importlib.import_module(f"flows.{module}")).items()
        if isinstance(value, Flow) and value.fn.__module__ == f"flows.{module}"
    }

    assert {each.entrypoint for each in declared_deployments()} == there


def test_every_deployment_says_what_it_does_and_how_many_run_at_once():
    for each in declared_deployments():
        assert each.values["description"].endswith(".")
        assert each.values["concurrency_limit"]["collision_strategy"] in {"CANCEL_NEW", "ENQUEUE"}
        assert "dovecote" in each.values["tags"]
        assert all(schedule["timezone"] for schedule in each.values.get("schedules", []))


def test_a_machine_serves_what_is_declared():
    async def serve():
        return [await each.served("here", scheduled=True) for each in declared_deployments()]

    made = {one.entrypoint: one for one in asyncio.run(serve())}

    assert made["flows.credit.watch_credit"].parameters == {"watch": {"account": "main"}}
    assert made["flows.credit.watch_credit"].schedules[0].active
    assert made["flows.campaign.send_campaign"].concurrency_limit == 4


def test_automations_are_what_is_declared_also_the_second_time(prefect):  # noqa: ARG001
    name = f"operations-{uuid.uuid4().hex[:6]}"
    SmtpEmail(host="127.0.0.1", security="none", sender="a@example.com", recipients=["b@example.com"]).save(name)

    asyncio.run(apply_automations())
    names = asyncio.run(apply_automations([f"smtp-email/{name}"]))

    assert names == [each["name"] for each in declared()]
    for each in names:
        (found,) = in_the_client(lambda client, each=each: client.read_automations_by_name(each))
        assert found.enabled
    asyncio.run(remove_automations())


def test_a_block_that_is_not_there_is_told(prefect):  # noqa: ARG001
    with pytest.raises(CannotRun, match="There is no block 'smtp-email/nowhere'"):
        asyncio.run(apply_automations(["smtp-email/nowhere"]))


def test_the_declaration_names_every_automation_once():
    names = [each["name"] for each in declared()]

    assert len(set(names)) == len(names)
    assert all(each.get("actions") or each.get("notify") for each in declared())
