"""Gives out the files of invoices: each is drawn when it is first asked for, and is the same from then on."""

import asyncio

from sqlalchemy import RowMapping

from messaging_service.billing.document import Document
from messaging_service.store import invoices
from messaging_service.store.engine import Store


class InvoiceFiles:
    """Draws one at a time: each keeps a processor busy for a moment."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._drawing = asyncio.Lock()

    async def file(self, invoice: RowMapping) -> bytes:
        """Return the file of an invoice, as ``store.invoices`` found it."""
        if invoice["pdf"] is not None:
            return bytes(invoice["pdf"])
        async with self._drawing:
            pdf = await asyncio.to_thread(_drawn, invoice["document"])
        return await asyncio.to_thread(self._keep, invoice["id"], pdf)

    def _keep(self, invoice_id: int, pdf: bytes) -> bytes:
        with self._store.writing() as connection:
            return invoices.keep_file(connection, invoice_id, pdf)


def _drawn(document: str) -> bytes:
    # Loads fonts and images: not before it is needed.
    from messaging_service.billing.pdf import draw

    return draw(Document.model_validate_json(document))
