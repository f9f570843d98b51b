"""The channel flow in real processes: killed while the times of steps end, each step goes out and is paid once."""

import os
import signal
from contextlib import closing

import pytest
from bench import Bench
from service_process import serving, wait_until
from sqlalchemy import func, select, text

from messaging_service.accounts.money import UNIT
from messaging_service.channels.simulated import log as operator_log
from messaging_service.store.engine import open_store
from messaging_service.store.tables import messages, wallets

pytestmark = pytest.mark.timeout(180)
KEY = "the-key-of-the-flows-killed-0001"
SILENT = [f"4206{number:04}9003" for number in range(100, 400)]
"""Telephones that take everything and never confirm."""
FLOW = [{"viber": {"sender": "Dove", "ttl": 0.5}}, {"sms": {}}]
CREDIT = 5000


def on_step(store, flow_index):
    """Return how many messages the operator has taken on a step."""
    with store.reading() as connection:
        question = select(func.count()).where(messages.c.state == "sent", messages.c.flow_index == flow_index)
        return connection.execute(question).scalar_one()


def let_the_time_end(store):
    """Do as if the service had been away for longer than the steps have."""
    with store.writing() as connection:
        connection.execute(messages.update().values(expires_at=1))
        connection.execute(messages.update().where(messages.c.due_at.is_not(None)).values(due_at=1))


def test_a_service_killed_while_times_end_sends_and_charges_each_step_once(tmp_path):
    settings = {"database": f"sqlite:///{tmp_path}/dovecote.db", "api_key": KEY, "credit": str(CREDIT)}
    log = tmp_path / "service.log"
    with serving(log, **settings) as service, service.client(KEY) as client:
        for first in range(0, len(SILENT), 100):
            calls = [
                {"to": [{"phone_number": number} for number in SILENT[start : start + 10]], "body": "Hi", "flow": FLOW}
                for start in range(first, first + 100, 10)
            ]
            client.post("/v2/messages", json=calls).raise_for_status()
        with closing(open_store(settings["database"])) as store:
            wait_until(lambda: on_step(store, 0) == len(SILENT))

    with closing(open_store(settings["database"])) as store:
        let_the_time_end(store)
        with serving(log, **settings) as service:
            wait_until(lambda: on_step(store, 0) < len(SILENT))
            os.kill(wait_until(service.worker), signal.SIGKILL)
            wait_until(lambda: on_step(store, 1) == len(SILENT))

        assert_each_step_once(store, f"sqlite:///{tmp_path}/operator.db")


def assert_each_step_once(store, operator_database):
    with closing(open_store(operator_database)) as records:
        bench = object.__new__(Bench)
        bench.store, bench.records = store, records
        with records.reading() as connection:
            taken = connection.execute(select(operator_log.taken.c.phone_number, operator_log.taken.c.channel)).all()
        with store.reading() as connection:
            balance = connection.execute(select(func.sum(wallets.c.balance))).scalar_one()
            charged = connection.execute(select(func.sum(messages.c.charged))).scalar_one()
            counted = connection.execute(
                text("SELECT channel, sum(messages) FROM daily_charges GROUP BY channel ORDER BY channel")
            ).all()
        assert sorted(map(tuple, taken)) == sorted(
            (number, channel) for number in SILENT for channel in ("sms", "viber")
        )
        assert balance == CREDIT * UNIT - charged
        assert [tuple(row) for row in counted] == [("sms", len(SILENT)), ("viber", len(SILENT))]
        assert bench.statistics() == bench.recount()
