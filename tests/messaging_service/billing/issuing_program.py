"""Issues the invoices of March 2026 in a process of its own, a few at a time, and says so after each few."""

import sys
from datetime import UTC, datetime
from pathlib import Path

from messaging_service.billing import invoicing
from messaging_service.billing.issuer import read_issuer
from messaging_service.clock import moment
from messaging_service.store.engine import open_store

ISSUER = Path(__file__).parents[3] / "examples" / "issuer.toml"


class FirstOfApril:
    def now(self):
        return moment(datetime(2026, 4, 1, 2, tzinfo=UTC))


class Telling(invoicing.Invoicing):
    def _issue_batch(self, month, now):
        issued = super()._issue_batch(month, now)
        print(issued, flush=True)  # noqa: T201 - whoever started this reads it
        return issued


if __name__ == "__main__":
    invoicing.BATCH = 3
    Telling(open_store(sys.argv[1]), FirstOfApril(), read_issuer(ISSUER), "21").issue()
