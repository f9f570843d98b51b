"""A failed call tells its name, its status and what to do."""

import pytest

from flows.advice import calling
from interface.errors import ConnectionFailed, DovecoteError, Refused, ServerFailed, TooManyRequests, Unauthorized


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            ServerFailed("Failed to read messages", 500),
            "GET /inbox failed with status 500: Failed to read messages.",
        ),
        (Unauthorized("No.", 401), "GET /inbox failed with status 401: No. Check the key in the block"),
        (TooManyRequests("Slower", 429), "GET /inbox failed with status 429: Slower. The provider's rate limit"),
        (ConnectionFailed("No connection."), "GET /inbox failed: No connection. Is the service running"),
        (Refused("No such name.", 200), "GET /inbox failed with status 200: No such name. Put right what it names"),
        (DovecoteError("Odd."), "GET /inbox failed: Odd. Run the flow again later."),
    ],
)
def test_an_error_tells_the_call_the_status_and_what_to_do(error, sentence):
    with pytest.raises(type(error)) as told, calling("GET /inbox"):
        raise error

    assert str(told.value).startswith(sentence)


def test_other_errors_stay_as_they_are():
    with pytest.raises(ValueError, match=r"^as it was$"), calling("GET /inbox"):
        raise ValueError("as it was")
