from xml.etree import ElementTree as ET

import pytest

from flows.ledger import CampaignSettings, Failure, PlannedCampaign, Totals, UnsentLine
from flows.planning.account_of_reading import Lines, Reading
from flows.recipients.sources import LeftOut
from flows.reports.campaign import Counted, make_report, table
from flows.reports.campaign_summary import summary
from flows.reports.outcome_chart import svg
from flows.sending.failures_file import write_failures
from flows.sending.progress import artifact_key, in_words, percent

PLANNED = PlannedCampaign("id", "Spring", CampaignSettings("main", ("promotional",)), 0.0)
READING = Reading(lines=12, duplicates=1, left_out=Lines.of([LeftOut(4, "The phone number is missing.")]))
TOTALS = Totals(
    recipients=10,
    by_result={"delivered": 4, "seen": 1, "undelivered": 1, "failed": 1, "sent": 1, "rejected": 1, "refused": 1},
    by_reason={"[304] Opted out": 1, "body is not allowed.": 1},
    parts=9,
    price_czk=8_105_000,
    price_eur=324_000,
)
COUNTED = Counted(TOTALS, {1: {"delivered": 4, "undelivered": 1}, 2: {"seen": 1, "planned": 4}}, {"23003": 6})


def test_the_figures_of_a_report_add_up_to_its_recipients():
    report = make_report(PLANNED, READING, COUNTED)

    assert (report.delivered, report.undelivered, report.without_receipt) == (5, 2, 1)
    assert report.accepted == 9
    assert sum(report.rejected.values()) == 2
    assert (report.price_czk, report.price_eur) == ("8.10", "0.32")


def test_the_table_has_a_row_for_each_reason():
    rows = table(make_report(PLANNED, READING, COUNTED))

    assert [row["what"] for row in rows] == [
        "Recipients",
        "Accepted",
        "Rejected: [304] Opted out",
        "Rejected: body is not allowed.",
        "Delivered",
        "Undelivered",
        "Without receipt",
        "Waiting",
        "Parts",
        "Price (CZK)",
        "Price (EUR)",
        "Wave 1: delivered of 5",
        "Wave 2: delivered of 5",
        "Messages to network 23003",
    ]


def test_the_summary_names_every_line_that_got_nothing():
    unsent = [UnsentLine(7, "[304] Opted | out")]

    written = summary(make_report(PLANNED, READING, COUNTED), READING, unsent)

    assert "| 4 | The phone number is missing. |" in written
    assert "| 7 | [304] Opted \\| out |" in written


def test_a_long_list_of_lines_is_cut_and_says_so():
    unsent = [UnsentLine(line, "[304]") for line in range(250)]

    written = summary(make_report(PLANNED, READING, COUNTED), Reading(), unsent)

    assert "Rejected by the provider (250)" in written
    assert "… and 150 more." in written


@pytest.mark.parametrize(
    ("by_result", "shown"),
    [
        ({"planned": 4}, 0.0),
        ({"planned": 2, "accepted": 2}, 25.0),
        ({"sent": 4}, 50.0),
        ({"delivered": 3, "rejected": 1}, 100.0),
    ],
)
def test_progress_counts_half_for_the_answer_and_half_for_the_result(by_result, shown):
    assert percent(Totals(recipients=4, by_result=by_result)) == shown


def test_progress_in_words_tells_what_has_gone_and_what_became_of_it():
    totals = Totals(
        recipients=2000, by_result={"planned": 400, "sent": 1588, "delivered": 1, "refused": 4, "rejected": 7}
    )

    assert in_words("Spring sale", totals) == "Spring sale: 1,600 of 2,000 gone, 1 delivered, 11 rejected"


def test_artifact_keys_have_only_what_they_may_have():
    assert artifact_key("Jarní sleva 2026!", "results") == "campaign-jarni-sleva-2026-results"


def test_the_summary_has_waves_networks_failures_and_a_chart():
    report = make_report(PLANNED, READING, COUNTED, "/reports/spring-failures.csv")

    written = summary(report, READING, ())

    assert "| 2 | 5 | 1 | 0 | 0 | 0 | 4 |" in written
    assert "| 23003 | 6 |" in written
    assert written.index("## Failures by reason") < written.index("## By network")
    assert "| [304] Opted out | 1 |" in written
    assert "| sent and not delivered | 2 |" in written
    assert "`/reports/spring-failures.csv`" in written
    assert "](data:image/svg+xml;base64," in written


def test_the_chart_is_a_drawing_whatever_the_names():
    root = ET.fromstring(svg([("<wave> & 1", {"delivered": 3, "waiting": 1}), ("none", {})], "A & B"))

    bars = [one for one in root.iter("{http://www.w3.org/2000/svg}rect") if one.get("height") == "24"]
    assert [float(one.get("width")) for one in bars] == [450.0, 150.0]


def test_the_file_of_failures_is_its_owners_alone(tmp_path):
    path = tmp_path / "reports" / "failures.csv"

    write_failures(path, [Failure(7, "420777000001", None, "rejected", "[304] Opted out, or so")])

    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().splitlines() == [
        "line,phone_number,message_id,result,reason",
        '7,420777000001,,rejected,"[304] Opted out, or so"',
    ]
