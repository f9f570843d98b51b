"""A database that drops its connections costs a moment, and nothing that was accepted."""

import httpx
from running_service import run_service
from sqlalchemy import create_engine, make_url, text


def test_the_service_goes_on_when_its_database_was_away(postgresql_url, tmp_path):
    with run_service(postgresql_url, tmp_path) as service:
        before = _send(service)
        service.wait_for_status(before, delivery_code="201")

        for _ in range(6):  # more often than the worker has turns to lose
            _drop_connections(postgresql_url)
        after = service.wait_until(lambda: _send(service))

        service.wait_for_status(after, delivery_code="201")


def _send(service):
    try:
        answer = service.api.post("/v2/message", json={"to": [{"phone_number": "420601123456"}], "body": "Hello"})
    except httpx.TransportError:
        return None
    return answer.json()["accepted"][0]["message_id"] if answer.is_success else None


def _drop_connections(url):
    database = make_url(url).database
    engine = create_engine(url)
    with engine.connect() as connection:
        others = text(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name AND pid <> pg_backend_pid()",
        )
        connection.execute(others, {"name": database})
    engine.dispose()
