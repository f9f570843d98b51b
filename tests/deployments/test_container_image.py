"""The image of deployments/Dockerfile is given all that Dovecote is made of, and nothing else; none is built here."""

import tomllib
from pathlib import Path

import pytest

from deployments.demo import read_story
from deployments.problems import CannotRun

ROOT = Path(__file__).parents[2]


def test_the_image_gets_every_package_and_what_installing_reads():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = {one.rstrip("*") for one in project["tool"]["setuptools"]["packages"]["find"]["include"]}
    read = {"pyproject.toml", "constraints.txt", project["project"]["readme"], *project["project"]["license-files"]}

    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert "*" in ignored
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == packages | read


def test_the_image_asks_for_nothing_that_is_no_extra_of_the_project():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]

    asked = (ROOT / "deployments" / "Dockerfile").read_text().partition("/source[")[2].partition("]")[0].split(",")

    assert set(asked) == set(extras) - {"dev"}


def test_the_demo_without_its_examples_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr("deployments.demo.EXAMPLES", tmp_path / "examples")

    with pytest.raises(CannotRun, match="come with Dovecote's source"):
        read_story(None)
