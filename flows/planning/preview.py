"""What a campaign will do, before it does: who, what, when, and at what price. Pure."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache

from pydantic import BaseModel, ConfigDict, Field

from flows.ledger import CampaignPlan, PlannedMessage
from flows.planning.account_of_reading import Reading
from flows.planning.clocks import knows_holidays
from flows.planning.facts import Facts
from interface.credit import CountryPrice
from interface.parts import Encoding, count_parts, expensive_characters
from interface.phone_numbers import country

ANY_OTHER = "default"
CENTS = Decimal("0.01")


class Frozen(BaseModel):
    """A part of a preview."""

    model_config = ConfigDict(frozen=True)


class CountryCost(Frozen):
    """What goes to one country; prices are decimal strings, None where the price list doesn't have it."""

    country: str
    calling_code: str
    recipients: int
    parts: int
    price_czk: str | None = None
    price_eur: str | None = None


class ExpensiveCharacter(Frozen):
    """A character that makes a text travel in UCS-2, 70 characters a part instead of 160."""

    character: str
    name: str
    recipients: int


class WavePreview(Frozen):
    """Those who are written to at one moment (ISO 8601, UTC; None: at once), as calls or as files."""

    opens_at: str | None
    closes_at: str | None
    recipients: int
    way: str


class Preview(Frozen):
    """What a campaign will do."""

    campaign: str
    lines: int
    left_out: int
    duplicates: int
    recipients: int = Field(description="After deduplication.")
    suppressed: int | None = Field(description="Of them on the opt-out list or the blacklist; None: not told.")
    parts: int = Field(description="Billed parts, without those of suppressed recipients.")
    countries: list[CountryCost]
    price_czk: str | None
    price_eur: str | None
    credit: str | None
    currency: str | None
    credit_suffices: bool | None
    longest_text: str
    longest_parts: int
    longest_encoding: Encoding
    in_ucs2: int = Field(description="Recipients whose text travels in UCS-2.")
    expensive_characters: list[ExpensiveCharacter]
    waves: list[WavePreview]
    notes: list[str]


def make_preview(plan: CampaignPlan, reading: Reading, facts: Facts) -> Preview:
    """Bring the plan and what the provider tells together."""
    objects = [message for batch in plan.batches for message in batch.messages]
    longest = max((message.body for message in objects), key=lambda body: (count_parts(body).parts, len(body)))
    countries = list(_countries(objects, facts))
    price_czk, price_eur = _sum(one.price_czk for one in countries), _sum(one.price_eur for one in countries)
    currency, credit = _credit(facts)
    cost = {"CZK": price_czk, "EUR": price_eur}.get(currency or "")
    recipients = sum(len(message.recipients) for message in objects)
    return Preview(
        campaign=plan.name,
        lines=reading.lines,
        left_out=reading.left_out.number,
        duplicates=reading.duplicates,
        recipients=recipients,
        suppressed=None if facts.suppressed is None else recipients - sum(one.recipients for one in countries),
        parts=sum(one.parts for one in countries),
        countries=countries,
        price_czk=price_czk,
        price_eur=price_eur,
        credit=credit,
        currency=currency,
        credit_suffices=None if cost is None or credit is None else Decimal(credit) >= Decimal(cost),
        longest_text=longest,
        longest_parts=count_parts(longest).parts,
        longest_encoding=count_parts(longest).encoding,
        in_ucs2=sum(len(one.recipients) for one in objects if count_parts(one.body).encoding is Encoding.UCS2),
        expensive_characters=_expensive(objects),
        waves=list(_waves(plan)),
        notes=[*facts.notes, *_notes_on_prices(countries, facts), *_notes_on_holidays(plan)],
    )


def _countries(objects: Iterable[PlannedMessage], facts: Facts) -> Iterator[CountryCost]:
    recipients: Counter[tuple[str, str]] = Counter()
    parts: Counter[tuple[str, str]] = Counter()
    suppressed = facts.suppressed or frozenset()
    for message in objects:
        parts_each = count_parts(message.body).parts
        for one in message.recipients:
            if one.phone_number not in suppressed:
                place = _place(one.phone_number)
                recipients[place] += 1
                parts[place] += parts_each
    for (region, code), number in recipients.most_common():
        price = _price(facts.prices, code)
        yield CountryCost(
            country=region,
            calling_code=code,
            recipients=number,
            parts=parts[region, code],
            price_czk=_cost(parts[region, code], price.price_czk) if price else None,
            price_eur=_cost(parts[region, code], price.price_eur) if price else None,
        )


def _place(number: str) -> tuple[str, str]:
    place = country(number)
    return (place.region, place.calling_code) if place else ("unknown", "")


def _price(prices: Mapping[str, CountryPrice] | None, code: str) -> CountryPrice | None:
    return None if prices is None else prices.get(code) or prices.get(ANY_OTHER)


def _cost(parts: int, price: str) -> str:
    return str((parts * Decimal(price)).quantize(CENTS))


def _sum(prices: Iterable[str | None]) -> str | None:
    known = [Decimal(price) for price in prices if price is not None]
    return str(sum(known, Decimal(0)).quantize(CENTS)) if known else None


def _credit(facts: Facts) -> tuple[str | None, str | None]:
    if facts.credit is None:
        return None, None
    currency = (facts.credit.currency or "").upper() or None
    amounts = {"CZK": facts.credit.credit_czk, "EUR": facts.credit.credit_eur}
    return currency, amounts.get(currency or "")


def _notes_on_prices(countries: Sequence[CountryCost], facts: Facts) -> Iterator[str]:
    if facts.prices is None:
        return
    unpriced = [one.country for one in countries if one.price_czk is None]
    if unpriced:
        yield f"The price list has no price for {', '.join(unpriced)}; the sum is without these."
    by_network = [one.country for one in countries if (_price(facts.prices, one.calling_code) or _NO_PRICE).operators]
    if by_network:
        yield f"In {', '.join(by_network)} the price depends on the network; reckoned with the country's."


def _notes_on_holidays(plan: CampaignPlan) -> Iterator[str]:
    regions = {clock["region"] for wave in plan.waves for clock in wave.clocks} - {None}
    unknown = sorted(region for region in regions if not knows_holidays(region))
    if unknown:
        yield f"The public holidays of {', '.join(unknown)} aren't known; these are written to on any day."


def _expensive(objects: Iterable[PlannedMessage]) -> list[ExpensiveCharacter]:
    found: Counter[str] = Counter()
    for message in objects:
        for character in _expensive_in(message.body):
            found[character] += len(message.recipients)
    return [
        ExpensiveCharacter(character=each, name=unicodedata.name(each, f"U+{ord(each):04X}").title(), recipients=number)
        for each, number in found.most_common()
    ]


@cache
def _expensive_in(body: str) -> tuple[str, ...]:
    return expensive_characters(body)


def _waves(plan: CampaignPlan) -> Iterator[WavePreview]:
    for wave in plan.waves:
        batches = [batch for batch in plan.batches if batch.wave == wave.number]
        if batches:
            yield WavePreview(
                opens_at=_iso(wave.opens_at),
                closes_at=_iso(wave.closes_at),
                recipients=sum(len(one.recipients) for batch in batches for one in batch.messages),
                way=batches[0].way,
            )


def _iso(moment: float | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(timespec="minutes")


_NO_PRICE = CountryPrice()
