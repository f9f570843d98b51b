"""Describes the machine, because a figure means nothing without it."""

import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import NamedTemporaryFile

FSYNCS = 50


@dataclass(frozen=True)
class Machine:
    """What a figure depends on: facts as they are printed, by name."""

    facts: dict[str, str]


def describe(directory: Path) -> Machine:
    """Look at this machine, and at the file system below ``directory``, on which the stores of the benchmarks stand."""
    return Machine(
        {
            "Processor": f"{_processor()}, {os.cpu_count()} cores",
            "Memory": f"{_memory_gib():.0f} GiB",
            "System": f"{platform.system()} {platform.release()}",
            "Python": f"{platform.python_implementation()} {platform.python_version()}",
            "File system": f"{_file_system(directory)}, fsync of 4 KiB {fsync_milliseconds(directory):.2f} ms (median)",
            "Load before": f"{os.getloadavg()[0]:.1f} (processes that wanted to run, last minute)",
        },
    )


def fsync_milliseconds(directory: Path) -> float:
    """Return how long it takes to append 4 KiB and have them on disk, in milliseconds (median)."""
    with NamedTemporaryFile(dir=directory, buffering=0) as file:
        return median(_append(file.fileno()) for _ in range(FSYNCS)) * 1000


def _append(descriptor: int) -> float:
    start = time.perf_counter()
    os.write(descriptor, bytes(4096))
    os.fsync(descriptor)
    return time.perf_counter() - start


def _processor() -> str:
    return _named_line(Path("/proc/cpuinfo"), "model name") or platform.processor() or platform.machine()


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _named_line(file: Path, name: str) -> str:
    if not file.exists():
        return ""
    pairs = (line.partition(":") for line in file.read_text().splitlines())
    return next((value.strip() for key, _, value in pairs if key.strip() == name), "")


def _file_system(directory: Path) -> str:
    mounts = Path("/proc/mounts")
    if not mounts.exists():
        return "unknown"
    below = [line.split() for line in mounts.read_text().splitlines()]
    covering = [fields for fields in below if directory.resolve().is_relative_to(fields[1])]
    return max(covering, key=lambda fields: len(fields[1]))[2] if covering else "unknown"
