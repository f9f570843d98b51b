"""Fixtures of the verification tests: the running service, and a second process that answers calls on its store."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import pytest
from running_service import RunningService, _serving, run_service

from messaging_service.application import Application
from messaging_service.settings import Role
from messaging_service.store.engine import open_store

NO_LIMITS = {
    f"verification_{name}": 0
    for name in ("starts_per_account", "starts_per_number", "pause", "starts_per_country", "starts_per_prefix")
} | {"verification_pumping_starts": 0}


@pytest.fixture
def unlimited(store_url: str, tmp_path: Path) -> Iterator[RunningService]:
    """The running service without limits on starts."""
    with run_service(store_url, tmp_path, **NO_LIMITS) as running:
        yield running


@pytest.fixture
def second(service: RunningService) -> Iterator[RunningService]:
    """A second server on the service's store, with connections and everything in memory of its own."""
    settings = service.settings.model_copy(update={"role": Role.API})
    with (
        closing(open_store(settings.database)) as store,
        _serving(Application(settings, store, service.clock)) as url,
        ExitStack() as to_close,
    ):
        yield replace(service, url=url, store=store, settings=settings, _to_close=to_close)
