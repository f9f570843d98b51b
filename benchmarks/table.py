"""Prints the figures as a Markdown table beside their targets, and keeps them in a page between two markers."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.machine import Machine

BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
NOT_INSTALLED, NO_COUNTERPART = "not installed", "no counterpart"


@dataclass(frozen=True)
class Ratio:
    """A target: Dovecote's figure must be at least ``least`` times the other's."""

    least: float

    def __str__(self) -> str:
        """Render for the table."""
        return f"≥ {self.least:g} of Kannel"

    def met(self, ours: float, theirs: float | None) -> bool | None:
        """Whether it is met; None when there is nothing to compare with."""
        return None if theirs is None else ours >= self.least * theirs


@dataclass(frozen=True)
class AtMost:
    """A target: Dovecote's figure must not be above ``most``."""

    most: float

    def __str__(self) -> str:
        """Render for the table."""
        return f"≤ {self.most:g}"

    def met(self, ours: float, theirs: float | None) -> bool | None:  # noqa: ARG002 - the shape of every target
        """Whether it is met."""
        return ours <= self.most


@dataclass(frozen=True)
class AtLeast:
    """A target: Dovecote's figure must not be below ``least``."""

    least: float

    def __str__(self) -> str:
        """Render for the table."""
        return f"≥ {self.least:g}"

    def met(self, ours: float, theirs: float | None) -> bool | None:  # noqa: ARG002 - the shape of every target
        """Whether it is met."""
        return ours >= self.least


@dataclass(frozen=True)
class NoTarget:
    """Nothing is promised about the figure."""

    def __str__(self) -> str:
        """Render for the table."""
        return "-"

    def met(self, ours: float, theirs: float | None) -> bool | None:  # noqa: ARG002 - the shape of every target
        """Return None: there is nothing to meet."""
        return None


NO_TARGET = NoTarget()
Target = Ratio | AtMost | AtLeast | NoTarget


@dataclass(frozen=True)
class Row:
    """A measure with its figures; ``theirs`` is None where there is none of Kannel, and ``without`` says why."""

    measure: str
    unit: str
    ours: float
    theirs: float | None
    target: Target
    without: str = NOT_INSTALLED

    @classmethod
    def alone(cls, measure: str, unit: str, ours: float, target: Target = NO_TARGET) -> "Row":
        """Return the row of something that Kannel doesn't do."""
        return cls(measure, unit, ours, None, target, NO_COUNTERPART)

    def render(self) -> str:
        """Return the row in Markdown."""
        theirs = self.without if self.theirs is None else _figure(self.theirs)
        ratio = f"{self.ours / self.theirs:.2f}" if self.theirs else "-"
        met = {True: "yes", False: "**no**", None: "-"}[self.target.met(self.ours, self.theirs)]
        cells = (self.measure, self.unit, _figure(self.ours), theirs, ratio, str(self.target), met)
        return f"| {' | '.join(cells)} |"


def render(machine: Machine, rows: list[Row], how: str) -> str:
    """Return the whole report in Markdown: the machine, how it was measured, the table."""
    facts = [f"- {name}: {value}" for name, value in machine.facts.items()]
    head = ["| Measure | Unit | Dovecote | Kannel | Ratio | Target | Met |", "|---|---|--:|--:|--:|---|---|"]
    title = f"Measured {datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {how}"
    return "\n".join([title, "", *facts, "", *head, *(row.render() for row in rows)])


def keep(page: Path, report: str) -> None:
    """Put the report into ``page`` between the markers. Raises ``ValueError`` when they aren't there."""
    before, begin, rest = page.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{page} has no place for the figures: {BEGIN} … {END}")
    page.write_text(f"{before}{begin}\n{report}\n{end}{after}", "utf-8")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"  # noqa: PLR2004 - three digits are enough
