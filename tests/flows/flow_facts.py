"""What a flow left at the Prefect server: artifacts, events, states."""

import asyncio
import json

import httpx
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey


def artifact_data(key: str) -> str:
    async def read() -> str:
        async with get_client() as client:
            found = await client.read_artifacts(artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=[key])))
        return found[-1].data if len(found) == 1 else max(found, key=lambda one: one.created).data

    return asyncio.run(read())


def forget_deployments() -> None:
    """Delete what other tests have deployed to their Prefect server."""

    async def forget() -> None:
        async with get_client() as client:
            for one in await client.read_deployments():
                await client.delete_deployment(one.id)

    asyncio.run(forget())


def table_of(key: str) -> list[dict]:
    return json.loads(artifact_data(key))


def events_about(server: str, resource: str, at_least: int) -> list[dict]:
    """The events about a resource, as soon as there are so many."""
    wanted = {"filter": {"any_resource": {"id": [resource]}}, "limit": 50}

    async def read() -> list[dict]:
        async with httpx.AsyncClient(timeout=30) as client:
            for _ in range(600):
                found = (await client.post(f"{server}/events/filter", json=wanted)).json()["events"]
                if len(found) >= at_least:
                    return found
                await asyncio.sleep(0.1)
        raise TimeoutError(f"{len(found)} events about {resource}")

    return asyncio.run(read())
