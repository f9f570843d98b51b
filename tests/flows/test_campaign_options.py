"""The options of ``dovecote campaign send`` and ``preview``, and the campaign that the flow's run is given."""

import asyncio
import json

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import forget_deployments
from prefect.client.orchestration import get_client
from provider import Provider
from serving import served
from typer.testing import CliRunner

from deployments.campaign_commands import app
from flows.campaign import send_campaign
from flows.parameters import Campaign

pytestmark = SOCKETS_OF_PREFECT

FROM_FILE = {
    "name": "another",
    "text": "Hello {name}",
    "recipients_file": "https://example.com/people.csv",
    "local_hours": {"start": "09:00", "end": "20:00"},
    "approval": True,
    "bulk_from": 500,
}


@pytest.fixture
def deployed(prefect):  # noqa: ARG001
    async def deploy():
        return await (await send_campaign.ato_deployment("options")).aapply()

    forget_deployments()
    asyncio.run(deploy())
    yield
    forget_deployments()


@pytest.fixture
def given(deployed, prefect):  # noqa: ARG001
    """The campaign that a run started by these words is given."""

    async def parameters(run_id):
        async with get_client() as client:
            return (await client.read_flow_run(run_id)).parameters

    def start(*words):
        started = CliRunner().invoke(app, ["send", "Spring", *words, "--prefect", prefect, "--no-wait", "--json"])
        assert started.exit_code == 0, started.stderr
        campaign = asyncio.run(parameters(json.loads(started.stdout)["run"]))["campaign"]
        return Campaign.model_validate(campaign).model_dump(mode="json", exclude_defaults=True)

    return start


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "campaign.json"
    path.write_text(json.dumps({"campaign": FROM_FILE}))
    return str(path)


def test_a_segment_a_callback_and_a_window_of_the_provider(given):
    members = ("--segment", "Spring sale", "--connector", "klaviyo", "--user", "shop")
    window = ("--window", "09:00-17:30", "--window-zone", "Europe/Prague", "--days", "monday,friday")

    campaign = given("--text", "Hello", *members, *window, "--callback", "https://example.com/results")

    assert campaign == {
        "name": "Spring",
        "text": "Hello",
        "recipients_segment": {"connector": "klaviyo", "app_userid": "shop", "segment": "Spring sale"},
        "delivery_time": {"days": ["monday", "friday"], "start": "09:00", "end": "17:30", "tz": "Europe/Prague"},
        "callback": "https://example.com/results",
    }


def test_hours_approval_and_patience(given):
    hours = ("--hours", "08:00-21:00", "--zone-if-unknown", "Europe/Prague", "--no-holidays")
    patience = ("--approval", "--approval-hours", "2", "--follow-minutes", "0", "--quiet-seconds", "5")

    campaign = given("--text", "Hello", "--number", "+420777123456", *hours, *patience, "--bulk-from", "0")

    assert campaign == {
        "name": "Spring",
        "text": "Hello",
        "recipients": ["+420777123456"],
        "local_hours": {"start": "08:00", "end": "21:00", "zone_if_unknown": "Europe/Prague", "holidays": True},
        "approval": True,
        "approval_hours": 2,
        "follow_minutes": 0,
        "quiet_seconds": 5,
        "bulk_from": 0,
    }


def test_a_file_has_what_the_form_has_under_the_name_of_the_command(given, file):
    assert given("--parameters", file) == {**FROM_FILE, "name": "Spring", "local_hours": {}}


def test_options_go_before_the_file_also_where_only_one_can_be(given, file):
    campaign = given("--parameters", file, "--text", "Hi", "--number", "777123456", "--window", "10:00-12:00")

    assert campaign == {
        "name": "Spring",
        "text": "Hi",
        "recipients": ["777123456"],
        "delivery_time": {"start": "10:00", "end": "12:00"},
        "approval": True,
        "bulk_from": 500,
    }


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--number", "777123456"], "Invalid value for --text: Give the text that they get."),
        (["--text", "Hello", "--segment", "Spring"], "Give the segment, its platform and the user together."),
        (["--text", "Hello", "--number", "777123456", "--window-zone", "UTC"], "Invalid value for --window: Give the"),
        (["--text", "Hello", "--number", "777123456", "--days", "monday"], "for --hours, --window: Give the hours"),
        (
            ["--text", "Hello", "--number", "777123456", "--window", "9:00-10:00"],
            "Invalid value for --window: must be a time of day written HH:MM",
        ),
        (
            ["--text", "Hello", "--number", "777123456", "--window", "09:00-10:00", "--hours", "09:00-10:00"],
            "Invalid value for --hours, --window: Give either a delivery window or hours",
        ),
        (["--parameters", "nowhere.json"], "nowhere.json: No such file or directory."),
    ],
)
def test_what_contradicts_itself_or_is_missing_is_wrong_usage(words, sentence):
    shown = CliRunner().invoke(app, ["send", "Spring", *words])

    assert shown.exit_code == 2
    assert sentence in on_one_line(shown.stderr)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "This is no JSON"),
        ("[]", "An object with the campaign's fields is wanted."),
        ('{"recipient_file": "people.csv"}', "A campaign has no 'recipient_file'; it has account, approval,"),
        ('{"text": "Hello", "recipients": ["777123456"], "rate": 0}', "Input should be greater than 0"),
        ('{"text": "Hello", "recipients_file": 7}', "Input should be a valid string"),
    ],
)
def test_a_file_that_is_none_of_a_campaign_is_wrong_usage(tmp_path, content, sentence):
    path = tmp_path / "campaign.json"
    path.write_text(content)

    shown = CliRunner().invoke(app, ["send", "Spring", "--parameters", str(path)])

    assert shown.exit_code == 2
    assert "Invalid value for --parameters:" in on_one_line(shown.stderr)
    assert sentence in on_one_line(shown.stderr)


def test_a_preview_takes_the_same_file(tmp_path):
    path = tmp_path / "campaign.json"
    path.write_text(json.dumps({"text": "Hello", "recipients": ["+420777000001"], "account": "main"}))

    with served(Provider().app) as address:
        words = ["preview", "Spring", "--parameters", str(path), "--address", address, "--key", "key", "--json"]
        shown = CliRunner().invoke(app, words)

    assert (shown.exit_code, json.loads(shown.stdout)["recipients"]) == (0, 1)


def on_one_line(written):
    return " ".join(written.replace("│", " ").split())
