"""What stands on an invoice, as it is kept: nothing of it depends on anything that changes later. Pure."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from pydantic import BaseModel, ConfigDict

from messaging_service.accounts.money import UNIT, Money
from messaging_service.billing.issuer import IssuerFile, Language, Party

_CENT: Money = UNIT // 100


class Line(BaseModel):
    """What was charged: messages of a channel, or a service (``text`` is the sender). The amount is exact."""

    model_config = ConfigDict(frozen=True)

    item: str
    text: str = ""
    quantity: int
    amount: Money


class Document(BaseModel):
    """An invoice. Amounts are millionths of ``currency``; ``supplied`` is the last day of the month."""

    model_config = ConfigDict(frozen=True)

    number: str
    billing_id: str
    month: str
    issued: str
    supplied: str
    language: Language
    currency: str
    issuer: Party
    note: str
    customer: Party
    lines: tuple[Line, ...]
    vat_rate: str
    net: Money
    vat: Money

    @property
    def total(self) -> Money:
        """What the invoice comes to."""
        return self.net + self.vat


class Facts(BaseModel):
    """What is particular to one invoice."""

    model_config = ConfigDict(frozen=True)

    number: str
    billing_id: str
    month: str
    issued: str
    supplied: str
    currency: str
    customer: Party


def write_document(facts: Facts, lines: Sequence[Line], issued_by: IssuerFile, vat_rate: str) -> Document:
    """Return the invoice: the lines' exact sum to the cent, and the tax on it."""
    net = _to_the_cent(Decimal(sum(line.amount for line in lines)))
    return Document(
        **dict(facts),
        language=issued_by.language,
        issuer=Party(**issued_by.issuer.model_dump(exclude={"note"})),
        note=issued_by.issuer.note,
        lines=tuple(lines),
        vat_rate=vat_rate,
        net=net,
        vat=_to_the_cent(Decimal(net) * Decimal(vat_rate) / 100),
    )


def _to_the_cent(amount: Decimal) -> Money:
    return int((amount / _CENT).quantize(Decimal(1), ROUND_HALF_UP)) * _CENT
