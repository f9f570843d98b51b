"""A service as ``dovecote serve`` runs it, for the commands that call it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from dovecote_processes import ADDRESS, KEY, Dovecote


@pytest.fixture
def dovecote(tmp_path: Path) -> Dovecote:
    return Dovecote(tmp_path)


@dataclass
class Service:
    """A running service; ``environment`` is what `dovecote send` needs to call it."""

    command: Dovecote
    address: str
    key: str
    introduction: str

    @property
    def environment(self) -> dict[str, str]:
        return {"DOVECOTE_ADDRESS": self.address, "DOVECOTE_API_KEY": self.key}

    def run(self, *arguments, **environment):
        return self.command.run(*arguments, **(self.environment | environment))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    command = Dovecote(tmp_path_factory.mktemp("service"))
    with command.started("serve", "--port", 0, DOVECOTE_API_PROCESSES="1") as running:
        introduction = running.wait_for("simulated operator")
        address, key = ADDRESS.search(introduction), KEY.search(introduction)
        assert address, introduction
        assert key, introduction
        yield Service(command, address[0], key[0], introduction)
