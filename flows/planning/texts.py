"""Texts with ``{column}`` places, rendered for each recipient."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property

from flows.problems import TextProblem

TOKENS = re.compile(r"(?P<escaped>\{\{|\}\})|\{(?P<place>[^{}]*)\}|(?P<stray>[{}])")


@dataclass(frozen=True)
class Place:
    """Where a recipient's own value stands in a text."""

    column: str


@dataclass(frozen=True)
class Text:
    """A text, taken apart: literal pieces and places."""

    pieces: tuple[str | Place, ...]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that the text asks for, each once, in the order of their first place."""
        return tuple(dict.fromkeys(piece.column for piece in self.pieces if isinstance(piece, Place)))

    @cached_property
    def literal(self) -> str:
        """The text without its places."""
        return "".join(piece for piece in self.pieces if isinstance(piece, str))


def parse_text(written: str) -> Text:
    """Take a text apart. ``{{`` and ``}}`` stand for braces; raises `TextProblem` for a brace that is neither."""
    pieces: list[str | Place] = []
    end = 0
    for token in TOKENS.finditer(written):
        pieces.append(written[end : token.start()])
        end = token.end()
        if token["escaped"]:
            pieces.append(token["escaped"][0])
        elif token["stray"]:
            raise TextProblem(
                f"The text has a single {token['stray']} at character {token.start() + 1}; "
                f"write {token['stray'] * 2} for the character itself."
            )
        else:
            pieces.append(Place(_column_name(token["place"], token.start())))
    pieces.append(written[end:])
    return Text(tuple(piece for piece in pieces if piece != ""))


def check_columns(text: Text, available: Collection[str]) -> None:
    """Raise `TextProblem` when the text asks for a column that the recipients don't have."""
    known = {name.casefold() for name in available}
    unknown = [name for name in text.columns if name.casefold() not in known]
    if unknown:
        places = ", ".join(f"{{{name}}}" for name in unknown)
        raise TextProblem(
            f"The text asks for {places}, which the recipients don't have; "
            f"available: {', '.join(sorted(available)) or 'no columns'}."
        )


def render(text: Text, values: Mapping[str, str]) -> str:
    """Write the text for one recipient; columns are found whatever their case, missing ones are empty."""
    if not text.columns:
        return text.literal
    folded = {name.casefold(): value for name, value in values.items()}
    return "".join(
        folded.get(piece.column.casefold(), "") if isinstance(piece, Place) else piece for piece in text.pieces
    )


def empty_columns(text: Text, values: Mapping[str, str]) -> tuple[str, ...]:
    """List the columns that the text asks for and for which this recipient has no value."""
    if not text.columns:
        return ()
    folded = {name.casefold(): value for name, value in values.items()}
    return tuple(name for name in text.columns if not folded.get(name.casefold(), ""))


def _column_name(written: str, position: int) -> str:
    name = written.strip()
    if not name:
        raise TextProblem(f"The text has an empty place {{}} at character {position + 1}; name a column in it.")
    return name
