"""The flow ``apply_templates`` on a real Prefect server: a folder of files says which templates there are."""

import asyncio
import json
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import events_about, table_of
from flow_process import FlowProcess
from serving import served
from sqlalchemy import update
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from flows.blocks import MessagingAccount
from flows.ledger import open_ledger
from flows.ledger.tables import turns
from flows.problems import FlowProblem
from flows.template_files import read_folder
from flows.templates import Templates, apply_templates
from interface.errors import Refused

pytestmark = SOCKETS_OF_PREFECT


@dataclass
class Library:
    """A provider whose platform has each name and language once; it lists them or doesn't."""

    lists: bool = True
    there: dict[tuple[str, str], dict] = field(default_factory=dict)
    status: str = "PENDING"
    calls: Counter = field(default_factory=Counter)
    refuses: set[str] = field(default_factory=set)
    answered: Callable[[str, int], object] = lambda _what, _number: None

    @property
    def app(self):
        return Starlette(
            routes=[
                Route("/v1/chatapp/templates/library/create", self.create, methods=["POST"]),
                Route("/v1/chatapp/templates/delete", self.delete, methods=["POST"]),
                Route("/v1/chatapp/templates", self.list_all),
            ]
        )

    async def create(self, request):
        template = (await request.json())["template"]
        key = (template["name"], template["language"])
        if key in self.there or template["name"] in self.refuses:
            return JSONResponse({"success": False, "message": "The platform refuses that name."})
        self.there[key] = template
        return self._answer(
            "create", {"success": True, "template_id": "17", "status": "PENDING", "category": "UTILITY"}
        )

    async def delete(self, request):
        name = (await request.json())["template_name"]
        gone = [key for key in self.there if key[0] == name]
        for key in gone:
            del self.there[key]
        return self._answer("delete", {"success": bool(gone), "message": "gone" if gone else "There is none."})

    async def list_all(self, _request):
        if not self.lists:
            return JSONResponse({"message": "Not Found"}, 404)
        rows = [
            {
                "template_id": "17",
                "waba_id": "1",
                "name": name,
                "language": language,
                "category": "UTILITY",
                "status": self.status,
            }
            for name, language in self.there
        ]
        return JSONResponse({"success": True, "templates": rows})

    def _answer(self, what, body):
        self.calls[what] += 1
        self.answered(what, self.calls[what])
        return JSONResponse(body)


@pytest.fixture(params=[True, False], ids=["lists templates", "lists none"])
def library(request):
    return Library(lists=request.param)


@pytest.fixture
def name(prefect, library):  # noqa: ARG001  (where the block is saved)
    unique = f"templates-{uuid.uuid4().hex[:8]}"
    with served(library.app) as address:
        MessagingAccount(api_key="secret-key", rest_url=f"{address}/v1").save(unique)
        yield unique


@pytest.fixture
def ledger_file(monkeypatch, tmp_path):
    address = f"sqlite:///{tmp_path / 'ledger.sqlite3'}"
    monkeypatch.setenv("DOVECOTE_LEDGER", address)
    return address


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "templates"
    place.mkdir()
    return place


@pytest.fixture
def apply(name, ledger_file, folder):  # noqa: ARG001  (where it remembers)
    def run(**wishes):
        return asyncio.run(apply_templates(Templates(account=name, waba_id="1", folder=str(folder), **wishes)))

    return run


def file(folder, name, language="cs", category="UTILITY"):
    content = {"name": name, "language": language, "category": category, "library_template_name": "delivery_update_1"}
    path = folder / f"{name}.{language}.yaml"
    path.write_text(json.dumps(content))
    return path


def test_files_become_templates_and_stay_so(apply, library, folder, name, prefect):
    file(folder, "parcel")
    file(folder, "parcel", "en_US")
    file(folder, "thanks")

    first, again = apply(), apply()

    assert set(library.there) == {("parcel", "cs"), ("parcel", "en_US"), ("thanks", "cs")}
    assert (first.created, again.created, again.kept) == (["parcel", "thanks"], [], ["parcel", "thanks"])
    assert library.calls == {"create": 3}
    assert {"template": "parcel", "language": "all", "what": "kept", "reason": ""} in table_of(f"templates-{name}")
    told = events_about(prefect, f"dovecote.account.{name}", 1)
    assert [one["event"] for one in told] == ["dovecote.templates.changed"]


def test_a_new_language_is_added(apply, library, folder):
    file(folder, "parcel")
    apply()
    file(folder, "parcel", "de")

    assert apply().created == ["parcel"]
    assert library.calls == {"create": 2}


def test_a_template_without_a_file_is_deleted_only_where_that_is_wanted(apply, library, folder):
    path = file(folder, "parcel")
    apply()
    path.unlink()

    left, gone = apply(), apply(delete=True)

    assert (left.without_file, left.deleted, gone.deleted) == (["parcel"], [], ["parcel"])
    assert library.there == {}


def test_a_changed_file_asks_for_a_new_name_unless_it_may_be_replaced(apply, library, folder):
    file(folder, "parcel")
    apply()
    file(folder, "parcel", category="MARKETING")

    with pytest.raises(FlowProblem, match="The files of parcel changed"):
        apply()
    assert library.there["parcel", "cs"]["category"] == "UTILITY"
    assert apply(replace=True).replaced == ["parcel"]
    assert library.there["parcel", "cs"]["category"] == "MARKETING"
    assert apply().kept == ["parcel"]


def test_only_shown_nothing_is_changed(apply, library, folder):
    file(folder, "parcel")

    assert apply(only_show=True).created == ["parcel"]
    assert library.there == {}


def test_what_the_platform_refuses_is_told_and_tried_again(apply, library, folder):
    library.refuses = {"parcel"}
    file(folder, "parcel")

    with pytest.raises(Refused, match=r"create of parcel in cs failed with status 200: The platform refuses"):
        apply()
    library.refuses = set()

    assert apply().created == ["parcel"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("name: Parcel\n", r"bad\.yaml: .*language is required"),
        ("{", "is neither YAML nor JSON"),
    ],
)
def test_a_file_that_is_none_is_named(folder, content, sentence):
    (folder / "bad.yaml").write_text(content)

    with pytest.raises(FlowProblem, match=sentence):
        read_folder(str(folder))


def test_two_files_of_one_template_are_told(apply, folder):
    file(folder, "parcel").rename(folder / "other.yaml")
    file(folder, "parcel")

    with pytest.raises(FlowProblem, match="another file has parcel in cs already"):
        apply()


def test_killed_it_goes_on_and_creates_each_once(library, folder, name, ledger_file, prefect, tmp_path):  # noqa: PLR0913, PLR0917
    for language in ("cs", "de", "pl"):
        file(folder, "parcel", language)
    wishes = {"account": name, "waba_id": "1", "folder": str(folder)}
    environment = {"PREFECT_API_URL": prefect, "DOVECOTE_LEDGER": ledger_file}
    process = FlowProcess("flows.templates:apply_templates", {"templates": wishes}, environment, tmp_path / "flow.log")
    library.answered = lambda what, number: (what, number) == ("create", 2) and process.kill()

    assert process.run() < 0
    let_the_turn_end(ledger_file)
    assert process.run() == 0, process.log.read_text()[-3000:]

    assert set(library.there) == {("parcel", "cs"), ("parcel", "de"), ("parcel", "pl")}
    assert library.calls == {"create": 3}


def let_the_turn_end(address):
    book = open_ledger(address)
    with book.write() as connection:
        connection.execute(update(turns).values(held_until=0))
    book.close()
