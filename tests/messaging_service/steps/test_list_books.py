"""The lists are sets: whatever is added, taken off and wiped in whatever order, they hold what a set would."""

from bench import Bench
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interface.account import ListSubmission
from interface.lists import ListRemoval
from messaging_service.accounts.downloads import Downloads, Ticket
from messaging_service.accounts.submissions import Submissions
from messaging_service.store.suppressions import BLACKLIST, OPT_OUT

NUMBERS = [f"42060112000{digit}" for digit in range(6)]
NO_NUMBERS = ["nobody", "12"]

lists = st.sampled_from([OPT_OUT, BLACKLIST])
numbers = st.lists(st.sampled_from(NUMBERS + NO_NUMBERS), min_size=1, max_size=6)
steps = st.lists(st.tuples(st.sampled_from(["add", "remove", "wipe"]), lists, numbers), max_size=12)


def downloaded(bench: Bench, name: str) -> list[str]:
    downloads = Downloads(bench.store, bench.clock, b"a key")
    listed = Submissions(bench.store, bench.clock).listed(bench.key, name, "default")
    text = downloads.part(Ticket(*listed, bench.key.id, 0), None).text
    return [line.split(",")[0] for line in text.splitlines()[1:]]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_a_list_holds_what_a_set_would(bench: Bench, steps):
    bench.clear()
    submissions = Submissions(bench.store, bench.clock)
    expected: dict[str, set[str]] = {OPT_OUT: set(), BLACKLIST: set()}

    for step, name, written in steps:
        valid, text = set(written) & set(NUMBERS), "\n".join(written)
        if step == "add":
            taken = submissions.add(bench.key, name, ListSubmission(to=text))
            expected[name] |= valid
            assert taken.accepted + len(taken.invalid) == len(written)
        elif step == "remove":
            gone = submissions.remove(bench.key, name, ListRemoval(to=text))
            assert (gone.removed, gone.remaining) == (len(expected[name] & valid), len(expected[name] - valid))
            expected[name] -= valid
        else:
            submissions.wipe(bench.key, name, "default")
            expected[name] = set()

    assert {name: downloaded(bench, name) for name in expected} == {
        name: sorted(listed) for name, listed in expected.items()
    }
