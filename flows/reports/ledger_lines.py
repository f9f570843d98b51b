"""Batches and recipients of a campaign as lines: of columns for people, of JSON for programs, one after another."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal

from flows.ledger import Ledger
from flows.ledger.listing import ListedBatch, ListedRecipient, listed_batches, listed_recipients
from flows.planning.tags import BATCH_TAG

BATCHES = f"{'State':<9} {'Wave':>4} {'Way':<5} {'Recipients':>10} {'Attempts':>8} {'Claimed (UTC)':<19}  Tag"
RECIPIENTS = f"{'Number':<15} {'Line':>8} {'Wave':>4} {'Result':<11} {'Call':<9}  Message, reason"
_MOMENTS = ("claimed_at", "answered_at", "updated_at")
_PRICES = ("price_czk", "price_eur")


def lines_of(book: Ledger, campaign_id: str, *, batches: bool, state: str | None, as_json: bool) -> Iterator[str]:
    """Write a campaign's batches or recipients, those in one state where it is given."""
    if batches:
        calls = listed_batches(book, campaign_id, state)
        return json_lines(calls) if as_json else batch_lines(calls)
    people = listed_recipients(book, campaign_id, state)
    return json_lines(people) if as_json else recipient_lines(people)


def batch_lines(batches: Iterable[ListedBatch]) -> Iterator[str]:
    """Write batches in columns, named by the tag under which the provider has them."""
    yield BATCHES
    for one in batches:
        own = next((tag for tag in one.tag.split(",") if BATCH_TAG.fullmatch(tag)), one.batch)
        claimed = (_written(one.claimed_at) or "")[:19].replace("T", " ")
        numbers = f"{one.wave:>4} {one.way:<5} {one.recipients:>10} {one.attempts:>8}"
        yield _stripped(f"{_said(one.state):<9} {numbers} {claimed:<19}  {own}  {one.doubt or ''}")


def recipient_lines(recipients: Iterable[ListedRecipient]) -> Iterator[str]:
    """Write recipients in columns."""
    yield RECIPIENTS
    for one in recipients:
        place = f"{one.phone_number:<15} {one.line:>8} {one.wave:>4}"
        more = f"{one.message_id or ''}  {one.reason or ''}"
        yield _stripped(f"{place} {one.result:<11} {_said(one.batch_state):<9}  {more.strip()}")


def json_lines(listed: Iterable[ListedBatch | ListedRecipient]) -> Iterator[str]:
    """Write each as one JSON object; times are ISO 8601, UTC, prices decimal strings."""
    for one in listed:
        values = dict(vars(one))
        values |= {name: _written(values[name]) for name in _MOMENTS if name in values}
        values |= {name: _decimal(values[name]) for name in _PRICES if name in values}
        yield json.dumps(values, ensure_ascii=False)


def _said(state: str) -> str:
    return state.replace("_", " ")


def _stripped(line: str) -> str:
    # A reason is the provider's: it must not break the line, or command the terminal.
    shown = line if line.isprintable() else "".join(each if each.isprintable() else " " for each in line)
    return shown.rstrip()


def _written(moment: float | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(round(moment), UTC).isoformat()


def _decimal(millionths: int) -> str:
    return f"{Decimal(millionths).scaleb(-6):f}"
