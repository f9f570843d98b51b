"""What whoever runs the service asks it (details, "Where it listens")."""

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from messaging_service.operators import SIMULATED_NOTICE


def metrics(service):
    """Return the value of every sample by its name and labels."""
    families = text_string_to_metric_families(service.client(None).get("/metrics").text)
    return {(sample.name, *sample.labels.values()): sample.value for family in families for sample in family.samples}


def test_a_living_process_says_so_without_a_key(service_on_sqlite):
    answer = service_on_sqlite.client(None).get("/healthz")

    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


def test_a_ready_service_says_that_its_operator_is_simulated(service):
    answer = service.client(None).get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {"status": "ready", "operator": "simulated", "notice": SIMULATED_NOTICE}


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("DELETE FROM schema_version", "The store's schema is older than this version's."),
        (
            "UPDATE schema_version SET version_num = '9999'",
            "The store's schema (9999) is newer than this Dovecote knows; start the newer version instead.",
        ),
    ],
)
def test_a_store_of_another_version_makes_it_not_ready(service, statement, reason):
    with service.store.writing() as connection:
        connection.execute(text(statement))

    answer = service.client(None).get("/readyz")

    assert answer.status_code == 503
    assert (answer.json()["status"], answer.json()["message"]) == ("not ready", reason)


def test_metrics_count_what_was_accepted_and_what_became_of_it(service):
    before = metrics(service)
    request = {"to": [{"phone_number": "420777123456"}, {"phone_number": "420777129001"}], "body": "Hello"}
    accepted = service.api.post("/v2/message", json=request).json()["accepted"]
    for item, code in zip(accepted, ("201", "203"), strict=True):
        service.wait_for_status(item["message_id"], delivery_code=code)

    after = metrics(service)

    counted = {name: after[name] - before.get(name, 0) for name in after}
    assert counted["dovecote_messages_accepted_total",] == 1
    assert counted["dovecote_commit_calls_count",] == 1
    assert counted["dovecote_http_request_seconds_count", "send", "200"] == 1
    assert counted["dovecote_message_results_total", "delivered"] == 1
    assert counted["dovecote_message_results_total", "undelivered"] == 1


def test_metrics_measure_what_waits(service):
    with service.store.writing() as connection:
        connection.execute(
            text(
                "INSERT INTO callbacks"
                " (delivery_id, key_id, receiver, url, events, event_count, size, due_at, created_at)"
                " VALUES ('a', 1, 'r', 'https://example.com', '[]', 0, 2, :due, :created),"
                "        ('b', 1, 'r', 'https://example.com', '[]', 0, 2, NULL, :created)",
            ),
            {"due": service.clock.now() + 3_600_000, "created": service.clock.now() - 60_000},
        )

    measured = metrics(service)

    assert measured["dovecote_callbacks_pending",] == 1
    assert measured["dovecote_callbacks_failed",] == 1
    assert 60 <= measured["dovecote_callbacks_pending_seconds",] < 90
    assert {queue: measured["dovecote_messages_waiting", queue] for queue in ("priority", "transactional")} == {
        "priority": 0,
        "transactional": 0,
    }
