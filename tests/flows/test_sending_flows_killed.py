"""Every flow that sends is killed at random moments and run again: everybody has exactly one message, and it is known.

``RANDOM_KILLS=50 pytest -s`` is the long form; ``RANDOM_SEED`` repeats the moments of a run that failed.
"""

import itertools
import os
import random
import uuid
from collections import Counter
from dataclasses import dataclass, field

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_process import FlowProcess
from sending_flows import SENDING_FLOWS, Stage, stage_on_the_service, stage_without_keys

KILLS = int(os.environ.get("RANDOM_KILLS", "2"))
SEED = os.environ.get("RANDOM_SEED") or uuid.uuid4().hex[:8]
A_RUN_SECONDS, SENDING_SECONDS = 3.0, 0.5
"""About how long a run works that nobody kills, and how long of that it sends: half of the kills fall on the latter."""

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(240 + 60 * KILLS)]


@pytest.fixture
def stage(request, prefect, ledger_address, tmp_path, monkeypatch):  # noqa: ARG001  (where the blocks are)
    monkeypatch.setenv("DOVECOTE_LEDGER", ledger_address)
    with request.param(ledger_address, f"killed-{uuid.uuid4().hex[:6]}", tmp_path) as opened:
        yield opened


@dataclass
class Killer:
    """Kills flows' processes at random moments; ``kills`` counts how much had been sent by then."""

    stage: Stage
    environment: dict[str, str]
    moments: random.Random
    kills: Counter[str] = field(default_factory=Counter)

    def run_to_the_end(self, work, log):
        """Run the flow again and again until it isn't killed any more."""
        process = FlowProcess(work.flow, work.parameters, self.environment, log)
        while (code := self._run(process, work)) < 0:
            self.kills[self._how_much_was_sent(work)] += 1
            self.stage.let_leases_end()
        assert code == 0, log.read_text()[-4000:]

    def _run(self, process, work):
        if self.kills.total() == KILLS:
            return process.run()
        before = self.stage.taken(work.mark).total()
        since, longest = self.moments.choice(
            [(process.begun, A_RUN_SECONDS), (lambda: self.stage.taken(work.mark).total() > before, SENDING_SECONDS)]
        )
        return process.run_and_kill(since, self.moments.uniform(0, longest))

    def _how_much_was_sent(self, work):
        left = work.each * len(work.people) - self.stage.taken(work.mark).total()
        return "all" if left == 0 else "nothing" if left == len(work.people) else "some"


@pytest.mark.parametrize("make_work", SENDING_FLOWS.values(), ids=SENDING_FLOWS)
@pytest.mark.parametrize(
    ("ledger_address", "stage"),
    [("sqlite", stage_on_the_service), ("postgresql", stage_without_keys)],
    ids=["SQLite, Dovecote's service", "PostgreSQL, provider that knows no keys"],
    indirect=True,
)
def test_killed_at_random_moments_everybody_has_one_message(stage, make_work, prefect, tmp_path):
    environment = {"PREFECT_API_URL": prefect, "DOVECOTE_LEDGER": stage.ledger}
    killer = Killer(stage, environment, random.Random(SEED))
    print(f"RANDOM_SEED={SEED}")  # noqa: T201 - shown when it fails

    for number in itertools.count(1):
        work = make_work(stage, f"round-{number}")
        killer.run_to_the_end(work, tmp_path / f"round-{number}.log")
        assert work.outcome(stage) == work.done
        if killer.kills.total() == KILLS:
            break

    print(f"{KILLS} kills in {number} rounds; sent by then: {dict(killer.kills)}")  # noqa: T201
