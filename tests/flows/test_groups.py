"""Which batches are claimed together."""

from hypothesis import given
from hypothesis import strategies as st

from flows.sending.groups import BATCHES_A_GROUP, RECIPIENTS_A_GROUP, Group, grouped

SIZES = st.lists(st.integers(1, 25_000) | st.integers(1, 100), max_size=80).map(
    lambda sizes: {f"b{position:04}": size for position, size in enumerate(sizes, start=1)}
)


@given(SIZES, st.none() | st.floats(0.1, 5_000))
def test_every_batch_is_in_one_group_and_no_group_is_larger_than_allowed(sizes, rate):
    groups = list(grouped(sizes, list(sizes), rate))

    assert [batch_id for group in groups for batch_id in group.batch_ids] == list(sizes)
    most = min(RECIPIENTS_A_GROUP, rate or RECIPIENTS_A_GROUP)
    for group in groups:
        assert group.recipients == sum(sizes[batch_id] for batch_id in group.batch_ids)
        assert len(group.batch_ids) == 1 or (group.recipients <= most and len(group.batch_ids) <= BATCHES_A_GROUP)


def test_a_file_is_a_group_of_its_own():
    groups = list(grouped({"a": 20_000, "b": 20_000, "c": 100}, ["a", "b", "c"]))

    assert groups == [Group(("a",), 20_000), Group(("b",), 20_000), Group(("c",), 100)]


def test_with_a_rate_no_more_than_goes_in_a_second_is_claimed():
    groups = list(grouped({"a": 10, "b": 10, "c": 10}, ["a", "b", "c"], 20))

    assert [group.batch_ids for group in groups] == [("a", "b"), ("c",)]
