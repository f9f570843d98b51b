import pytest

from flows.planning.texts import check_columns, empty_columns, parse_text, render
from flows.problems import TextProblem


def test_a_place_takes_the_recipients_own_value():
    text = parse_text("Hello {name}, see you in {city}!")

    assert render(text, {"name": "Ada", "city": "Brno"}) == "Hello Ada, see you in Brno!"


def test_doubled_braces_stand_for_braces():
    assert render(parse_text("{{{name}}} and {{name}}"), {"name": "Ada"}) == "{Ada} and {name}"


def test_the_case_of_a_column_does_not_matter():
    assert render(parse_text("{NAME}"), {"Name": "Ada"}) == "Ada"


def test_a_value_with_braces_is_not_read_as_a_place():
    assert render(parse_text("{name}"), {"name": "{city}", "city": "Brno"}) == "{city}"


def test_an_unknown_column_is_named_with_those_available():
    with pytest.raises(TextProblem, match=r"\{nmae\}.*available: city, name"):
        check_columns(parse_text("{nmae}"), ["name", "city"])


@pytest.mark.parametrize("written", ["a { b", "a } b", "{a {b}}", "{", "}"])
def test_a_single_brace_is_a_problem_at_its_character(written):
    with pytest.raises(TextProblem, match="at character"):
        parse_text(written)


def test_an_empty_place_is_a_problem():
    with pytest.raises(TextProblem, match="name a column"):
        parse_text("Hello { }")


def test_empty_values_are_told():
    assert empty_columns(parse_text("{name} {city}"), {"name": "Ada", "city": ""}) == ("city",)
