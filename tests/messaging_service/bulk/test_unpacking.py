"""Gzip is unpacked as it arrives, however it is cut, and what isn't whole is broken (specification 4.2)."""

import gzip
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging_service.bulk.unpacking import BrokenFile, Gunzip

members = st.lists(st.binary(max_size=200), min_size=1, max_size=4)
sizes = st.integers(1, 40)


def unpack(packed, size):
    """Unpack what arrives in pieces of a size."""
    gunzip = Gunzip()
    pieces = [packed[start : start + size] for start in range(0, len(packed), size)]
    unpacked = b"".join(part for piece in pieces for part in gunzip.feed(piece))
    gunzip.finish()
    return unpacked


@given(contents=members, size=sizes)
def test_whatever_was_packed_comes_out_however_it_arrives(contents, size):
    packed = b"".join(map(gzip.compress, contents))

    assert unpack(packed, size) == b"".join(contents)


@given(content=st.binary(max_size=200), size=sizes, data=st.data())
def test_a_file_that_is_cut_off_is_broken(content, size, data):
    packed = gzip.compress(content)
    kept = data.draw(st.integers(0, len(packed) - 1))

    with pytest.raises(BrokenFile):
        unpack(packed[:kept], size)


@given(content=st.binary(max_size=200), rubbish=st.binary(min_size=1, max_size=20), size=sizes)
def test_rubbish_behind_the_file_makes_it_broken(content, rubbish, size):
    with pytest.raises(BrokenFile):
        unpack(gzip.compress(content) + rubbish, size)


def test_a_bomb_is_unpacked_in_constant_memory():
    bomb = gzip.compress(bytes(200_000_000))
    gunzip = Gunzip()

    tracemalloc.start()
    unpacked = sum(len(piece) for piece in gunzip.feed(bomb))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert unpacked == 200_000_000
    assert most < 10_000_000
