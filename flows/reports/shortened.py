"""Names on a terminal: each on a line of its own, without its middle where there isn't room for all of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.text import Text


@dataclass(frozen=True)
class Shortened:
    """Names as a cell of a table: what tells one from another is at their beginning or at their end."""

    names: tuple[str, ...]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Take up to the longest name's width; less will do."""
        return Measurement(1, max(map(len, self.names), default=1)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Write them."""
        for name in self.names:
            yield Text(without_middle(name, options.max_width), no_wrap=True)


def without_middle(name: str, width: int) -> str:
    """Return ``name`` in at most ``width`` characters, at least one."""
    if len(name) <= width:
        return name
    end = (width - 1) // 2
    return f"{name[: width - 1 - end]}…{name[len(name) - end :]}"
