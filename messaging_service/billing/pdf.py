"""Draws an invoice as a PDF file: A4, with a font of its own that has the letters of European languages."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Final

from fpdf import FPDF
from fpdf.enums import Align, TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace

from messaging_service.accounts.money import Money, format_money
from messaging_service.billing.document import Document, Line
from messaging_service.billing.issuer import Party
from messaging_service.billing.texts import WORDS, Words

_FONTS: Final = Path(__file__).with_name("fonts")
_FONT: Final = "DejaVu"
_MARGIN: Final = 18.0
_WIDTH: Final = 210.0 - 2 * _MARGIN
_HALF: Final = _WIDTH / 2 - 4
_ROW: Final = 5.0
_GREY: Final = 110
_LIGHT: Final = 190
_SUMS: Final = 34.0
"""Height of the sums and what is below them."""
_NARROW_SPACE: Final = "\u202f"


def draw(document: Document) -> bytes:
    """Return the file. Takes a tenth of a second of one processor."""
    words = WORDS[document.language]
    pdf = _Paper(words)
    pdf.set_title(f"{_title(document, words)} {document.number}")
    pdf.set_creation_date(datetime.fromisoformat(document.issued).replace(tzinfo=UTC))
    pdf.add_page()
    _head(pdf, document, words)
    _parties(pdf, document, words)
    _facts(pdf, document, words)
    _lines(pdf, document, words)
    _sums(pdf, document, words)
    return bytes(pdf.output())


class _Paper(FPDF):
    """A4 with our font, and a number at the foot of each page."""

    def __init__(self, words: Words) -> None:
        super().__init__(format="A4")
        self._words = words
        self.set_margin(_MARGIN)
        self.c_margin = 0
        self.set_draw_color(_LIGHT)
        self.set_auto_page_break(auto=True, margin=_MARGIN + 6)
        self.add_font(_FONT, "", _FONTS / "DejaVuSans.ttf")
        self.add_font(_FONT, "B", _FONTS / "DejaVuSans-Bold.ttf")

    def footer(self) -> None:
        """Write the number of the page."""
        self.set_y(-_MARGIN)
        self.write_line(f"{self._words.page} {self.page_no()}", 8, grey=True, align=Align.R)

    def write_line(  # noqa: PLR0913 - how it looks, each by name
        self,
        text: str,
        size: float = 9,
        *,
        bold: bool = False,
        grey: bool = False,
        width: float = _WIDTH,
        align: Align = Align.L,
    ) -> None:
        """Write text from where we are, in as many rows as it takes, and go below it."""
        self.set_font(_FONT, "B" if bold else "", size)
        self.set_text_color(_GREY if grey else 0)
        self.multi_cell(width, _ROW * size / 9, text, align=align, new_x=XPos.LEFT, new_y=YPos.NEXT)
        self.set_text_color(0)


def _head(pdf: _Paper, document: Document, words: Words) -> None:
    pdf.write_line(_title(document, words), 16, bold=True)
    pdf.write_line(document.number, 12, grey=True)
    pdf.ln(6)


def _title(document: Document, words: Words) -> str:
    if document.total < 0:
        return words.credit_note
    return words.tax_invoice if _is_taxed(document) else words.invoice


def _is_taxed(document: Document) -> bool:
    return Decimal(document.vat_rate) != 0


def _parties(pdf: _Paper, document: Document, words: Words) -> None:
    top = pdf.get_y()
    bottoms = []
    for left, heading, party, note in (
        (_MARGIN, words.issuer, document.issuer, document.note),
        (_MARGIN + _WIDTH / 2 + 4, words.customer, document.customer, ""),
    ):
        pdf.set_xy(left, top)
        pdf.write_line(heading, 8, grey=True, width=_HALF)
        pdf.write_line(party.name, 10, bold=True, width=_HALF)
        for row in _address(party, words):
            pdf.write_line(row, width=_HALF)
        if note:
            pdf.write_line(note, 8, grey=True, width=_HALF)
        bottoms.append(pdf.get_y())
    pdf.set_xy(_MARGIN, max(bottoms) + 6)


def _address(party: Party, words: Words) -> Sequence[str]:
    rows = [party.street, f"{party.zip} {party.city}".strip(), party.country.upper()]
    rows += [f"{words.company_id}: {party.company_id}" if party.company_id else ""]
    rows += [f"{words.company_vat}: {party.company_vat}" if party.company_vat else "", party.email]
    return [row for row in rows if row]


def _facts(pdf: _Paper, document: Document, words: Words) -> None:
    for name, value in (
        (words.month, f"{int(document.month[5:])}/{document.month[:4]}"),
        (words.issued, _date(document.issued, words)),
        (words.supplied, _date(document.supplied, words)),
        (words.customer_number, document.billing_id),
    ):
        top = pdf.get_y()
        pdf.write_line(name, grey=True, width=60)
        pdf.set_xy(_MARGIN + 60, top)
        pdf.write_line(value, width=_WIDTH - 60)
        pdf.set_x(_MARGIN)
    pdf.ln(6)


def _lines(pdf: _Paper, document: Document, words: Words) -> None:
    pdf.set_font(_FONT, "", 9)
    table = pdf.table(
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
        col_widths=(100, 30, 44),
        text_align=(Align.L, Align.R, Align.R),
        headings_style=FontFace(emphasis="BOLD"),
        line_height=_ROW + 1,
        padding=(1, 0),
    )
    with table as rows:
        rows.row((words.item, words.quantity, words.amount_without_vat if _is_taxed(document) else words.amount))
        for line in document.lines:
            rows.row((_item(line, words), _grouped(str(line.quantity), words), _exact(line.amount, document, words)))
    pdf.ln(6)


def _item(line: Line, words: Words) -> str:
    name = words.items.get(line.item, line.item)
    return f"{name} {line.text}" if line.text else name


def _sums(pdf: _Paper, document: Document, words: Words) -> None:
    rate = document.vat_rate.replace(".", words.decimal_mark)
    taxed = [(words.net, document.net), (f"{words.vat} {rate} %", document.vat)] if _is_taxed(document) else []
    rows = [*taxed, (words.total, document.total)]
    if pdf.will_page_break(_SUMS):
        pdf.add_page()
    for name, amount in rows:
        is_total = name == words.total
        top, size = pdf.get_y(), 12 if is_total else 9
        pdf.set_x(_MARGIN + _WIDTH / 2)
        pdf.write_line(name, size, bold=is_total, width=_WIDTH / 4)
        pdf.set_xy(_MARGIN + _WIDTH * 3 / 4, top)
        pdf.write_line(_exact(amount, document, words), size, bold=is_total, width=_WIDTH / 4, align=Align.R)
        pdf.set_x(_MARGIN)
    pdf.ln(6)
    pdf.write_line(words.paid, 10, bold=True)


def _exact(amount: Money, document: Document, words: Words) -> str:
    return f"{_grouped(format_money(amount), words)} {document.currency}"


def _grouped(number: str, words: Words) -> str:
    """Write a number with its thousands apart and the language's decimal mark."""
    return f"{Decimal(number):,}".replace(",", _NARROW_SPACE).replace(".", words.decimal_mark)


def _date(text: str, words: Words) -> str:
    day = date.fromisoformat(text)
    return words.date.format(year=day.year, month=day.month, day=day.day)
