"""A chart of messages over time as SVG, shown by the Prefect UI as an image in Markdown. Pure."""

import base64
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 860, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 48, 40, 32
PLOT_WIDTH, PLOT_HEIGHT = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
DELIVERED, REST, RATE, GRID = "#2f7d5b", "#e0a63c", "#1f4e9c", "#dddddd"
LABELS = 8


@dataclass(frozen=True)
class Column:
    """One date: messages sent, those of them delivered, and the rate (0 to 1) where there is one."""

    date: dt.date
    sent: int
    delivered: int
    rate: float | None


def image(columns: Sequence[Column], title: str) -> str:
    """Write the chart as an image in Markdown, with its data in the address."""
    data = base64.b64encode(svg(columns, title).encode()).decode()
    return f"![{title}](data:image/svg+xml;base64,{data})"


def svg(columns: Sequence[Column], title: str) -> str:
    """Draw a bar a date, delivered below and the rest above, and the delivery rate as a line over them."""
    most = _round_up(max((one.sent for one in columns), default=0))
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *_legend(),
        *_axes(most),
        *_bars(columns, most),
        *_dates(columns),
        _rate(columns),
        "</svg>",
    ]
    return "".join(drawn)


def _legend() -> Iterator[str]:
    for place, (color, text) in enumerate(((DELIVERED, "delivered"), (REST, "not delivered"), (RATE, "delivery rate"))):
        x = LEFT + place * 130
        yield f'<rect x="{x}" y="12" width="12" height="12" fill="{color}"/><text x="{x + 18}" y="22">{text}</text>'


def _axes(most: int) -> Iterator[str]:
    for quarter in range(5):
        y = _y(quarter / 4)
        yield f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="{GRID}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{most * quarter / 4:,.0f}</text>'
        yield f'<text x="{WIDTH - RIGHT + 6}" y="{y + 4}" fill="{RATE}">{quarter * 25} %</text>'


def _bars(columns: Sequence[Column], most: int) -> Iterator[str]:
    # One path a color, however many dates: a chart of a year stays small.
    delivered, rest = [], []
    for place, one in enumerate(columns):
        left, width = _place(place, len(columns))
        below, top = _y(one.delivered / most), _y(one.sent / most)
        delivered.append(f"M{left} {_y(0)}h{width}V{below}h-{width}z")
        rest.append(f"M{left} {below}h{width}V{top}h-{width}z")
    yield f'<path fill="{DELIVERED}" d="{"".join(delivered)}"/>'
    yield f'<path fill="{REST}" d="{"".join(rest)}"/>'


def _dates(columns: Sequence[Column]) -> Iterator[str]:
    apart = max(1, -(-len(columns) // LABELS))
    for place in range(0, len(columns), apart):
        left, width = _place(place, len(columns))
        yield (
            f'<text x="{left + width / 2:.1f}" y="{HEIGHT - 10}" text-anchor="middle">{columns[place].date:%d %b %y}'
            "</text>"
        )


def _rate(columns: Sequence[Column]) -> str:
    points = []
    for place, one in enumerate(columns):
        if one.rate is not None:
            left, width = _place(place, len(columns))
            points.append(f"{left + width / 2:.1f},{_y(one.rate)}")
    if len(points) == 1:
        x, y = points[0].split(",")
        return f'<circle cx="{x}" cy="{y}" r="3" fill="{RATE}"/>'
    return f'<polyline fill="none" stroke="{RATE}" stroke-width="2" points="{" ".join(points)}"/>'


def _place(place: int, number: int) -> tuple[float, float]:
    """Return where a bar begins and how wide it is."""
    room = PLOT_WIDTH / max(1, number)
    width = max(0.5, min(room * 0.8, 60))
    return round(LEFT + (place + 0.5) * room - width / 2, 1), round(width, 1)


def _y(share: float) -> float:
    return round(TOP + PLOT_HEIGHT * (1 - share), 1)


def _round_up(number: int) -> int:
    """Return the next number whose quarters read well."""
    size = 4
    while size < number:
        size = size * 5 // 2 if str(size).startswith("8") else size * 2
    return size
