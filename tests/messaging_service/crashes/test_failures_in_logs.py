"""What failed is logged with where it failed, never with what it was working on."""

import subprocess
import sys

import pytest

FAILS = """
import sys
import structlog
from messaging_service.running import logs

def work(text, phone_number):
    raise RuntimeError("the store is away")

logs.configure(sys.argv[1], "info")
try:
    work("a marked text", "420777123456")
except RuntimeError:
    structlog.get_logger("step").exception("step.failed", step="process")
"""


@pytest.mark.parametrize("log_format", ["human", "json"])
def test_a_failure_shows_its_place_and_not_its_data(log_format):
    logged = subprocess.run(
        [sys.executable, "-c", FAILS, log_format], capture_output=True, text=True, check=True
    ).stderr

    assert "the store is away" in logged
    assert "work" in logged
    assert "a marked text" not in logged.replace('work("a marked text", "420777123456")', "")
    assert "phone_number" not in logged
