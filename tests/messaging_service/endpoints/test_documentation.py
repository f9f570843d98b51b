"""``/openapi.json`` and ``/docs`` (details, "Where it listens")."""

import re

import jsonschema
import pytest

from interface.calls import CALLS, IDEMPOTENCY_HEADER, KEY_HEADER, Base


@pytest.fixture
def document(service_on_sqlite):
    return service_on_sqlite.client(None).get("/openapi.json").json()


def operations(document):
    return {
        operation["operationId"]: operation
        for item in document["paths"].values()
        for operation in item.values()
        if "operationId" in operation
    }


def test_every_call_is_described(document):
    described = operations(document)

    assert described.keys() == {call.name for call in CALLS}
    assert document["openapi"] == "3.1.0"


def test_every_error_of_a_call_is_described(document):
    described = operations(document)

    for call in CALLS:
        statuses = {"200", *(str(error.status) for error in call.errors)}
        assert described[call.name]["responses"].keys() == statuses


def test_the_key_goes_in_a_header_and_on_one_call_as_a_parameter_too(document):
    described = operations(document)

    assert document["components"]["securitySchemes"]["key"] == {"type": "apiKey", "in": "header", "name": KEY_HEADER}
    assert document["security"] == [{"key": []}]
    assert {name: operation["security"] for name, operation in described.items() if "security" in operation} == {
        "send_simple_by_query": [{"key": []}, {"keyParameter": []}],
        "verify_proof": [],
    }


def test_calls_that_send_take_an_idempotency_key(document):
    described = operations(document)

    taking = {
        name
        for name, operation in described.items()
        if IDEMPOTENCY_HEADER in {parameter["name"] for parameter in operation["parameters"]}
    }
    assert taking == {call.name for call in CALLS if call.base is Base.MESSAGING} | {"start_validation", "send_xml"}


def test_every_schema_that_is_referred_to_is_there(document):
    references = set(re.findall(r"#/components/schemas/(\w+)", str(document)))

    assert references == document["components"]["schemas"].keys()


def taken(document, schema):
    """Yield the fields of what a call takes, with their names."""
    schema = resolved(document, schema)
    for part in [*schema.get("anyOf", []), *schema.get("oneOf", []), *filter(None, [schema.get("items")])]:
        yield from taken(document, part)
    for name, field in schema.get("properties", {}).items():
        yield f"{schema['title']}.{name}", field
        yield from taken(document, field)


def is_explained(document, field):
    options = [resolved(document, option) for option in (field, *field.get("anyOf", []))]
    return any({"description", "examples"} & option.keys() for option in [field, *options])


def resolved(document, schema):
    name = schema.get("$ref", "").removeprefix("#/components/schemas/")
    return document["components"]["schemas"][name] if name else schema


def test_every_field_that_a_call_takes_is_explained(document):
    bodies = [operation["requestBody"] for operation in operations(document).values() if "requestBody" in operation]
    schemas = [content["schema"] for body in bodies for content in body["content"].values()]
    fields = dict(field for schema in schemas for field in taken(document, schema))

    assert [name for name, field in fields.items() if not is_explained(document, field)] == []


def test_the_gateways_of_a_simple_message_are_those_that_it_takes(document):
    (by_query,) = (
        parameter["schema"]
        for parameter in operations(document)["send_simple_by_query"]["parameters"]
        if parameter["name"] == "gateway"
    )
    by_form = document["components"]["schemas"]["SimpleMessage"]["properties"]["gateway"]

    assert by_query["enum"] == by_form["enum"] == ["high", "lowcost", "direct", "custom", "simhost", "gsm"]


def test_every_example_is_what_its_schema_says(document):
    described = operations(document)
    del described["send_xml"]  # shown as XML, which is made of the examples of its fields

    for operation in described.values():
        for response in operation["responses"].values():
            content = response["content"]["application/json"]
            schema = content["schema"] | {"components": document["components"]}
            for example in content["examples"].values():
                jsonschema.validate(example["value"], schema)


def test_the_xml_interface_is_described_as_xml(document):
    operation = operations(document)["send_xml"]
    answered = document["components"]["schemas"]["XmlResult"]

    assert operation["requestBody"]["content"].keys() == {"application/x-www-form-urlencoded"}
    assert {tuple(response["content"]) for response in operation["responses"].values()} == {("application/xml",)}
    assert answered["xml"] == {"name": "Result"}
    assert document["components"]["schemas"]["XmlResponse"]["properties"]["ID"]["xml"] == {"attribute": True}


def test_the_page_needs_nothing_from_elsewhere(service_on_sqlite):
    client = service_on_sqlite.client(None)
    page = client.get("/docs")

    links = re.findall(r'(?:src|href)="([^"]+)"', page.text)

    assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert all(link.startswith(("/", "data:")) for link in links)
    assert {client.get(link).status_code for link in links if link.startswith("/")} == {200}


def test_whoever_opens_the_address_of_the_service_is_led_to_the_page(service_on_sqlite):
    answer = service_on_sqlite.client(None).get("/")

    assert (answer.status_code, answer.headers["location"]) == (307, "/docs")
