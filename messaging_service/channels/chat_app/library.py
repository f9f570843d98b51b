"""The template library of the simulated platform, which accounts make their templates from."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from interface.chat_templates import ButtonInput, ButtonType, LibraryTemplate, TemplateCategory
from messaging_service.channels.chat_app.platform import Counts, TemplateRefused

_FILE = Path(__file__).with_name("library.toml")
_PLACE = re.compile(r"{{(\d+)}}")


class LibraryEntry(BaseModel):
    """A template of the library: its texts with places for values, and the buttons that it leaves open."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    category: TemplateCategory
    header: str = ""
    body: str
    buttons: tuple[ButtonType, ...]


@cache
def library() -> Mapping[str, LibraryEntry]:
    """Return the entries by name."""
    return TypeAdapter(dict[str, LibraryEntry]).validate_python(tomllib.loads(_FILE.read_text("utf-8")))


def counts_of(template: LibraryTemplate) -> Counts:
    """Return how many values a template takes that is made from the library. Raises TemplateRefused."""
    entry = library().get(template.library_template_name)
    if entry is None:
        raise TemplateRefused(f"The library has no {template.library_template_name}; it has {', '.join(library())}.")
    if entry.category is not template.category:
        raise TemplateRefused(f"{template.library_template_name} is of the category {entry.category}.")
    given = template.library_template_button_inputs
    if tuple(button.type for button in given) != entry.buttons:
        wanted = ", ".join(entry.buttons) or "none"
        raise TemplateRefused(f"{template.library_template_name} needs library_template_button_inputs for: {wanted}.")
    return Counts(_places(entry.body), _places(entry.header), sum(map(_takes_a_value, given)))


def _places(text: str) -> int:
    return len(set(_PLACE.findall(text)))


def _takes_a_value(button: ButtonInput) -> bool:
    return button.url is not None and _PLACE.search(button.url.base_url) is not None
