"""The pages that have to agree with the code."""

import re
import tomllib
from pathlib import Path

from messaging_service.settings import Settings

ROOT = Path(__file__).parents[2]


def test_the_settings_page_has_every_setting_with_its_description():
    page = (ROOT / "docs" / "settings.md").read_text().partition("## The flows")[0]

    rows = dict(re.findall(r"^\| `DOVECOTE_(\w+)` \| .*? \| (.*) \|$", page, re.MULTILINE))

    assert rows == {name.upper(): field.description for name, field in Settings.model_fields.items()}


def test_the_settings_page_has_the_defaults():
    page = (ROOT / "docs" / "settings.md").read_text()

    plain = {
        name: str(getattr(field.default, "value", field.default))
        for name, field in Settings.model_fields.items()
        if isinstance(field.default, str | int | float) and not isinstance(field.default, bool) and field.default != ""
    }

    assert [name for name, default in plain.items() if f"`DOVECOTE_{name.upper()}` | `{default}` |" not in page] == []


def test_constraints_are_names_and_versions_of_everything_that_is_asked_for():
    constraints = (ROOT / "constraints.txt").read_text().split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]

    assert [line for line in constraints if not re.fullmatch(r"[\w.-]+==[\w.!+-]+", line)] == []
    assert {_name(line) for line in wanted} <= {_name(line) for line in constraints}


def _name(requirement: str) -> str:
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()
