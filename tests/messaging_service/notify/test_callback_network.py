import asyncio
import datetime as dt
import ipaddress
import ssl
from base64 import b64encode

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from notifying import poster, receiving

from messaging_service.notify.delivery import Delivery
from messaging_service.notify.network import SystemResolver, any_address, is_public
from messaging_service.notify.post import NotDeliveredError

pytestmark = pytest.mark.anyio


def delivery(url, secret=""):
    return Delivery(1, "delivery-id", 1, "1 receiver", url, 1, b'[{"message_id":"message-0"}]', secret)


async def post_to(*urls, **of_the_poster):
    async with poster(**of_the_poster) as post:
        for url in urls:
            await post(delivery(url))


def resolving_to(*answers):
    """A resolver that gives the next answer each time, and says how often it was asked."""
    asked = []

    async def resolve(host):
        asked.append(host)
        return [ipaddress.ip_address(address) for address in answers[len(asked) - 1]]

    resolve.asked = asked
    return resolve


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "1.1.1.1", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_are_permitted(address):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.255.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "100.100.100.200",
        "169.254.169.254",
        "168.63.129.16",
        "192.0.0.192",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "fc00::1",
        "fd00:ec2::254",
        "ff02::1",
        "2001:db8::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "2002:7f00:1::",
        "2002:c0a8:101::1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:0:4136:e378:8000:63bf:80ff:fffe",
    ],
)
def test_addresses_that_lead_inside_are_refused(address):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "2130706433", "0x7f.1", "localhost"])
async def test_no_spelling_of_this_machine_gets_through(host):
    with pytest.raises(NotDeliveredError, match="the address is in a private network"):
        await post_to(f"http://{host}:9/", permit=is_public, resolve=SystemResolver())


async def test_one_private_address_among_public_ones_refuses_the_host():
    resolve = resolving_to(["8.8.8.8", "10.0.0.1"])

    with pytest.raises(NotDeliveredError, match="the address is in a private network"):
        await post_to("http://receiver.test/", permit=is_public, resolve=resolve)


async def test_a_name_is_resolved_once_so_that_it_cannot_change_after_the_check():
    with receiving() as receiver:
        resolve = resolving_to(["127.0.0.1"], ["10.0.0.1"])
        checked = []

        await post_to(receiver.url, permit=lambda address: not checked.append(str(address)), resolve=resolve)

    assert resolve.asked == ["receiver.test"]
    assert checked == ["127.0.0.1"]
    assert len(receiver.calls) == 1


async def test_a_name_that_turns_private_is_refused_at_the_next_connection():
    resolve = resolving_to(["127.0.0.1"], ["10.0.0.1"])
    closing = receiving(lambda _call: (200, {"Connection": "close"}))
    refused = pytest.raises(NotDeliveredError, match="the address is in a private network")
    with closing as receiver, refused:
        await post_to(receiver.url, receiver.url, permit=lambda each: str(each) != "10.0.0.1", resolve=resolve)

    assert len(receiver.calls) == 1


async def test_the_next_address_is_tried_when_one_does_not_answer():
    with receiving() as receiver:
        await post_to(receiver.url, resolve=resolving_to(["127.0.0.2", "127.0.0.1"]))

    assert len(receiver.calls) == 1


async def test_the_receiver_is_named_as_in_the_address():
    with receiving() as receiver:
        await post_to(receiver.url)

    assert receiver.calls[0].headers["Host"] == receiver.url.split("/")[2]


@pytest.mark.parametrize(
    ("written", "sent"),
    [("user:password", "user:password"), ("user", "user:"), ("j%C3%BCrgen:a%40b%3Ac", "jürgen:a@b:c")],
)
async def test_a_user_name_and_password_of_the_address_are_sent_as_basic_authentication(written, sent):
    with receiving() as receiver:
        await post_to(receiver.url.replace("http://", f"http://{written}@"))

    (call,) = receiver.calls
    assert call.headers["Authorization"] == f"Basic {b64encode(sent.encode()).decode()}"
    assert call.headers["Host"] == receiver.url.split("/")[2]


async def test_an_address_without_a_user_name_authenticates_nobody():
    with receiving() as receiver:
        await post_to(receiver.url)

    assert "Authorization" not in receiver.calls[0].headers


async def test_a_proxy_of_the_environment_is_ignored(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    with receiving() as receiver:
        await post_to(receiver.url)

    assert len(receiver.calls) == 1


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://receiver.test/", "the address isn't an http or https URL"),
        ("file:///etc/passwd", "the address isn't an http or https URL"),
        ("http://", "the address isn't an http or https URL"),
        ("http://[::1", "the address isn't a URL"),
    ],
)
async def test_other_addresses_than_plain_http_are_refused(url, reason):
    with pytest.raises(NotDeliveredError, match=reason):
        await post_to(url)


async def test_an_unknown_name_is_a_failure():
    async def unknown(_host):
        raise OSError

    with pytest.raises(NotDeliveredError, match="no connection"):
        await post_to("http://receiver.test/", resolve=unknown)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_every_2xx_is_a_success(status):
    with receiving(lambda _call: status) as receiver:
        await post_to(receiver.url)

    assert len(receiver.calls) == 1


@pytest.mark.parametrize("status", [300, 304, 400, 404, 410, 429, 500, 503])
async def test_every_other_status_is_a_failure(status):
    with receiving(lambda _call: status) as receiver, pytest.raises(NotDeliveredError, match=f"status {status}"):
        await post_to(receiver.url)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_a_failure_and_is_not_followed(status):
    refused = pytest.raises(NotDeliveredError, match=f"status {status}")
    with (
        receiving() as elsewhere,
        receiving(lambda _call: (status, {"Location": elsewhere.url})) as receiver,
        refused,
    ):
        await post_to(receiver.url)

    assert elsewhere.calls == []


async def test_a_name_server_that_is_silent_times_out():
    async def silent(_host):
        await asyncio.Event().wait()

    with pytest.raises(NotDeliveredError, match=r"no answer within 0\.1 s"):
        await post_to("http://receiver.test/", timeout=0.1, resolve=silent)


def certificate(tmp_path, name):
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    today = dt.datetime.now(dt.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(today - dt.timedelta(days=1))
        .not_valid_after(today + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path / f"{name}.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + signed.public_bytes(serialization.Encoding.PEM)
    )
    return path


def server_side(path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


async def test_a_certificate_is_checked_against_the_name_of_the_address(tmp_path):
    path = certificate(tmp_path, "receiver.test")
    with receiving(tls=server_side(path)) as receiver:
        await post_to(receiver.url, tls=ssl.create_default_context(cafile=path))

    assert len(receiver.calls) == 1


async def test_a_certificate_for_another_name_is_refused(tmp_path):
    path = certificate(tmp_path, "other.test")
    with receiving(tls=server_side(path)) as receiver, pytest.raises(NotDeliveredError, match="TLS handshake failed"):
        await post_to(receiver.url, tls=ssl.create_default_context(cafile=path))

    assert receiver.calls == []


def test_every_address_is_permitted_when_private_networks_are_allowed():
    assert any_address(ipaddress.ip_address("127.0.0.1"))
