"""Whatever the OpenAPI document allows, the service answers as the document says, and never with a 500."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from running_service import RunningService, run_service
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from interface.calls import CALLS, KEY_HEADER
from messaging_service.endpoints.openapi import describe

schema = schemathesis.openapi.from_dict(describe(CALLS, {}))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("generated")
    with run_service(f"sqlite:///{folder}/dovecote.db", folder) as service:
        yield service


@schema.parametrize()
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_generated_requests_are_answered_as_described(case, running):
    case.call_and_validate(
        base_url=running.url,
        headers={KEY_HEADER: running.key},
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_schema_conformance,
        ],
    )
