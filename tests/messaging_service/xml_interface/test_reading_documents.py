"""What a document may look like, and that a text arrives as it was written."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st
from sending_xml import document, request

from interface.flow_steps import Gateway
from interface.xml_documents import XmlMessage, write_request
from messaging_service.refusals import RefusedDocument
from messaging_service.xml_interface.reading import Form, key_in, read_document, read_form, read_requests

IN_XML = st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff").filter(
    lambda character: character >= " " or character in "\t\n\r",
)
TEXTS = st.text(IN_XML, min_size=1, max_size=1000).filter(str.strip)


def read(text):
    return read_requests(read_document(Form(text, None)), "420")


def text_of(message):
    (read_back,) = read(document(f"<Request>{message}<NumbersList><Number>601123456</Number></NumbersList></Request>"))
    return read_back.text


@given(TEXTS)
def test_any_text_that_xml_can_carry_arrives_as_it_was_written(text):
    written = write_request([XmlMessage(text=text, numbers=["+420601123456"])])

    (read_back,) = read(written)

    assert read_back.text == text


@given(st.text(max_size=300) | st.text("<>&;!?-/=\"' \n[]xDOCTYPERequst#", max_size=300))
def test_no_text_makes_reading_fail_in_another_way_than_by_refusing(text):
    with suppress(RefusedDocument):
        read(text)


def test_a_request_has_what_its_attributes_say():
    (read_back,) = read(
        document(request("Hello", [" 00420 601 123 456\n"], 'Sender="A &amp; B" Type="direct" Other="x"'))
    )

    assert (read_back.text, read_back.sender, read_back.gateway) == ("Hello", "A & B", Gateway.DIRECT)
    assert [(each.written, each.number) for each in read_back.recipients] == [("00420 601 123 456", "420601123456")]


def test_a_number_without_plus_is_read_as_one_of_the_account():
    (read_back,) = read(document(request(numbers=["601123456", "420601123456"])))

    assert [each.number for each in read_back.recipients] == ["420601123456", "420601123456"]


def test_cdata_and_references_are_text():
    assert (
        text_of("<Message><![CDATA[1 < 2 && <!DOCTYPE a> ]]>&#x1F600;&#382;&amp;</Message>")
        == "1 < 2 && <!DOCTYPE a> 😀ž&"
    )


def test_white_space_of_a_text_is_kept_and_line_ends_are_line_feeds():
    assert text_of("<Message>\r\n  Hello\t there \r</Message>") == "\n  Hello\t there \n"


def test_comments_are_no_text():
    assert text_of("<Message>Hel<!-- not this -->lo</Message>") == "Hello"


def test_a_declaration_a_byte_order_mark_and_white_space_around_are_allowed():
    declared = f'<?xml version="1.0" encoding="utf-8" standalone="yes"?><!-- A comment -->\n{document()}\n'

    assert len(read("\n " + declared)) == len(read("\ufeff" + declared)) == 1


def test_a_default_namespace_is_ignored():
    assert (
        len(read(document().replace("<RequestDocument>", '<RequestDocument xmlns="urn:any" xmlns:xsi="urn:x">'))) == 1
    )


def test_elements_that_the_format_does_not_have_are_ignored():
    extra = "<Other><Request/></Other>"

    assert len(read(document(request().replace("<NumbersList>", f"{extra}<NumbersList>{extra}"), header=extra))) == 1


def test_the_key_is_in_the_header_of_the_document():
    with_key = read_document(Form(document(header="<RequestHeader><ApiKey>a-key</ApiKey></RequestHeader>"), None))
    without = read_document(Form(document(), None))

    assert (key_in(with_key), key_in(without)) == ("a-key", None)


def test_a_plus_that_nobody_encoded_is_a_space_and_does_no_harm():
    form = read_form(("XMLDATA=" + document().replace("&", "%26")).encode())

    assert read(form.document)[0].recipients[0].number == "420601123456"
