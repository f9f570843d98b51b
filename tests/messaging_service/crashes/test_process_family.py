"""The first process of a service and those it forks: what ends runs again, and none outlives the first."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from service_process import descendants, is_alive, is_ours, wait_until

PROGRAM = Path(__file__).with_name("family_program.py")


class RunningFamily:
    """A program of ``family_program`` that runs."""

    def __init__(self, first: subprocess.Popen, folder: Path) -> None:
        self.first = first
        self._folder = folder

    def running(self, name: str) -> int:
        """Return the number of the process of this name that runs, as soon as there is one."""
        return wait_until(lambda: next(filter(is_alive, self.numbers(name)), None))

    def end(self, name: str, how: signal.Signals) -> int:
        """End the process of this name. Returns its number."""
        pid = self.running(name)
        os.kill(pid, how)
        wait_until(lambda: not is_alive(pid))
        return pid

    def numbers(self, name: str) -> list[int]:
        """Return the numbers that processes of this name have had."""
        return [int(path.name.rpartition("-")[2]) for path in self._folder.glob(f"{name}-*")]


@contextmanager
def family(folder: Path, *names: str) -> Iterator[RunningFamily]:
    """Run processes of these names; at the end nothing of them is left."""
    first = subprocess.Popen([sys.executable, PROGRAM, folder, *names])
    service = RunningFamily(first, folder)
    try:
        wait_until((folder / "started").exists)
        yield service
    finally:
        first.kill()
        first.wait()
        for pid in filter(is_ours, service.numbers("*")):
            os.kill(pid, signal.SIGKILL)


def test_a_process_that_ends_is_started_again_and_the_others_run_on(tmp_path):
    with family(tmp_path, "one", "other") as service:
        other = service.running("other")

        ended = [service.end("one", signal.SIGKILL), service.end("one", signal.SIGTERM)]

        assert service.running("one") not in ended
        assert service.running("other") == other


def test_the_first_process_starts_no_others_than_those_it_was_given(tmp_path):
    with family(tmp_path, "one", "other") as service:
        expected = {service.running("one"), service.running("other")}

        assert set(descendants(service.first.pid)) == expected


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_all_end_when_the_first_is_asked_to_stop(tmp_path, stop):
    with family(tmp_path, "one", "other") as service:
        numbers = [service.running("one"), service.running("other")]

        service.first.send_signal(stop)

        assert service.first.wait(10) == 0
        assert not any(map(is_alive, numbers))


def test_each_ends_by_itself_when_the_first_is_killed_even_if_one_does_not(tmp_path):
    with family(tmp_path, "one", "lingering", "other") as service:
        one, lingering, other = (service.running(name) for name in ("one", "lingering", "other"))

        service.first.kill()
        wait_until(lambda: not is_alive(one) and not is_alive(other))

        assert is_alive(lingering)


def test_a_process_that_does_not_stop_is_killed_when_ctrl_c_is_repeated(tmp_path):
    with family(tmp_path, "one", "lingering") as service:
        one, lingering = service.running("one"), service.running("lingering")
        service.first.send_signal(signal.SIGINT)
        wait_until(lambda: not is_alive(one))

        service.first.send_signal(signal.SIGINT)

        assert service.first.wait(10) == 0
        assert not is_alive(lingering)


def test_a_program_that_asks_after_ctrl_c_hurries_nobody(tmp_path):
    with family(tmp_path, "one", "lingering") as service:
        one, lingering = service.running("one"), service.running("lingering")
        service.first.send_signal(signal.SIGINT)
        wait_until(lambda: not is_alive(one))

        service.first.send_signal(signal.SIGTERM)

        with pytest.raises(subprocess.TimeoutExpired):
            service.first.wait(1)
        assert is_alive(lingering)
