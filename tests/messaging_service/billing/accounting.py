"""Helpers of the billing tests: charge something, end the month, read what comes of it."""

import base64
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pypdf import PdfReader

from messaging_service.clock import HOUR, moment
from messaging_service.store import charges

ISSUER = Path(__file__).parents[3] / "examples" / "issuer.toml"
NUMBER, OTHER = "420601123456", "420601123457"
CONTACT = {
    "name": "Žluťoučký kůň s.r.o.",
    "email": "ucetni@example.com",
    "street": "Ďáblická 12",
    "city": "Ústí nad Labem",
    "zip": "400 01",
    "country": "cz",
    "company_id": "87654321",
    "company_vat": "CZ87654321",
}


def billing(service, key=None):
    """Return the billing contact of a key, the first account's by default."""
    return service.client(key or service.key).post("/v1/billing/get", json={}).json()["billing"]


def invoices(service, key=None, **query):
    answer = service.client(key or service.key).post("/v1/billing/invoices/list", json=query)
    assert answer.status_code == 200, answer.text
    return answer.json()["invoices"]


def pdf(service, invoice_id, key=None):
    answer = service.client(key or service.key).post("/v1/billing/invoices/pdf", json={"invoice_id": invoice_id})
    assert answer.status_code == 200, answer.text
    return base64.b64decode(answer.json()["pdf"])


def text_of(content):
    """Return the text that a PDF file shows."""
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def send(service, *numbers, **message):
    """Send and wait until every message was delivered."""
    body = {"to": [{"phone_number": number} for number in numbers], "body": "Dobrý den", "tag": "transactional"}
    accepted = service.api.post("/v2/message", json=body | message).json()["accepted"]
    for each in accepted:
        service.wait_for_status(each["message_id"], delivery_code="201")


def end_month(service):
    """Move the clock to two hours after the end of the present month; returns that month."""
    now = datetime.fromtimestamp(service.clock.now() / 1000, UTC)
    following = (now.replace(day=1, hour=0, minute=0, second=0, microsecond=0) + timedelta(days=32)).replace(day=1)
    service.clock.move(moment(following) + 2 * HOUR - service.clock.now())
    return f"{now:%Y-%m}"


def charge(store, wallet_id, date, amount, channel="sms"):
    """Write that a wallet was charged on a date, without sending anything."""
    with store.writing() as connection:
        charges.add(connection, {(wallet_id, date, channel): (1, amount)})
