"""The number space of the benchmarks: unique, valid mobile numbers of several countries, all of them delivered."""

PREFIXES = ("42073", "4860", "49171", "43664", "3620", "39347")
"""Calling code and first digits of mobile ranges in which seven digits follow, every one of them valid."""


def number(index: int) -> str:
    """Return the ``index``-th number, of six million before they repeat; neighbours are in different countries.

    The last digit is always 0, which keeps clear of the endings that the simulated operator treats specially.
    """
    return f"{PREFIXES[index % len(PREFIXES)]}{index // len(PREFIXES) % 1_000_000:06d}0"
