"""A chart of what became of a campaign's messages, a bar a wave, as SVG in Markdown. Pure."""

import base64
from collections.abc import Iterator, Mapping, Sequence
from html import escape

WIDTH, LEFT, RIGHT, TOP = 760, 90, 70, 44
BAR, GAP = 24, 10
INK = "#333333"
BARS_SHOWN = 30
COLORS = {
    "delivered": "#2f7d5b",
    "undelivered": "#c0503c",
    "without receipt": "#e0a63c",
    "rejected": "#7b4b94",
    "waiting": "#b8c4d0",
}

Bar = tuple[str, Mapping[str, int]]


def outcome_chart(bars: Sequence[Bar], title: str) -> str:
    """Write the chart as an image in Markdown; each bar has a label and numbers by the names of `COLORS`."""
    data = base64.b64encode(svg(bars[:BARS_SHOWN], title).encode()).decode()
    return f"![{title}](data:image/svg+xml;base64,{data})"


def svg(bars: Sequence[Bar], title: str) -> str:
    """Draw a bar for each, as long as it has people, and a legend above."""
    height = TOP + len(bars) * (BAR + GAP)
    most = max((sum(counted.values()) for _, counted in bars), default=0) or 1
    drawn = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            f' role="img" font-family="sans-serif" font-size="12" fill="{INK}">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        *_legend(),
    ]
    for place, (label, counted) in enumerate(bars):
        drawn += _bar(TOP + place * (BAR + GAP), label, counted, most)
    return "".join([*drawn, "</svg>"])


def _legend() -> Iterator[str]:
    for place, (name, color) in enumerate(COLORS.items()):
        x = LEFT + place * 118
        yield f'<rect x="{x}" y="12" width="12" height="12" fill="{color}"/><text x="{x + 18}" y="22">{name}</text>'


def _bar(y: int, label: str, counted: Mapping[str, int], most: int) -> Iterator[str]:
    yield f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{escape(label)}</text>'
    x = float(LEFT)
    for name, color in COLORS.items():
        width = counted.get(name, 0) / most * (WIDTH - LEFT - RIGHT)
        if width:
            yield (
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{BAR}" fill="{color}">'
                f"<title>{counted[name]:,} {name}</title></rect>"
            )
            x += width
    yield f'<text x="{x + 6:.1f}" y="{y + 16}">{sum(counted.values()):,}</text>'
