"""Documents that are made to do harm are refused with 102, and reading them takes no more than their own size."""

import tracemalloc

import pytest
from sending_xml import document, post, read, request

from interface.xml_tree import MAX_ATTRIBUTE, MAX_ATTRIBUTES, MAX_DEPTH, MAX_ELEMENTS, NotReadable, read_tree
from messaging_service.endpoints.bodies import MAX_BODY

MEBIBYTE = MAX_BODY
LAUGHS = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, 10))
BILLION_LAUGHS = f'<!DOCTYPE lolz [<!ENTITY l0 "lol">{LAUGHS}]><RequestDocument>&l9;</RequestDocument>'
QUADRATIC = f'<!DOCTYPE a [<!ENTITY x "{"x" * 50_000}">]><RequestDocument>{"&x;" * 50_000}</RequestDocument>'
ATTRIBUTES = " ".join(f'a{index}=""' for index in range(50_000))
NAMESPACES = " ".join(f'xmlns:n{index}="urn:{index}"' for index in range(20_000))

HOSTILE = {
    "billion laughs": BILLION_LAUGHS,
    "billion laughs behind a comment": f"<!-- <a> --><?xml-stylesheet?><!-- --> {BILLION_LAUGHS}",
    "billion laughs behind a declaration": f'<?xml version="1.0"?>\n{BILLION_LAUGHS}',
    "quadratic growth": QUADRATIC,
    "entity in an attribute": '<!DOCTYPE a [<!ENTITY x "y">]><RequestDocument a="&x;"/>',
    "external entity": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><RequestDocument>&x;</RequestDocument>',
    "parameter entity": '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x">%x;]><RequestDocument/>',
    "external subset": '<!DOCTYPE RequestDocument SYSTEM "http://127.0.0.1:9/a.dtd"><RequestDocument/>',
    "empty declaration": "<!DOCTYPE RequestDocument><RequestDocument/>",
    "declaration in the document": document(header="<!DOCTYPE a>"),
    "entity that nobody declared": document(header="<x>&laugh;</x>"),
    "processing instruction": f'<?xml-stylesheet href="http://127.0.0.1:9/a.xsl"?>{document()}',
    "deep nesting": "<RequestDocument>" * 50_000,
    "deep nesting, closed": "<a>" * (MAX_DEPTH + 1) + "</a>" * (MAX_DEPTH + 1),
    "many elements": document(header="<a/>" * 200_000),
    "a huge attribute": f'<RequestDocument a="{"x" * 900_000}"/>',
    "many attributes": f"<RequestDocument {ATTRIBUTES}/>",
    "an attribute twice": '<RequestDocument a="1" a="2"/>',
    "many namespaces": f"<RequestDocument {NAMESPACES}/>",
    "a huge name": f"<{'a' * 900_000}/>",
    "a comment without end": f"<!-- {'<!--' * 200_000}",
    "comments without end": "<!---->" * 100_000,
    "another encoding": document().replace("<Req", '<?xml version="1.0" encoding="ISO-8859-2"?><Req', 1),
    "UTF-16": document().replace("<Req", '<?xml version="1.0" encoding="UTF-16"?><Req', 1),
    "UTF-7": '<?xml version="1.0" encoding="UTF-7"?>+ADw-RequestDocument/+AD4-',
    "NUL": document(request("a\0b")),
    "NUL as a reference": document(request("a")).replace(">a<", ">&#0;<"),
    "a control character": document(request("a\x07b")),
    "half a pair as a reference": document(request("a")).replace(">a<", ">&#xD83D;<"),
    "no character": document(request("a\ufffeb")),
    "not closed": document()[:-1],
    "two roots": document() + document(),
    "text before": "Hello " + document(),
    "not XML": "Hello",
    "a root of another name": "<Document/>",
    "a prefix": document().replace("RequestDocument", "x:RequestDocument"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_document_is_refused_with_102(api, kind):
    result = post(api, HOSTILE[kind])

    assert (result.status, result.type, result.code) == (400, "ERROR", 102)
    assert len(result.sentence) < 200


@pytest.mark.parametrize("kind", HOSTILE)
def test_reading_takes_memory_in_proportion_to_the_document(kind):
    text = HOSTILE[kind]
    tracemalloc.start()

    _read(text)

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32 * len(text) + MEBIBYTE


def test_entities_are_never_expanded():
    """Counted in what reaches us: not one character of the text of an entity."""
    with pytest.raises(NotReadable, match="A document type declaration is not allowed"):
        read_tree(BILLION_LAUGHS)


@pytest.mark.parametrize(
    "body",
    [
        b"XMLDATA=%FF%FE%3C%00",
        b"XMLDATA=" + document(request("\xe1")).encode("latin-1"),
        b"XMLDATA=%ED%A0%80",
        b"&".join(b"a=1" for _ in range(101)),
    ],
    ids=["UTF-16", "Latin-1", "a surrogate", "many fields"],
)
def test_a_form_that_is_not_in_utf_8_or_has_many_fields_is_102(api, body):
    answer = api.post("/xml", content=body, headers={"content-type": "application/x-www-form-urlencoded"})

    result = read(answer)
    assert (result.status, result.code) == (400, 102)


def test_a_form_over_the_limit_is_102(api):
    result = post(api, "x" * MEBIBYTE)

    assert (result.status, result.code) == (400, 102)
    assert result.sentence == "The request is larger than 1 MiB."


def test_a_document_at_every_limit_is_read():
    attributes = " ".join(f'a{index}="{"x" * MAX_ATTRIBUTE}"' for index in range(MAX_ATTRIBUTES))
    deep = "<a>" * (MAX_DEPTH - 1) + "</a>" * (MAX_DEPTH - 1)
    rest = MAX_ELEMENTS - MAX_DEPTH

    root = read_tree(f"<r {attributes}>{deep}{'<a/>' * rest}</r>")

    assert (len(root.attributes), len(root.children)) == (MAX_ATTRIBUTES, rest + 1)


def _read(text):
    try:
        return read_tree(text)
    except NotReadable as refusal:
        return refusal
