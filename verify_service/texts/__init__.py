"""Sentences and labels in the languages that ship, one file a language."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from flask import json
from werkzeug.datastructures import LanguageAccept

LANGUAGES = ("en", "cs", "sk", "de")
"""The first is for everybody who reads none of the others."""


def choose(accepted: LanguageAccept) -> str:
    """Return the language that a reader likes best (``Accept-Language``)."""
    wanted = (tag.partition("-")[0].lower() for tag, quality in accepted if quality > 0)
    return next((language for language in wanted if language in LANGUAGES), LANGUAGES[0])


def sentence(code: str, language: str) -> str:
    """Return what a person is told about a problem."""
    return str(_texts(language)["problems"][code])


def page(language: str) -> Mapping[str, str]:
    """Return the labels of the hosted page."""
    return dict(_texts(language)["page"])


@cache
def _texts(language: str) -> dict[str, Any]:
    text = files(__package__).joinpath(f"{language}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))
