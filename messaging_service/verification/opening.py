"""Puts the verification step together from settings."""

from collections.abc import Callable
from typing import NamedTuple

from messaging_service.clock import Clock
from messaging_service.settings import Settings
from messaging_service.store.engine import Store
from messaging_service.verification.accounts import AccountBook
from messaging_service.verification.checking import Checking
from messaging_service.verification.codes import CodeKeeper
from messaging_service.verification.guard import Guard
from messaging_service.verification.proofs import Proofs
from messaging_service.verification.starting import Starting
from messaging_service.verification.verifier import Verifier


class Verification(NamedTuple):
    """What the endpoints ask."""

    verifier: Verifier
    proofs: Proofs


def open_verification(
    settings: Settings, codes: CodeKeeper, store: Store, clock: Clock, on_started: Callable[[], None]
) -> Verification:
    """Return the step over one store; ``on_started`` wakes the worker that sends the codes."""
    accounts = AccountBook(codes)
    steps = (Starting(codes, accounts, Guard.of(settings)), Checking(codes, accounts))
    return Verification(Verifier(store, clock, steps, on_started), Proofs(store, clock, codes, accounts))
