"""The size of what comes before the body: the address and the headers (specification 8)."""

import socket
from urllib.parse import urlsplit

import pytest
from running_service import RunningService

KIB = 1024
SIMPLE = "/v2/simple/message?phone_number=420777777777&message="
REFUSED = {"message": "The address and the headers are larger than 64 KiB."}


def answered(service: RunningService, *parts: bytes) -> bytes:
    """Return what comes back for parts of requests, until the service ends the connection."""
    with socket.create_connection((urlsplit(service.url).hostname, urlsplit(service.url).port), timeout=20) as line:
        for part in parts:
            line.sendall(part)
        received = b""
        while piece := line.recv(64 * KIB):
            received += piece
        return received


def asking(service: RunningService, target: str) -> bytes:
    """Return a GET that is the last one of its connection."""
    head = f"GET {target} HTTP/1.1\r\nHost: here\r\nX-Api-Key: {service.key}\r\nConnection: close\r\n\r\n"
    return head.encode()


def test_an_address_of_63_kib_is_taken(service_on_sqlite):
    answer = answered(service_on_sqlite, asking(service_on_sqlite, SIMPLE + "a" * 63 * KIB))

    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "headers",
    [{"X-Large": "a" * 65 * KIB}, {f"X-Small-{number}": "a" * KIB for number in range(65)}],
    ids=["one header", "many headers"],
)
def test_headers_over_64_kib_are_refused(service_on_sqlite, headers):
    answer = service_on_sqlite.api.get("/v1/apikey/me", headers=headers)

    assert (answer.status_code, answer.json()) == (431, REFUSED)
    assert answer.headers["content-type"] == "application/json"


def test_an_address_over_64_kib_is_refused(service_on_sqlite):
    answer = answered(service_on_sqlite, asking(service_on_sqlite, SIMPLE + "a" * 65 * KIB))

    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")


@pytest.mark.parametrize("begun", [b"GET /", b"GET / HTTP/1.1\r\nX-Large: ", b"GET / HTTP/1.1\r\n"])
def test_a_head_without_an_end_is_refused(service_on_sqlite, begun):
    answer = answered(service_on_sqlite, begun, *[b"a" * 16 * KIB] * 40)

    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")


def test_a_call_before_it_on_the_same_connection_is_answered(service_on_sqlite):
    answers = answered(
        service_on_sqlite,
        b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n",
        asking(service_on_sqlite, SIMPLE + "a" * 65 * KIB),
    )

    assert answers.startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_large_body_is_no_head(service_on_sqlite):
    body = b'{"to": [{"phone_number": "420777777777"}], "body": "' + b"a" * 900 * KIB + b'"}'
    head = b"POST /v2/message HTTP/1.1\r\nHost: here\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\n"
    head = head % service_on_sqlite.key.encode()
    call = head + b"Content-Length: %d\r\n" % len(body)

    answers = answered(service_on_sqlite, call + b"\r\n" + body, call + b"Connection: close\r\n\r\n" + body)

    assert answers.count(b"HTTP/1.1 200 OK\r\n") == 2
