"""Chat-app templates as files in a folder, one a language; and what is to be done so that a provider has the same."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from flows.ledger.templates import BEGUN, KnownTemplate
from flows.problems import SettingsProblem
from interface.chat_templates import LibraryTemplate
from interface.field_errors import field_errors

ENDINGS = frozenset({".yaml", ".yml", ".json"})


@dataclass(frozen=True)
class WantedTemplate:
    """A name with all its languages, as its files say."""

    name: str
    languages: Mapping[str, LibraryTemplate]

    def digest(self, language: str) -> str:
        """Return the same for the same content of the language's file."""
        content = json.dumps(self.languages[language].model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()


@dataclass(frozen=True)
class Changes:
    """What to do, by name: ``create`` the languages that are missing, ``replace`` (delete, create), ``delete``."""

    create: Mapping[str, Collection[str]]
    replace: Collection[str]
    delete: Collection[str]
    kept: Collection[str]

    @property
    def is_none(self) -> bool:
        """Whether files and provider say the same."""
        return not (self.create or self.replace or self.delete)


def read_folder(folder: str) -> dict[str, WantedTemplate]:
    """Read every ``.yaml``, ``.yml`` and ``.json`` of a folder; raises `SettingsProblem` naming the file and field."""
    place = Path(folder)
    if not place.is_dir():
        raise SettingsProblem(f"There is no folder {folder}.")
    languages: dict[str, dict[str, LibraryTemplate]] = defaultdict(dict)
    for path in sorted(each for each in place.iterdir() if each.suffix in ENDINGS):
        template = _read(path)
        if template.language in languages[template.name]:
            raise SettingsProblem(f"{path}: another file has {template.name} in {template.language} already.")
        languages[template.name][template.language] = template
    return {name: WantedTemplate(name, found) for name, found in languages.items()}


def changes(
    wanted: Mapping[str, WantedTemplate],
    known: Mapping[str, KnownTemplate],
    listed: Collection[tuple[str, str]] | None,
) -> Changes:
    """Compare. ``listed`` are name and language of what the provider has; None when it doesn't say.

    A name that is listed and not known was created by somebody else: it counts as there, and is never deleted.
    """
    create: dict[str, list[str]] = {}
    replace: list[str] = []
    for name, one in sorted(wanted.items()):
        there = _there(name, known, listed)
        if name in known and not _is_same_so_far(one, known[name]):
            replace.append(name)
        elif missing := sorted(set(one.languages) - there):
            create[name] = missing
    delete = sorted(set(known) - set(wanted))
    return Changes(create, replace, delete, sorted(set(wanted) - create.keys() - set(replace)))


def _there(name: str, known: Mapping[str, KnownTemplate], listed: Collection[tuple[str, str]] | None) -> frozenset[str]:
    if listed is not None:
        return frozenset(language for each, language in listed if each == name)
    if name not in known:
        return frozenset()
    return frozenset(language for language, one in known[name].languages.items() if one.template_id != BEGUN)


def _is_same_so_far(wanted: WantedTemplate, known: KnownTemplate) -> bool:
    """Whether what was created is as the files say; languages that are to come don't matter."""
    return all(
        language in wanted.languages and wanted.digest(language) == one.digest
        for language, one in known.languages.items()
    )


def _read(path: Path) -> LibraryTemplate:
    try:
        return LibraryTemplate.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise SettingsProblem(f"{path}: {' '.join(each.message for each in field_errors(error))}") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise SettingsProblem(f"{path} is neither YAML nor JSON.") from None
