import datetime as dt
from xml.etree import ElementTree as ET

import pytest

from flows.reports.chart import Column, svg

FIRST = dt.date(2026, 3, 1)


def columns(number, sent=10, delivered=9):
    rate = delivered / sent if sent else None
    return [Column(FIRST + dt.timedelta(days=day), sent, delivered, rate) for day in range(number)]


@pytest.mark.parametrize("drawn", [[], columns(1), columns(3, 0, 0), columns(365, 9_999_999, 9_000_000)])
def test_a_chart_is_well_formed_and_named_whatever_it_shows(drawn):
    root = ET.fromstring(svg(drawn, "A < B"))

    assert root[0].text == "A < B"


def test_a_chart_of_a_year_stays_small():
    assert len(svg(columns(366), "A year")) < 50_000


def test_the_scale_ends_above_the_highest_bar_at_a_round_number():
    assert ">200</text>" in svg(columns(2, 170, 3), "Two dates")
