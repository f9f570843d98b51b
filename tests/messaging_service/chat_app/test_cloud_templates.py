"""Templates on a platform like the Cloud API: it keeps and approves them, each account manages its own."""

import asyncio

import pytest
from whatsapp import SENDER, WABA, WhatsApp

CREATE, DELETE, LIST = "/v1/chatapp/templates/library/create", "/v1/chatapp/templates/delete", "/v1/chatapp/templates"


def wanted(name, waba_id=WABA):
    given = {"name": name, "language": "cs", "category": "UTILITY", "library_template_name": "a_library_of_their_own"}
    return {"waba_id": waba_id, "template": given}


def decided(whatsapp: WhatsApp, name: str) -> dict:
    """Return a template once the platform has decided; the clock is moved for that."""

    def found():
        whatsapp.service.clock.move(60_000)
        rows = whatsapp.api.get(LIST, params={"name": name}).json()["templates"]
        return rows if rows and rows[0]["status"] != "PENDING" else None

    return whatsapp.service.wait_until(found)[0]


def test_a_template_is_made_there_and_sent_once_it_is_approved(whatsapp: WhatsApp):
    created = whatsapp.api.post(CREATE, json=wanted("parcel")).json()

    approved = decided(whatsapp, "parcel")

    assert (created["success"], created["status"], created["category"]) == (True, "PENDING", "UTILITY")
    assert (approved["template_id"], approved["status"]) == (created["template_id"], "APPROVED")
    assert approved["parameters"] == {"body": 2, "header": 0, "buttons": 1}
    step = {"template_name": "parcel", "language": "cs", "sender": SENDER, "params": ["Eva"]}
    too_few = whatsapp.send("420601120001", {"whatsapp_template": step})
    right = step | {"params": ["Eva", "17"], "params_buttons": ["17"]}
    enough = whatsapp.send("420601120002", {"whatsapp_template": right})
    assert whatsapp.reaches(too_few, delivery_code="203")["status_info"].startswith("[132000]")
    whatsapp.reaches(enough, delivery_code="201")


def test_a_rejected_template_says_why(whatsapp: WhatsApp):
    whatsapp.platform.approves = False
    whatsapp.api.post(CREATE, json=wanted("spam"))

    rejected = decided(whatsapp, "spam")

    assert (rejected["status"], rejected["reason"]) == ("REJECTED", "PROMOTIONAL")


def test_a_template_that_the_platform_pauses_is_not_sent_any_more(whatsapp: WhatsApp):
    created = whatsapp.api.post(CREATE, json=wanted("annoying")).json()
    decided(whatsapp, "annoying")

    asyncio.run(whatsapp.platform.change(created["template_id"], "PAUSED"))

    def paused():
        (template,) = whatsapp.api.get(LIST, params={"name": "annoying"}).json()["templates"]
        return template["status"] == "PAUSED"

    whatsapp.service.wait_until(paused)
    step = {"template_name": "annoying", "language": "cs", "sender": SENDER, "params": ["Eva", "17"]}
    message_id = whatsapp.send("420601120003", {"whatsapp_template": step | {"params_buttons": ["17"]}})
    assert whatsapp.reaches(message_id, delivery_code="203")["status_info"].startswith("[132001]")


def test_a_template_is_deleted_there_and_here(whatsapp_on_sqlite: WhatsApp):
    api = whatsapp_on_sqlite.api
    api.post(CREATE, json=wanted("old"))

    deleted = api.post(DELETE, json={"waba_id": WABA, "template_name": "old"}).json()
    again = api.post(DELETE, json={"waba_id": WABA, "template_name": "old"}).json()

    assert deleted == {"success": True, "message": "Template old deleted"}
    assert again == {"success": False, "message": "Message template not found"}
    assert not [each for each in whatsapp_on_sqlite.platform.templates.values() if each["name"] == "old"]
    assert api.get(LIST, params={"name": "old"}).json()["templates"] == []


def test_what_the_platform_refuses_is_said_in_its_words(whatsapp_on_sqlite: WhatsApp):
    whatsapp_on_sqlite.platform.templates["1"] = {"name": "theirs", "language": "cs", "waba_id": WABA}

    answer = whatsapp_on_sqlite.api.post(CREATE, json=wanted("theirs"))

    assert (answer.status_code, answer.json()) == (
        200,
        {"success": False, "message": "There is already content in this language"},
    )


@pytest.mark.parametrize("waba_id", [WABA, "another"])
def test_an_account_manages_its_own_business_accounts_only(whatsapp_on_sqlite: WhatsApp, waba_id):
    if waba_id == WABA:
        whatsapp_on_sqlite.service.open_account("a-key-of-a-stranger")
        api = whatsapp_on_sqlite.service.client("a-key-of-a-stranger")
    else:
        api = whatsapp_on_sqlite.api

    made = api.post(CREATE, json=wanted("foreign", waba_id)).json()
    deleted = api.post(DELETE, json={"waba_id": waba_id, "template_name": "foreign"}).json()

    refusal = {"success": False, "message": f"This account has no business account {waba_id}."}
    assert (made, deleted) == (refusal, refusal)
