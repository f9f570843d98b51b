"""The forms that the Prefect UI makes of the flows' parameters: in people's words, and valid as they are offered."""

import importlib
import re
from itertools import chain

import pytest
from jsonschema import Draft202012Validator
from prefect.utilities.callables import parameter_schema

from deployments.declared import declared_deployments

NAME_OF_A_CLASS = re.compile("[a-z][A-Z]")


def form_of(entrypoint):
    module, _, name = entrypoint.rpartition(".")
    return parameter_schema(getattr(importlib.import_module(module), name)).model_dump()


FORMS = {each.entrypoint: form_of(each.entrypoint) for each in declared_deployments()}


@pytest.fixture(params=FORMS)
def form(request):
    return FORMS[request.param]


def models_of(form):
    return {name: model for name, model in form["definitions"].items() if "properties" in model}


def fields_of(form):
    return [
        (f"{name}.{field}", schema)
        for name, model in models_of(form).items()
        for field, schema in model["properties"].items()
    ]


def referred(form, schema):
    return form["definitions"][schema["$ref"].rpartition("/")[2]] | schema if "$ref" in schema else schema


def test_every_field_has_a_title_and_says_what_it_is_for(form):
    silent = [
        field
        for field, schema in fields_of(form)
        if not {"title", "description"} <= set(referred(form, schema)) or "``" in schema["description"]
    ]

    assert silent == []


def test_a_choice_between_kinds_of_values_is_in_words_and_no_name_of_a_class(form):
    choices = chain.from_iterable(schema.get("anyOf", []) for _, schema in fields_of(form))
    titles = [referred(form, one).get("title", "") for one in choices if one != {"type": "null"}]

    assert [title for title in titles if not title or NAME_OF_A_CLASS.search(title)] == []


def test_what_the_form_offers_for_a_field_is_valid(form):
    refused = [
        (field, schema["default"])
        for field, schema in fields_of(form)
        if "default" in schema
        and not Draft202012Validator({**schema, "definitions": form["definitions"]}).is_valid(schema["default"])
    ]

    assert refused == []
