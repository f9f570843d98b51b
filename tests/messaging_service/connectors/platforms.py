"""Runs the shipped fakes of marketing platforms behind a real HTTP server, and connects accounts to them."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from running_service import VERIFICATION_KEY

from messaging_service.clock import SystemClock
from messaging_service.connectors.fakes.klaviyo import FakeKlaviyo, Profile, Segment
from messaging_service.store import connector_credentials
from messaging_service.verification.codes import CodeKeeper

SECRET = "pk_a_private_key_of_the_platform_0001"
CODES = CodeKeeper(VERIFICATION_KEY.encode())


def profiles(count):
    return [Profile(f"+4206012{number:05d}") for number in range(count)]


def platform():
    segments = {
        "SPRING": Segment("Spring sale", profiles(230)),
        "EMPTY": Segment("Nobody"),
        "MIXED": Segment(
            "Mixed",
            [
                Profile("+420777123456"),
                Profile(None),
                Profile("+420777123457", consent="UNSUBSCRIBED"),
                Profile("777 123 456"),
                Profile("+1"),
                Profile("+421903123456", consent="NEVER_SUBSCRIBED"),
            ],
        ),
    }
    more = {f"MORE{number}": Segment(f"More {number}") for number in range(10)}
    return FakeKlaviyo(SECRET, segments | more)


@contextmanager
def serving(asgi) -> Iterator[str]:
    """Serve an ASGI application on a free port; gives its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(asgi, log_config=None, access_log=False, timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, args=([listener],), name="platform")
        thread.start()
        while not server.started:
            time.sleep(0.005)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def connect(service, app_userid="shop", secret=SECRET, account_id=1, codes=CODES):
    """Give the first account credentials for the platform."""
    row = {"account_id": account_id, "connector": "klaviyo", "app_userid": app_userid, "sealed": codes.seal(secret)}
    with service.store.writing() as connection:
        connector_credentials.put(connection, row | {"created_at": SystemClock().now()})


def ask(client, action, connector="klaviyo", **body):
    return client.post(f"/v1/connect/{connector}/{action}", json={"app_userid": "shop"} | body)
