"""Ports of the programs that run side by side on a machine."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ports:
    """Ports of the messaging service, the Prefect server and verification for front ends."""

    service: int = 8800
    prefect: int = 4200
    verify: int = 8801
