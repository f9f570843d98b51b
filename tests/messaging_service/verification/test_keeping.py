"""What the store keeps of verifications, how long, and what finding it costs."""

import threading

from sqlalchemy import event, func, select
from verifying import SECRET, code_of, set_account, start, started, verify, wrong

from messaging_service.clock import DAY, HOUR
from messaging_service.housekeeping import Housekeeping
from messaging_service.store.tables import verification_limits, verifications


def count(service, table):
    with service.store.reading() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_sessions_are_kept_for_thirty_days_and_limits_for_two_hours(service):
    started(service)
    housekeeping = Housekeeping(service.store, service.store, service.clock)

    kept = []
    for moved in (HOUR, HOUR + 1, 30 * DAY - 3 * HOUR, 2 * HOUR):
        service.clock.move(moved)
        housekeeping.tidy()
        kept.append((count(service, verifications), count(service, verification_limits)))

    assert kept == [(1, 4), (1, 0), (1, 0), (0, 0)]


def test_a_code_that_was_used_is_not_kept_even_sealed(service):
    token = started(service)
    code = code_of(service, token)

    verify(service, token, code)

    with service.store.reading() as connection:
        assert connection.execute(select(verifications.c.sealed_code)).scalar_one() == ""


def test_a_start_and_a_check_cost_one_transaction_each(unlimited):
    set_account(unlimited, secret=SECRET)
    token = started(unlimited)
    code = code_of(unlimited, token)
    commits = []

    def note(_connection):
        if threading.current_thread().name.startswith("group-commit"):  # the worker commits meanwhile, elsewhere
            commits.append(1)

    event.listen(unlimited.store.engine, "commit", note)
    verify(unlimited, token, wrong(code))
    verify(unlimited, token, code)
    start(unlimited, "420777123457")
    event.remove(unlimited.store.engine, "commit", note)

    assert len(commits) == 3


def test_counts_are_shown_as_metrics(service_on_sqlite):
    service = service_on_sqlite
    start(service, "420777123321")
    start(service, "420777123321")

    shown = service.api.get("/metrics").text

    assert "dovecote_verifications_started_total" in shown
    assert 'dovecote_verification_starts_refused_total{limit="number-pause"}' in shown
