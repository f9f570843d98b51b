"""The connector to a folder of CSV files, and the commands about credentials."""

import httpx
import pytest
from platforms import SECRET, ask
from running_service import VERIFICATION_KEY, run_service
from typer.testing import CliRunner

from messaging_service.connectors.kit.commands import app

NUMBERS = "phone\n" + "".join(f"+4206012{number:05d}\n" for number in range(2_500))


@pytest.fixture
def over(tmp_path):
    """Run a service over a folder of segments."""
    folder = tmp_path / "segments"
    folder.mkdir()
    url = f"sqlite:///{tmp_path}/dovecote.db"
    with run_service(url, tmp_path, demo_segments=folder, connector_limit=2_000) as service:
        yield service, folder


def test_the_shipped_segments_are_told(on_sqlite):
    segments = ask(on_sqlite.api, "segments", "demo").json()["segments"]
    recipients = ask(on_sqlite.api, "recipients", "demo", segment_id="loyal-customers").json()["recipients"]

    assert segments == [
        {"id": "brno", "name": "Brno"},
        {"id": "loyal-customers", "name": "Loyal customers"},
        {"id": "spring-sale", "name": "Spring sale"},
    ]
    assert recipients == ["420777123456", "420603111222", "421903123456", "48501311223"]


def test_me_is_kept_in_the_currency_of_the_calling_key(on_sqlite):
    on_sqlite.open_account("the-key-of-a-euro-account-0003", currency="eur", name="Euro")

    answer = ask(on_sqlite.client("the-key-of-a-euro-account-0003"), "me", "demo")

    assert answer.json() == {"success": True, "account": {"id": "shop", "name": "Demo"}, "currency": "EUR"}


def test_a_file_of_several_pages_is_read_whole(over):
    service, folder = over
    (folder / "many.csv").write_text("\n".join(NUMBERS.splitlines()[:1_801]), "utf-8")

    answer = ask(service.api, "recipients", "demo", segment_id="many")

    assert answer.json()["recipients"] == [f"4206012{number:05d}" for number in range(1_800)]


def test_a_file_over_the_limit_is_never_handed_on_as_if_it_were_whole(over):
    service, folder = over
    (folder / "many.csv").write_text(NUMBERS, "utf-8")

    with pytest.raises(httpx.RemoteProtocolError):
        ask(service.api, "recipients", "demo", segment_id="many")


@pytest.mark.parametrize("content", ["", "name,city\nJana,Brno\n", "phone\n\xff", '"phone"\n"' + "9" * 200_000])
def test_a_file_that_can_not_be_read_is_a_failure_of_the_platform(over, content):
    service, folder = over
    (folder / "broken.csv").write_bytes(content.encode("latin-1"))

    answer = ask(service.api, "recipients", "demo", segment_id="broken")

    message = "demo doesn't answer as it should; repeat this later."
    assert (answer.status_code, answer.json()) == (502, {"message": message})


def test_a_service_without_credentials_says_so(over, monkeypatch):
    service, _ = over
    monkeypatch.setenv("DOVECOTE_DATABASE", service.settings.database)

    assert CliRunner().invoke(app, ["list"]).output == "No account is connected to a platform.\n"


def test_credentials_are_given_and_forgotten_on_the_command_line(connected, monkeypatch):
    monkeypatch.setenv("DOVECOTE_DATABASE", connected.settings.database)
    monkeypatch.setenv("DOVECOTE_VERIFICATION_KEY", VERIFICATION_KEY)
    run = CliRunner().invoke
    given = run(app, ["connect", "klaviyo", "--app-userid", "new"], input=f"{SECRET}\n")

    while_connected = ask(connected.api, "me", app_userid="new").json()
    shown = run(app, ["list"])
    forgotten = run(app, ["disconnect", "klaviyo", "--app-userid", "new"])
    afterwards = ask(connected.api, "me", app_userid="new").json()

    assert (given.exit_code, forgotten.exit_code) == (0, 0)
    assert (while_connected["success"], afterwards["success"]) == (True, False)
    assert shown.output == "klaviyo  new  First account\nklaviyo  shop  First account\n"
    assert SECRET not in given.output + shown.output


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (
            ["connect", "nobody", "--app-userid", "shop"],
            (2, "There is no connector 'nobody'; there are demo, klaviyo."),
        ),
        (["connect", "klaviyo", "--app-userid", ""], (2, "The app_userid is 1 to 255 characters.")),
        (["connect", "klaviyo", "--app-userid", "shop", "--key", "nobody"], (1, "There is no key 'nobody'")),
        (["disconnect", "klaviyo", "--app-userid", "nobody"], (1, "no credentials for 'nobody' of 'klaviyo'")),
    ],
)
def test_what_is_not_possible_is_said_in_one_sentence(on_sqlite, monkeypatch, arguments, answer):
    monkeypatch.setenv("DOVECOTE_DATABASE", on_sqlite.settings.database)

    done = CliRunner().invoke(app, arguments, input=f"{SECRET}\n")

    code, complaint = answer
    assert done.exit_code == code
    assert complaint in done.stderr
