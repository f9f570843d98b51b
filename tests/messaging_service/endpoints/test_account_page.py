"""``docs/account.md`` says what works: its commands are run, one after the other."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from running_service import run_service

PAGE = Path(__file__).parents[3] / "docs" / "account.md"
CURL = re.compile(r"^curl .*?[^\\]$", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")
def test_every_command_of_the_page_succeeds(tmp_path):
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    commands = [command for block in blocks for command in CURL.findall(block)]

    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, smtp_host="127.0.0.1") as service:
        environment = os.environ | {"KEY": service.key, "REST": f"{service.url}/v1"}
        answers = [
            subprocess.run(["bash", "-c", command], env=environment, capture_output=True, check=True).stdout
            for command in commands
        ]

    assert len(commands) == 11
    assert [
        command for command, answer in zip(commands, answers, strict=True) if not json.loads(answer)["success"]
    ] == []
