"""How long the client waits, and when it gives up."""

from hypothesis import given
from hypothesis import strategies as st

from interface.calls import APIKEY_ME, SEND
from interface.client import RetryPolicy
from interface.client.answers import seconds_of


@given(st.integers(1, 50), st.floats(0, 1))
def test_a_wait_grows_with_the_attempts_up_to_the_longest(attempt, chance):
    policy = RetryPolicy(attempts=100, first_wait=0.5, longest_wait=30, jitter=lambda: chance)

    assert policy.wait_after(attempt) == min(30, 0.5 * 2 ** (attempt - 1)) * chance


def test_after_the_last_attempt_it_gives_up():
    assert RetryPolicy(attempts=3).wait_after(3) is None
    assert RetryPolicy(attempts=3).wait_after(2) is not None


def test_it_never_comes_back_before_the_service_asked():
    assert RetryPolicy(jitter=lambda: 0.0).wait_after(1, retry_after=9) == 9
    assert RetryPolicy(longest_wait=8).wait_after(1, retry_after=9) is None


def test_a_send_is_repeatable_only_with_a_key_that_the_server_honours():
    assert RetryPolicy().may_repeat(APIKEY_ME, None)
    assert not RetryPolicy().may_repeat(SEND, "k")
    assert not RetryPolicy(idempotent_server=True).may_repeat(SEND, None)
    assert RetryPolicy(idempotent_server=True).may_repeat(SEND, "k")


@given(st.none() | st.text())
def test_no_retry_after_breaks_it(written):
    seconds = seconds_of(written, now=0.0)

    assert seconds is None or seconds >= 0
