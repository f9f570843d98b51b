"""Templates of messaging apps over HTTP (specification 4.3): made, approved or rejected, used, deleted."""

import pytest

CREATE, DELETE, LIST = "/v1/chatapp/templates/library/create", "/v1/chatapp/templates/delete", "/v1/chatapp/templates"
BUTTON = {
    "type": "URL",
    "url": {"base_url": "https://shop.example/{{1}}", "url_suffix_example": "https://shop.example/1"},
}


def template(name="parcel", **given):
    wanted = {"name": name, "language": "cs", "category": "UTILITY", "library_template_name": "delivery_update_1"}
    return {"waba_id": "102290129340398", "template": wanted | {"library_template_button_inputs": [BUTTON]} | given}


def listed(service, **query):
    return service.api.get(LIST, params=query).json()["templates"]


def wait_for_approval(service, name):
    def decided():
        found = listed(service, name=name)
        return found if found and all(each["status"] != "PENDING" for each in found) else None

    return service.wait_until(decided)


def test_a_template_is_pending_then_approved_then_used(service):
    created = service.api.post(CREATE, json=template())

    answer = created.json()
    assert (created.status_code, answer["success"], answer["status"], answer["category"]) == (
        200,
        True,
        "PENDING",
        "UTILITY",
    )
    (approved,) = wait_for_approval(service, "parcel")
    assert (approved["template_id"], approved["status"], approved["reason"]) == (
        answer["template_id"],
        "APPROVED",
        None,
    )
    assert approved["parameters"] == {"body": 2, "header": 0, "buttons": 1}
    assert (approved["waba_id"], approved["language"]) == ("102290129340398", "cs")
    step = {"template_name": "parcel", "language": "cs", "sender": "Dove", "params": ["Eva", "17"]}
    message = {
        "to": [{"phone_number": "420601129009"}],
        "flow": [{"whatsapp_template": step | {"params_buttons": ["17"]}}],
    }
    (accepted,) = service.api.post("/v2/message", json=message).json()["accepted"]
    record = service.wait_for_status(accepted["message_id"], delivery_code="202")
    assert (record["flow_index"], record["price"]) == ("0", 1.2)


def test_a_template_whose_name_says_so_is_rejected_with_a_reason(service):
    service.api.post(CREATE, json=template("to_be_rejected"))

    (rejected,) = wait_for_approval(service, "to_be_rejected")

    assert rejected["status"] == "REJECTED"
    assert rejected["reason"]


def test_all_languages_of_a_name_are_deleted_at_once(template_service):
    for language in ("cs", "sk", "en_US"):
        template_service.api.post(CREATE, json=template("several", language=language))
    template_service.api.post(CREATE, json=template("other"))

    deleted = template_service.api.post(DELETE, json={"waba_id": "102290129340398", "template_name": "several"})
    again = template_service.api.post(DELETE, json={"waba_id": "102290129340398", "template_name": "several"})

    assert (deleted.status_code, deleted.json()) == (200, {"success": True, "message": "Template several deleted"})
    assert (again.status_code, again.json()) == (200, {"success": False, "message": "There is no template several."})
    assert listed(template_service, name="several") == []
    assert len(listed(template_service, name="other")) == 1


def test_the_same_is_served_below_the_apps_own_name_for_existing_clients(template_service):
    created = template_service.api.post("/v1/whatsapp/templates/library/create", json=template("by_alias"))
    found = template_service.api.get("/v1/whatsapp/templates", params={"name": "by_alias"}).json()["templates"]
    deleted = template_service.api.post(
        "/v1/whatsapp/templates/delete", json={"waba_id": "102290129340398", "template_name": "by_alias"}
    )

    assert created.json()["template_id"] == found[0]["template_id"]
    assert deleted.json()["success"] is True


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"library_template_name": "unheard_of"}, "The library has no unheard_of; it has"),
        ({"category": "MARKETING"}, "delivery_update_1 is of the category UTILITY."),
        ({"library_template_button_inputs": []}, "delivery_update_1 needs library_template_button_inputs for: URL."),
    ],
)
def test_what_the_platform_does_not_take_is_said_in_a_sentence(template_service, change, sentence):
    answer = template_service.api.post(CREATE, json=template("refused", **change))

    assert (answer.status_code, answer.json()["success"]) == (200, False)
    assert answer.json()["message"].startswith(sentence)


def test_a_name_and_language_is_taken_once(template_service):
    template_service.api.post(CREATE, json=template("once"))

    answer = template_service.api.post(CREATE, json=template("once"))

    assert answer.json() == {"success": False, "message": "There is a template once in cs already."}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({}, "waba_id is required. template is required."),
        (template("Big Name"), "template.name"),
        (template(language="Czech"), "template.language"),
        (template(category="SPAM"), "template.category must be one of"),
        (template(library_template_button_inputs=[{"type": "URL"}]), "template.library_template_button_inputs[0].url"),
    ],
)
def test_a_body_that_makes_no_sense_is_refused_by_its_field(template_service, body, sentence):
    answer = template_service.api.post(CREATE, json=body)

    assert answer.status_code == 400
    assert answer.json()["message"].startswith(sentence)


def test_templates_of_another_account_are_neither_seen_nor_deleted(template_service):
    template_service.open_account("another-accounts-key")
    template_service.api.post(CREATE, json=template("mine"))
    other = template_service.client("another-accounts-key")

    seen = other.get(LIST).json()["templates"]
    deleted = other.post(DELETE, json={"waba_id": "102290129340398", "template_name": "mine"}).json()
    made = other.post(CREATE, json=template("mine")).json()

    assert (seen, deleted["success"], made["success"]) == ([], False, True)
    assert len(listed(template_service, name="mine")) == 1


def test_a_key_that_may_not_change_settings_may_only_look(template_service):
    template_service.add_key("an-api-key", subid="api", scope="api")
    client = template_service.client("an-api-key")

    answers = [client.post(CREATE, json=template("never")), client.post(DELETE, json={}), client.get(LIST)]

    assert [answer.status_code for answer in answers] == [403, 403, 200]
