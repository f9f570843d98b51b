"""The words of invoices, in each language."""

from collections.abc import Mapping
from dataclasses import dataclass

from messaging_service.billing.issuer import Language


@dataclass(frozen=True, slots=True)
class Words:
    """What is printed; ``items`` are the names of channels and services."""

    invoice: str
    tax_invoice: str
    credit_note: str
    issuer: str
    customer: str
    company_id: str
    company_vat: str
    month: str
    issued: str
    supplied: str
    customer_number: str
    item: str
    quantity: str
    amount: str
    amount_without_vat: str
    net: str
    vat: str
    total: str
    paid: str
    page: str
    items: Mapping[str, str]
    decimal_mark: str
    date: str


_ENGLISH = Words(
    invoice="Invoice",
    tax_invoice="Tax invoice",
    credit_note="Credit note",
    issuer="Issuer",
    customer="Customer",
    company_id="Company ID",
    company_vat="VAT ID",
    month="Month",
    issued="Issued",
    supplied="Date of supply",
    customer_number="Billing ID",
    item="Item",
    quantity="Quantity",
    amount="Amount",
    amount_without_vat="Amount without VAT",
    net="Total without VAT",
    vat="VAT",
    total="Total",
    paid="Paid from credit. Please do not pay.",
    page="Page",
    items={
        "sms": "SMS messages",
        "viber": "Viber messages",
        "rcs": "RCS messages",
        "whatsapp_text": "WhatsApp messages",
        "whatsapp_template": "WhatsApp template messages",
        "name": "Sender name",
        "number": "Virtual number",
    },
    decimal_mark=".",
    date="{year}-{month:02d}-{day:02d}",
)
_CZECH = Words(
    invoice="Faktura",
    tax_invoice="Faktura – daňový doklad",  # noqa: RUF001 - a dash
    credit_note="Opravný daňový doklad",
    issuer="Dodavatel",
    customer="Odběratel",
    company_id="IČO",
    company_vat="DIČ",
    month="Období",
    issued="Datum vystavení",
    supplied="Datum uskutečnění plnění",
    customer_number="Fakturační ID",
    item="Položka",
    quantity="Počet",
    amount="Částka",
    amount_without_vat="Částka bez DPH",
    net="Celkem bez DPH",
    vat="DPH",
    total="Celkem",
    paid="Uhrazeno z kreditu. Neplaťte.",
    page="Strana",
    items={
        "sms": "Zprávy SMS",
        "viber": "Zprávy Viber",
        "rcs": "Zprávy RCS",
        "whatsapp_text": "Zprávy WhatsApp",
        "whatsapp_template": "Zprávy WhatsApp ze šablony",
        "name": "Jméno odesílatele",
        "number": "Virtuální číslo",
    },
    decimal_mark=",",
    date="{day}. {month}. {year}",
)
_SLOVAK = Words(
    invoice="Faktúra",
    tax_invoice="Faktúra – daňový doklad",  # noqa: RUF001 - a dash
    credit_note="Opravná faktúra",
    issuer="Dodávateľ",
    customer="Odberateľ",
    company_id="IČO",
    company_vat="IČ DPH",
    month="Obdobie",
    issued="Dátum vystavenia",
    supplied="Dátum dodania služby",
    customer_number="Fakturačné ID",
    item="Položka",
    quantity="Počet",
    amount="Suma",
    amount_without_vat="Suma bez DPH",
    net="Spolu bez DPH",
    vat="DPH",
    total="Spolu",
    paid="Uhradené z kreditu. Neplaťte.",
    page="Strana",
    items={
        "sms": "Správy SMS",
        "viber": "Správy Viber",
        "rcs": "Správy RCS",
        "whatsapp_text": "Správy WhatsApp",
        "whatsapp_template": "Správy WhatsApp zo šablóny",
        "name": "Meno odosielateľa",
        "number": "Virtuálne číslo",
    },
    decimal_mark=",",
    date="{day}. {month}. {year}",
)
WORDS: Mapping[Language, Words] = {Language.ENGLISH: _ENGLISH, Language.CZECH: _CZECH, Language.SLOVAK: _SLOVAK}
