"""What was read for a campaign: an account of everybody who is not in it, kept in the ledger for its reports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.recipients.sources import LeftOut

LINES_KEPT = 1_000


@dataclass(frozen=True)
class Lines:
    """Lines that something is to be told about: how many, and the first of them."""

    number: int = 0
    first: tuple[LeftOut, ...] = ()

    @classmethod
    def of(cls, lines: Sequence[LeftOut]) -> "Lines":
        """Count the lines, and keep the first by their place."""
        return cls(len(lines), tuple(sorted(lines, key=lambda one: one.line)[:LINES_KEPT]))

    def as_stored(self) -> dict[str, Any]:
        """Write it as JSON."""
        return {"number": self.number, "first": [[one.line, one.reason] for one in self.first]}

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "Lines":
        """Read it from JSON."""
        return cls(stored["number"], tuple(LeftOut(line, reason) for line, reason in stored["first"]))


@dataclass(frozen=True)
class Reading:
    """What a source had: its lines, those left out, those with a number of an earlier one, texts with an empty place.

    ``text`` is the one that was rendered.
    """

    lines: int = 0
    duplicates: int = 0
    left_out: Lines = Lines()
    empty_places: Lines = Lines()
    text: str = ""

    def as_stored(self) -> dict[str, Any]:
        """Write it as JSON."""
        return {
            "lines": self.lines,
            "duplicates": self.duplicates,
            "left_out": self.left_out.as_stored(),
            "empty_places": self.empty_places.as_stored(),
            "text": self.text,
        }

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any] | None) -> "Reading":
        """Read it from JSON; of a campaign that kept none, everything is nothing."""
        if stored is None:
            return cls()
        return cls(
            stored["lines"],
            stored["duplicates"],
            Lines.from_stored(stored["left_out"]),
            Lines.from_stored(stored["empty_places"]),
            stored["text"],
        )
