"""The first calls of a new process, which may come all at once."""

import subprocess
import sys

COUNTING = """
import sys, threading
from verify_service import measures

sys.setswitchinterval(1e-6)
together = threading.Barrier(16)


def count():
    together.wait()
    measures.answered("sessions.start", 201, 0.001)


with measures.shared():
    threads = [threading.Thread(target=count) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(measures.exposition().decode())
"""


def test_calls_that_are_the_first_together_are_all_counted() -> None:
    ended = subprocess.run([sys.executable, "-c", COUNTING], capture_output=True, text=True, check=True)

    assert ended.stderr == ""
    assert 'dovecote_verify_request_seconds_count{call="sessions.start",status="201"} 16.0' in ended.stdout
