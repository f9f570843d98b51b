"""JSON bodies are read as the standard has it, or not at all."""

import pytest

from interface.json_bodies import read_json


@pytest.mark.parametrize(
    ("body", "content"),
    [(b'{"a": [1, null, "\xc5\xbe"]}', {"a": [1, None, "ž"]}), (b" null\n", None), (b'"a"', "a"), (b"1e2", 100.0)],
)
def test_a_body_is_read(body: bytes, content: object) -> None:
    assert read_json(body) == content


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{}{}",
        b"{'a': 1}",
        b'{"a": 1, "a": 1}',
        b'[{"b": {"a": 1, "a": 2}}]',
        b"NaN",
        b'{"a": -Infinity}',
        b'"\xff"',
        b'"\xed\xa0\x80"',
        b"\xef\xbb\xbf{}",
        "{}".encode("utf-16"),
        b"[" * 100_000,
        b"9" * 10_000,
    ],
)
def test_what_is_no_json_or_has_two_meanings_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the sentence is nobody's business
        read_json(body)
