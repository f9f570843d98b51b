"""Which links a text has (details, ``params._url``: ``full`` complete ones, ``all`` whatever looks like one)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interface.special_parameters import LinkType
from messaging_service.links.finding import MAX_LINKS, find_links


def found(text, kind=LinkType.FULL):
    return [text[link.start : link.end] for link in find_links(text, kind)]


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("See https://example.com/a?b=1&c=2#d now", ["https://example.com/a?b=1&c=2#d"]),
        ("HTTP://EXAMPLE.COM", ["HTTP://EXAMPLE.COM"]),
        ("https://one.cz, http://two.cz; https://three.cz!", ["https://one.cz", "http://two.cz", "https://three.cz"]),
        ("(https://example.com/a_(b))", ["https://example.com/a_(b)"]),
        ("„https://example.com/ě“…", ["https://example.com/ě"]),
        ("www.example.com, example.com/path, ftp://example.com", []),
        ("https:// http://? https://[", []),
        ("", []),
    ],
)
def test_complete_links_without_the_punctuation_of_their_sentence(text, links):
    assert found(text) == links


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("Buy at shop.example.com.", ["shop.example.com"]),
        ("www.Shop.museum or WWW.SHOP.CZ/AKCE", ["www.Shop.museum", "WWW.SHOP.CZ/AKCE"]),
        ("Shop.cz/akce a SHOP.CZ/AKCE?a=1", ["Shop.cz/akce", "SHOP.CZ/AKCE?a=1"]),
        ("localhost.dev:8080/x", ["localhost.dev:8080/x"]),
        ("https://a.cz and b.cz", ["https://a.cz", "b.cz"]),
        ("me@example.com, file.pdf, 10.30, s.r.o., v. 1.2, example.com.x1", []),
        ("Hotovo.Na shledanou", []),
    ],
)
def test_names_that_look_like_links_when_all_are_asked_for(text, links):
    assert found(text, LinkType.ALL) == links


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("shop.cz/akce", "http://shop.cz/akce"),
        ("https://háčky.cz/ě?q=ř", "https://xn--hky-ela4t.cz/%C4%9B?q=%C5%99"),
        ("https://example.com/a%20b", "https://example.com/a%20b"),
    ],
)
def test_a_target_is_a_complete_address_in_ascii(text, target):
    assert [link.target for link in find_links(text, LinkType.ALL)] == [target]


def test_the_first_twenty_links_of_a_text_count():
    assert len(found("https://a.cz " * (MAX_LINKS + 1))) == MAX_LINKS


@given(
    st.lists(st.one_of(st.text(max_size=20), st.sampled_from(["https://a.cz/b", "c.com/d", " ", ".", ")"]))),
    st.sampled_from(LinkType),
)
def test_links_stand_in_the_text_in_order_and_lead_to_the_web(pieces, kind):
    text = "".join(pieces)

    links = find_links(text, kind)

    ends = [0, *(place for link in links for place in (link.start, link.end)), len(text)]
    assert ends == sorted(ends)
    assert all(link.target.startswith(("http://", "https://")) and link.target.isascii() for link in links)


@pytest.mark.parametrize("text", ["x" * 999, "a-" * 500, "a." * 500, "www." * 250, "https://" * 125, "a.cz/(" * 160])
def test_no_text_takes_long(text):
    find_links(text, LinkType.ALL)
