"""What a campaign will do, told before it does: recipients, lists, prices by country, the longest text."""

import asyncio

import pytest
from provider import Provider as FakeProvider
from serving import served

from flows.parameters import Campaign
from flows.planning.facts import Facts, gather_facts
from flows.planning.preparing import Asked, prepare
from flows.planning.preview import make_preview
from flows.provider import Provider
from flows.recipients.sources import read_inline
from flows.reports.preview import preview_page
from interface.client import Addresses, AsyncMessagingClient, RetryPolicy
from interface.credit import CountryPrice, Credit

NOW = 1_800_000_000.0
PEOPLE = [
    {"phone": "+420 777 000 001", "name": "Ada"},
    {"phone": "+420 777 000 002", "name": "Božena Němcová"},
    {"phone": "+43 664 1230001", "name": "Cyd"},
    {"phone": "+420 777 000 001", "name": "Ada again"},
    {"phone": "nobody", "name": "Bob"},
]
PRICES = {
    "420": CountryPrice(price_czk="0.85", price_eur="0.034"),
    "default": CountryPrice(price_czk="2.10", price_eur="0.084"),
}


def preview(facts=None, **parameters):
    campaign = Campaign(name="Spring", recipients=PEOPLE, **{"text": "Hello {name}", **parameters})
    prepared = prepare(campaign, read_inline(campaign.recipients, "phone"), NOW, Asked.of(campaign))
    return make_preview(prepared.plan, prepared.reading, facts or Facts())


def test_recipients_are_counted_after_deduplication():
    counted = preview()

    assert (counted.lines, counted.left_out, counted.duplicates, counted.recipients) == (5, 1, 1, 3)


def test_each_country_has_its_parts_and_price():
    made = preview(Facts(prices=PRICES))

    assert [(one.country, one.recipients, one.parts, one.price_czk) for one in made.countries] == [
        ("CZ", 2, 2, "1.70"),
        ("AT", 1, 1, "2.10"),
    ]
    assert (made.parts, made.price_czk, made.price_eur) == (3, "3.80", "0.15")


def test_those_on_a_list_are_counted_and_cost_nothing():
    made = preview(Facts(prices=PRICES, suppressed=frozenset({"420777000001", "420777999999"})))

    assert (made.suppressed, made.parts, made.price_czk) == (1, 2, "2.95")


@pytest.mark.parametrize(("credit", "suffices"), [("3.80", True), ("3.79", False)])
def test_the_credit_is_compared_with_the_cost(credit, suffices):
    made = preview(Facts(prices=PRICES, credit=Credit(credit_czk=credit, currency="CZK")))

    assert made.credit_suffices is suffices
    assert ("doesn't suffice" in preview_page(made)) is not suffices


def test_the_text_is_shown_as_the_longest_recipient_gets_it_with_the_characters_that_make_it_expensive():
    made = preview()

    assert made.longest_text == "Hello Božena Němcová"
    assert made.longest_encoding == "ucs2"
    assert made.in_ucs2 == 1
    assert [one.character for one in made.expensive_characters] == ["ž", "ě", "á"]
    assert made.expensive_characters[0].name == "Latin Small Letter Z With Caron"


def test_a_price_list_with_gaps_is_told():
    prices = {"420": CountryPrice(price_czk="0.85", operators={"3": {"price_czk": "0.87"}})}

    made = preview(Facts(prices=prices))

    assert made.price_czk == "1.70"
    assert any("no price for AT" in note for note in made.notes)
    assert any("In CZ the price depends on the network" in note for note in made.notes)


def test_countries_whose_holidays_are_not_known_are_told(monkeypatch):
    monkeypatch.setattr("flows.planning.preview.knows_holidays", lambda region: region != "AT")

    made = preview(local_hours={"holidays": True})

    assert made.notes == ["The public holidays of AT aren't known; these are written to on any day."]


@pytest.mark.parametrize(
    ("text", "length"),
    [("Hello {name}", "20 characters in UCS-2, 1 part."), ("Hello", "5 characters in GSM 7-bit, 1 part.")],
)
def test_the_page_names_the_alphabet_as_operators_do(text, length):
    page = preview_page(preview(text=text))

    assert length in page


def test_a_text_cannot_break_out_of_the_page():
    page = preview_page(preview(text="``` {name} ```"))

    assert "````text\n``` Božena Němcová ```\n````" in page


def facts_of(fake, tags=("promotional",)):
    async def ask(address):
        async with AsyncMessagingClient("key", Addresses.of(address), retries=RetryPolicy(attempts=1)) as client:
            return await gather_facts(Provider(client), tags)

    with served(fake.app) as address:
        return asyncio.run(ask(address))


def test_the_provider_tells_prices_credit_and_lists():
    fake = FakeProvider(
        prices={"sms": {"420": {"price_czk": "0.85"}}},
        credit_czk="17.00",
        tells_lists=True,
        opted_out=frozenset({"420777000001"}),
        blacklisted=frozenset({"420777000002"}),
    )

    facts = facts_of(fake)

    assert facts.prices["420"].price_czk == "0.85"
    assert facts.credit.credit_czk == "17.00"
    assert facts.suppressed == {"420777000001", "420777000002"}
    assert facts.notes == ()


def test_the_opt_out_list_does_not_count_for_transactional_messages():
    fake = FakeProvider(tells_lists=True, opted_out=frozenset({"420777000001"}))

    assert facts_of(fake, ("transactional",)).suppressed == frozenset()


def test_what_the_provider_does_not_offer_is_a_sentence_each():
    facts = facts_of(FakeProvider())

    assert (facts.prices, facts.credit, facts.suppressed) == (None, None, None)
    assert facts.notes == (
        "The provider tells no prices (No such call).",
        "The provider doesn't tell the credit (No such call).",
        "The provider doesn't tell its blacklist (No such call).",
        "The provider doesn't tell its opt-out list (No such call).",
    )
    assert "what they cost isn't known" in preview_page(preview(facts))
