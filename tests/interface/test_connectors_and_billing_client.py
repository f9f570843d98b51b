"""The calls about marketing platforms, billing and partners, over a real socket (specification 4.3)."""

import base64
import json

import pytest
from pydantic import ValidationError
from scripted_server import Reply

from interface import errors
from interface.billing import BillingUpdate
from interface.client import Addresses, MessagingClient, RetryPolicy
from interface.partner import PartnerSignup, PushDevice, RecipientRegister

KEY = "a-secret-key"
CONTACT = {"billing_id": "b-1", "name": "Obchod", "country": "cz"}
INVOICE = {
    "invoice_id": "2026000001",
    "billing_id": "b-1",
    "month": "2026-03",
    "issued": "2026-04-01",
    "currency": "CZK",
    "vat_rate": "21",
    "net": "100.00",
    "vat": "21.00",
    "total": "121.00",
}
TOPUP = {"account_number": "2000145399", "account_bank": "0800", "iban": "CZ6508000000192000145399", "vs": "1"}


@pytest.fixture
def client(server):
    with MessagingClient(KEY, Addresses.of(server.address), retries=RetryPolicy(), sleep=lambda _: None) as client:
        yield client


def sent(server):
    return [(each.method, each.path, json.loads(each.body or "null")) for each in server.received]


def test_a_platform_is_asked_for_each_thing_it_can_tell(server, client):
    server.will_answer(
        Reply(200, {"success": True, "segments": [{"id": "s/1", "name": "Spring"}]}),
        Reply(200, {"success": True, "recipients": ["420777123456"]}),
        Reply(200, {"success": True, "senders": [{"type": "sms", "name": "Dovecote"}]}),
        Reply(200, {"success": True, "account": {"id": "a", "name": "Shop", "plan": "free"}, "currency": "CZK"}),
    )

    (segment,) = client.connector_segments("klaviyo", "shop")
    recipients = client.connector_recipients("klaviyo", "shop", segment.id)
    (sender,) = client.connector_senders("klaviyo", "shop")
    me = client.connector_me("klaviyo", "shop")

    assert sent(server) == [
        ("POST", "/v1/connect/klaviyo/segments", {"app_userid": "shop"}),
        ("POST", "/v1/connect/klaviyo/recipients", {"app_userid": "shop", "segment_id": "s/1"}),
        ("POST", "/v1/connect/klaviyo/senders", {"app_userid": "shop"}),
        ("POST", "/v1/connect/klaviyo/me", {"app_userid": "shop"}),
    ]
    assert (recipients, sender.type, sender.name) == (["420777123456"], "sms", "Dovecote")
    assert (me.account.id, me.account.name, me.currency) == ("a", "Shop", "CZK")


def test_a_platform_that_refuses_the_credentials_is_an_error_with_its_sentence(server, client):
    server.will_answer(Reply(200, {"success": False, "message": "klaviyo refuses the credentials."}))

    with pytest.raises(errors.Refused, match="refuses the credentials") as refused:
        client.connector_segments("klaviyo", "shop")

    assert refused.value.status == 200


def test_billing_calls_go_to_their_paths_with_their_bodies(server, client):
    server.will_answer(
        Reply(200, {"success": True, "billing": CONTACT}),
        Reply(200, {"success": True}),
        Reply(200, {"success": True, "invoices": [INVOICE]}),
        Reply(200, {"success": True, "filename": "2026000001.pdf", "pdf": base64.b64encode(b"%PDF-").decode()}),
        Reply(200, {"success": True, "topup": TOPUP}),
    )

    contact = client.billing_get()
    client.billing_set(BillingUpdate(billing_id="b-1", name="", country="CZ"))
    (invoice,) = client.invoices_list(year=2026)
    pdf = client.invoice_pdf(invoice.invoice_id)
    topup = client.billing_topup()

    assert sent(server) == [
        ("POST", "/v1/billing/get", {}),
        ("POST", "/v1/billing/set", {"billing_id": "b-1", "name": "", "country": "cz"}),
        ("POST", "/v1/billing/invoices/list", {"year": 2026}),
        ("POST", "/v1/billing/invoices/pdf", {"invoice_id": "2026000001"}),
        ("GET", "/v1/billing/topup", None),
    ]
    assert (contact.name, contact.email, invoice.total, pdf) == ("Obchod", "", "121.00", b"%PDF-")
    assert topup.model_dump() == TOPUP


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({}, "must hold at least one of name, email"),
        ({"email": "nobody"}, "email"),
        ({"country": "cze"}, "country"),
        ({"name": "two\nlines"}, "name"),
    ],
)
def test_a_billing_contact_that_makes_no_sense_is_refused(values, complaint):
    with pytest.raises(ValidationError, match=complaint):
        BillingUpdate(billing_id="b-1", **values)


def test_partner_calls_go_to_their_paths_with_their_bodies(server, client):
    server.will_answer(
        Reply(200, {"success": True, "token": "t", "redirect_url": "https://example.com/t"}),
        Reply(200, {"success": True, "device": {"device_id": "d", "platform": "ios"}}),
        Reply(200, {"success": True, "recipient": {"recipient_id": "r", "phone_number": "420777123456"}}),
    )

    signup = client.partner_signup(PartnerSignup(name="Shop", app_userid="customer-17"))
    device = client.push_device(PushDevice(device_id="d", platform="ios", token="a-push-token"))
    recipient = client.recipient_register(RecipientRegister(phone_number="420777123456", device_id="d"))

    assert sent(server) == [
        ("POST", "/v1/partner/signup", {"name": "Shop", "app_userid": "customer-17"}),
        ("POST", "/v1/push/device", {"device_id": "d", "platform": "ios", "token": "a-push-token"}),
        ("POST", "/v1/recipient/register", {"phone_number": "420777123456", "device_id": "d"}),
    ]
    assert (signup.redirect_url, device.device_id, recipient.recipient_id) == ("https://example.com/t", "d", "r")
    assert "a-push-token" not in repr(PushDevice(device_id="d", platform="ios", token="a-push-token"))
