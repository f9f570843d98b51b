"""Counts verifications, for ``/metrics``."""

from functools import cache

from prometheus_client import Counter


def started(count: int) -> None:
    """Count starts that are about to be on disk."""
    _starts().inc(count)


def start_refused(limit: str) -> None:
    """Count a start refused by a limit."""
    _refused_starts().labels(limit).inc()


def checked(outcome: str) -> None:
    """Count a check by what it came to: ``VERIFIED``, or the code of the refusal."""
    _checks().labels(outcome).inc()


def prefix_refused() -> None:
    """Count a prefix that is refused for an hour as one that is pumped."""
    _prefixes().inc()


# Made when first counted: by then the processes share their counts (``messaging_service/measures``).
@cache
def _starts() -> Counter:
    return Counter("dovecote_verifications_started", "Verifications started.")


@cache
def _refused_starts() -> Counter:
    return Counter("dovecote_verification_starts_refused", "Starts refused, by limit.", ["limit"])


@cache
def _checks() -> Counter:
    return Counter("dovecote_verification_checks", "Codes checked, by outcome.", ["outcome"])


@cache
def _prefixes() -> Counter:
    return Counter("dovecote_verification_prefixes_refused", "Prefixes refused for an hour as pumped.")
