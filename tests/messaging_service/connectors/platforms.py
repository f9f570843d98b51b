"""Runs the shipped fakes of marketing platforms behind a real HTTP server, and connects accounts to them."""

from running_service import VERIFICATION_KEY

from messaging_service.clock import SystemClock
from messaging_service.connectors.fakes.klaviyo import FakeKlaviyo, Profile, Segment
from messaging_service.store import connector_credentials
from messaging_service.verification.codes import CodeKeeper

SECRET = "pk_a_private_key_of_the_platform_0001"
CODES = CodeKeeper(VERIFICATION_KEY.encode())


def profiles(count):
    return [Profile(f"+4206012{number:05d}") for number in range(count)]


def platform():
    segments = {
        "SPRING": Segment("Spring sale", profiles(230)),
        "EMPTY": Segment("Nobody"),
        "MIXED": Segment(
            "Mixed",
            [
                Profile("+420777123456"),
                Profile(None),
                Profile("+420777123457", consent="UNSUBSCRIBED"),
                Profile("777 123 456"),
                Profile("+1"),
                Profile("+421903123456", consent="NEVER_SUBSCRIBED"),
            ],
        ),
    }
    more = {f"MORE{number}": Segment(f"More {number}") for number in range(10)}
    return FakeKlaviyo(SECRET, segments | more)


def connect(service, app_userid="shop", secret=SECRET, account_id=1, codes=CODES):
    """Give the first account credentials for the platform."""
    row = {"account_id": account_id, "connector": "klaviyo", "app_userid": app_userid, "sealed": codes.seal(secret)}
    with service.store.writing() as connection:
        connector_credentials.put(connection, row | {"created_at": SystemClock().now()})


def ask(client, action, connector="klaviyo", **body):
    return client.post(f"/v1/connect/{connector}/{action}", json={"app_userid": "shop"} | body)
