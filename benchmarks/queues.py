"""What a priority message notices of a backlog: promotional messages wait by the hundred thousand, it doesn't."""

import json
import time
import urllib.request
from dataclasses import dataclass
from statistics import median

from benchmarks import stream
from benchmarks.dovecote import DOVECOTE, KEY
from benchmarks.measures import PAUSE, Plan
from benchmarks.operator_records import taken, taken_at
from benchmarks.processes import wait_until
from benchmarks.recipients import number
from benchmarks.table import AtMost, Row

BACKLOG = 200_000
_CONNECTIONS = 16


@dataclass(frozen=True)
class Waits:
    """Milliseconds from each priority message's 200 to the operator, and how many others still waited at the end."""

    milliseconds: list[float]
    left: int


def rows(plan: Plan) -> list[Row]:
    """Measure once, and return the rows of the table."""
    waits = _measure(plan)
    within = f"Priority message behind {BACKLOG:,} promotional ones, from its 200 to the operator"
    return [
        Row.alone(f"{within}, median", "ms", median(waits.milliseconds), AtMost(250)),
        Row.alone(f"{within}, longest of {plan.singles}", "ms", max(waits.milliseconds)),
        Row.alone("Promotional messages still waiting after that", "messages", waits.left),
    ]


def _measure(plan: Plan) -> Waits:
    with plan.scratch() as directory, DOVECOTE.running(directory) as port:
        call = DOVECOTE.batch("")
        _calls, failed, _seconds = stream.so_many(port, _CONNECTIONS, call, BACKLOG // call.recipients, 0)
        if failed:
            raise RuntimeError(f"{failed} calls failed")
        records = directory / "operator.db"
        answered = {}
        for index in range(plan.singles):
            time.sleep(PAUSE)
            answered[_send(port, BACKLOG + index)] = time.time()
        wait_until(lambda: all(taken_at(records, message_id) for message_id in answered), "the priority messages")
        left = BACKLOG + plan.singles - taken(records)
        waits = [taken_at(records, message_id) - moment for message_id, moment in answered.items()]
        return Waits([max(0.0, wait) * 1000 for wait in waits], left)


def _send(port: int, index: int) -> str:
    """Send one priority message; returns its id."""
    body = {"to": [{"phone_number": number(index)}], "body": "Your code is waiting", "tag": "priority"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/v2/message",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "x-api-key": KEY},
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return str(json.load(response)["accepted"][0]["message_id"])
