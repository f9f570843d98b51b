"""The settings of the calling key (specification 2.9, 4.3, 5)."""

import pytest

from interface.account import ApikeyMe, Scope

URL = "https://example.com/results"


def me(client):
    return client.get("/v1/apikey/me").json()["me"]


def test_a_key_learns_its_settings_and_whose_it_is(service):
    answer = service.api.get("/v1/apikey/me")

    assert answer.json() == {
        "success": True,
        "me": {
            "note": "",
            "default_callback_url": "",
            "account": "First account",
            "scope": "full",
            "share_senders": False,
            "is_blocked": False,
            "senders": [{"flow": "sms", "value": "Dovecote", "name": "Dovecote"}],
            "vat": None,
            "currency": "CZK",
            "tz": "UTC",
        },
    }
    assert answer.json()["me"].keys() == ApikeyMe.model_fields.keys()


def test_settings_are_changed_at_once(service):
    settings = {"default_callback_url": URL, "note": "shop", "default_sender": "Shop"}

    answer = service.api.post("/v1/apikey/update", json=settings)

    assert (answer.status_code, answer.json()) == (200, {"success": True})
    changed = me(service.api)
    assert (changed["default_callback_url"], changed["note"]) == (URL, "shop")
    assert changed["senders"] == [{"flow": "sms", "value": "Shop", "name": "Shop"}]


def test_an_empty_text_deletes_a_value(service):
    service.api.post("/v1/apikey/update", json={"default_callback_url": URL, "note": "shop"})

    service.api.post("/v1/apikey/update", json={"default_callback_url": "", "note": "", "default_sender": ""})

    changed = me(service.api)
    assert (changed["default_callback_url"], changed["note"], changed["senders"]) == ("", "", [])


def test_an_optional_setting_that_is_absent_stays(service):
    service.api.post("/v1/apikey/update", json={"default_callback_url": "", "note": "", "default_sender": "Shop"})

    service.api.post("/v1/apikey/update", json={"default_callback_url": URL, "note": "x"})

    assert me(service.api)["senders"] == [{"flow": "sms", "value": "Shop", "name": "Shop"}]


def test_a_key_changes_no_other_key(service):
    service.add_key("the-key-of-a-sub-account")

    service.api.post("/v1/apikey/update", json={"default_callback_url": URL, "note": "shop"})

    assert me(service.client("the-key-of-a-sub-account"))["note"] == ""


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"note": "shop"}, "default_callback_url is required."),
        ({"default_callback_url": URL}, "note is required."),
        (
            {"default_callback_url": "ftp://example.com", "note": ""},
            "default_callback_url must be an http or https URL.",
        ),
        ({"default_callback_url": URL, "note": "a\u0000b"}, "note must not contain the NUL character."),
    ],
)
def test_a_missing_or_malformed_setting_is_named(service_on_sqlite, settings, sentence):
    answer = service_on_sqlite.api.post("/v1/apikey/update", json=settings)

    assert (answer.status_code, answer.json()) == (400, {"message": sentence})


def test_a_key_of_scope_api_may_not_change_settings(service):
    service.add_key("the-key-of-scope-api", scope=Scope.API)
    client = service.client("the-key-of-scope-api")

    answers = [
        client.post("/v1/apikey/update", json={"default_callback_url": "", "note": ""}),
        client.post("/v1/optout", json={"to": "420777123456"}),
        client.post("/v1/blacklist", json={"to": "420777123456"}),
    ]

    assert {answer.status_code for answer in answers} == {403}
    assert {answer.json()["message"] for answer in answers} == {
        "Apikey scope 'api' is not allowed to change settings",
    }


def test_a_key_of_scope_api_may_send_and_read(service):
    service.add_key("the-key-of-scope-api", scope=Scope.API)
    client = service.client("the-key-of-scope-api")

    sent = client.post("/v2/message", json={"to": [{"phone_number": "420777777777"}], "body": "Hello"})

    assert sent.status_code == 200
    assert me(client)["scope"] == "api"
