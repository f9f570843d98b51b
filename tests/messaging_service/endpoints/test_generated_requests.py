"""Whatever the OpenAPI document allows, and much that it doesn't, is answered as it says, and never with a 500.

A few hundred cases; ``GENERATED_CASES=5000`` in the environment generates that many, other ones each time.
"""

import json
import os
from collections.abc import Iterator
from math import ceil
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from running_service import RunningService, run_service
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from interface.calls import CALLS, KEY_HEADER
from messaging_service.endpoints.documentation import DESCRIBED_PAGES
from messaging_service.endpoints.openapi import describe

EXAMPLES = Path(__file__).parents[3] / "examples"
CASES = os.environ.get("GENERATED_CASES", "")
A_FEW = 5
"""Cases an operation in the short form, besides those that schemathesis derives from the bounds of each field."""

document = describe(CALLS, DESCRIBED_PAGES)
schema = schemathesis.openapi.from_dict(document)
operations = sum(len(item) for item in document["paths"].values())


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with everything set up, so that nothing has to be answered with a 503."""
    folder = tmp_path_factory.mktemp("generated")
    everything = {"issuer": EXAMPLES / "issuer.toml", "demo_segments": EXAMPLES / "segments"}
    everything |= {"smtp_host": "127.0.0.1", "smtp_port": 9}
    with run_service(f"sqlite:///{folder}/dovecote.db", folder, **everything) as service:
        yield service


@schemathesis.serializer("application/jsonl", "application/gzip")
def as_it_is(_context, value):
    """Write the body of an upload, which is bytes to the service."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@pytest.fixture(scope="module")
def answered(pytestconfig: pytest.Config) -> Iterator[list[int]]:
    """The statuses of all answers, told at the end (shown with ``-s``)."""
    statuses: list[int] = []
    yield statuses
    counted = {status: statuses.count(status) for status in sorted(set(statuses))}
    told = f"{len(statuses)} generated requests; answers by status: {counted}"
    pytestconfig.get_terminal_writer().line(f"\n{told}")


@schema.parametrize()
@settings(
    max_examples=ceil(int(CASES) / operations) if CASES else A_FEW,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=not CASES,
    database=None,
)
def test_generated_requests_are_answered_as_described(case, running, answered):
    answer = case.call(base_url=running.url, headers={KEY_HEADER: running.key})
    answered.append(answer.status_code)
    case.validate_response(
        answer,
        checks=[
            not_a_server_error,
            status_code_conformance,
            content_type_conformance,
            response_headers_conformance,
            response_schema_conformance,
        ],
    )
