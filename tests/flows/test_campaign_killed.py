"""The flow's process is killed or stopped at random moments and started again: everybody has exactly one message."""

import os
import random
import signal
import time

import pytest
from builders import SOCKETS_OF_PREFECT, number
from forked_flow import ForkedFlow
from provider_program import provider_program
from sqlalchemy import update

from flows.blocks import MessagingAccount
from flows.ledger import find_campaign, open_ledger, outstanding, totals
from flows.ledger.tables import waves
from flows.parameters import Campaign

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(400)]

RECIPIENTS = 2000
ENDS = (signal.SIGKILL, signal.SIGTERM)


class Runs:
    """Starts and kills processes that run one campaign."""

    def __init__(self, prefect, ledger_address, provider):
        self.log = provider.log.with_suffix(".flow")
        people = [{"phone": number(index), "name": f"P{index}"} for index in range(RECIPIENTS)]
        self.parameters = Campaign(name="Killed", text="Hello {name}", recipients=people, account="killed")
        self.environment = {**os.environ, "PREFECT_API_URL": prefect, "DOVECOTE_LEDGER": ledger_address}
        self.ledger_address = ledger_address
        self.provider = provider

    def start(self):
        asked = {"campaign": self.parameters.model_dump(mode="json")}
        return ForkedFlow("flows.campaign:send_campaign", asked, self.environment, self.log)

    def stop_while_sending(self, how):
        process = self.start()
        before = self.provider.copies.total()
        while self.provider.copies.total() == before and process.poll() is None:
            time.sleep(0.02)
        time.sleep(random.uniform(0, 0.3))
        process.send_signal(how)
        process.wait()
        self.let_the_lease_end()

    def let_the_lease_end(self):
        book = open_ledger(self.ledger_address)
        with book.write() as connection:
            connection.execute(update(waves).values(lease_until=0))
        book.close()

    def finish(self):
        assert self.start().wait(180) == 0, self.log.read_text()[-4000:]


@pytest.fixture
def runs(request, prefect, tmp_path, ledger_address):
    settings = {"PROVIDER_HONOURS_KEY": str(int(request.param)), "PROVIDER_SECONDS_A_SEND": "0.06"}
    with provider_program(tmp_path / "log", settings) as provider:
        MessagingAccount(
            api_key="secret-key",
            messaging_url=f"{provider.address}/v2",
            rest_url=f"{provider.address}/v1",
            honours_idempotency_key=request.param,
            appears_within_seconds=2,
        ).save("killed", overwrite=True)
        yield Runs(prefect, ledger_address, provider)


def results(ledger_address):
    book = open_ledger(ledger_address)
    campaign = find_campaign(book, "Killed")
    counted, left = totals(book, campaign.id).by_result, outstanding(book, campaign.id)
    book.close()
    return counted, left


EVERYBODY_ONCE = {number(index): 1 for index in range(RECIPIENTS)}
ON_BOTH = pytest.mark.parametrize(
    ("ledger_address", "runs"),
    [("sqlite", True), ("postgresql", False)],
    ids=["SQLite, provider that honours keys", "PostgreSQL, provider that knows no keys"],
    indirect=True,
)


@ON_BOTH
def test_killed_and_stopped_at_random_moments_everybody_gets_one_message(runs, ledger_address):
    for end in ENDS:
        runs.stop_while_sending(end)

    runs.finish()

    assert runs.provider.copies == EVERYBODY_ONCE
    assert results(ledger_address) == ({"delivered": RECIPIENTS}, [])


@ON_BOTH
def test_started_twice_at_once_everybody_gets_one_message(runs, ledger_address):
    both = [runs.start(), runs.start()]

    codes = [process.wait(180) for process in both]

    assert codes == [0, 0]
    assert runs.provider.copies == EVERYBODY_ONCE
    assert results(ledger_address) == ({"delivered": RECIPIENTS}, [])
