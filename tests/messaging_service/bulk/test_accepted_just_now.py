"""What was accepted just now can be cancelled, also while another process is filing it."""

import threading

from bench import Bench

from interface.message import MessageRequest
from messaging_service.accept.filing import Filer
from messaging_service.accept.planning import Caller, Plan, plan_object
from messaging_service.store import journal, messages
from messaging_service.store.tables import messages as message_table


def test_who_needs_a_call_that_another_process_is_filing_waits_for_it(bench_on_postgresql: Bench):
    bench = bench_on_postgresql
    plan = Plan("a-request")
    request = MessageRequest.model_validate({"to": [{"phone_number": "420601123456"}], "body": "x"})
    plan_object(plan, Caller(bench.key, bench.clock.now()), request)
    with bench.store.writing() as connection:
        journal.add(connection, [plan.journal_row()])
    seen = []

    def catch_up():
        Filer(bench.store, bench.store).catch_up()
        seen.append(bench.count(message_table))

    with bench.store.writing() as connection:
        journal.take(connection, 500)
        messages.add(connection, plan.contents, plan.addressees)
        thread = threading.Thread(target=catch_up)
        thread.start()
        thread.join(0.3)
        seen.append("committed")
    thread.join()

    assert seen == ["committed", 1]
