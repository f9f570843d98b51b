"""Sub-keys over the account REST API (specification 2.9, details "keys")."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from interface.keys import SubKey
from messaging_service.accounts.money import UNIT
from messaging_service.store.tables import billing_records, keys

FOREIGN = "This apikey is not a sub-key of the calling key."
MESSAGE = {"to": [{"phone_number": "420777123456"}], "body": "Hello", "tag": "transactional"}


def add(service, key=None, **wanted):
    return service.client(key or service.key).post("/v1/apikey/add", json=wanted)


def added(service, **wanted):
    answer = add(service, **wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()["apikey"]


def change(service, key=None, **wanted):
    return service.client(key or service.key).post("/v1/apikey/change", json=wanted)


def listed(service, key=None):
    return service.client(key or service.key).get("/v1/apikey/list").json()["list"]


def credit(service, key):
    return service.client(key).get("/v1/credit").json()["credit"]


def test_a_sub_key_calls_as_it_was_made(service):
    wanted = {"note": "shop", "scope": "api", "default_callback_url": "https://example.com/results"}

    answer = add(service, shared=True, currency="CZK", **wanted)

    assert (answer.status_code, answer.json().keys()) == (200, {"success", "apikey", "billing_id"})
    assert (answer.json()["success"], answer.json()["billing_id"]) == (True, None)
    me = service.client(answer.json()["apikey"]).get("/v1/apikey/me").json()["me"]
    assert {name: me[name] for name in wanted} == wanted
    assert (me["account"], me["currency"]) == ("First account", "CZK")


def test_a_shared_sub_key_spends_from_its_parents_wallet(service):
    secret = added(service)

    sent = service.client(secret).post("/v2/message", json=MESSAGE)

    assert sent.status_code == 200
    spent = service.wait_until(lambda: credit(service, service.key)["credit_czk"] != "1000.00")
    assert spent
    assert credit(service, secret) == credit(service, service.key) | {"billing_id": None}


def test_a_separate_sub_key_has_an_empty_wallet_and_a_billing_record_of_its_own(service):
    answer = add(service, shared=False, currency="eur", billing_name="Shop", billing_email="shop@example.com").json()

    own = credit(service, answer["apikey"])
    assert (own["currency"], own["credit_eur"], own["credit_czk"]) == ("EUR", "0.00", "0.00")
    assert own["billing_id"] == answer["billing_id"] != credit(service, service.key)["billing_id"]
    with service.store.reading() as connection:
        record = connection.execute(select(billing_records).where(billing_records.c.billing_id == own["billing_id"]))
        assert record.mappings().one().items() >= {"name": "Shop", "email": "shop@example.com"}.items()


def test_a_separate_sub_key_may_share_the_billing_record_of_its_parent(service):
    of_parent = credit(service, service.key)["billing_id"]

    answer = add(service, shared=False, billing_id=of_parent)

    assert answer.json()["billing_id"] == of_parent
    assert credit(service, answer.json()["apikey"])["billing_id"] == of_parent


def test_a_foreign_billing_record_is_refused(service):
    service.open_account("the-key-of-another-account")
    foreign = credit(service, "the-key-of-another-account")["billing_id"]

    answers = [add(service, shared=False, billing_id=billing_id) for billing_id in (foreign, "b-nobodys")]

    assert [(answer.status_code, answer.json()) for answer in answers] == [
        (403, {"message": "This billing_id is not the calling key's."})
    ] * 2
    assert listed(service) == []


def test_a_shared_sub_key_has_the_currency_of_its_parent(service):
    answer = add(service, shared=True, currency="EUR")

    sentence = "currency must be CZK, the parent's, when shared is true."
    assert (answer.status_code, answer.json()) == (400, {"message": sentence})


def test_a_sub_key_can_not_have_sub_keys(service):
    secret = added(service)

    answer = add(service, key=secret)

    assert (answer.status_code, answer.json()) == (403, {"message": "A sub-key can't have sub-keys."})
    assert listed(service, secret) == []


def test_a_key_has_at_most_19_sub_keys_however_many_ask_at_once(service):
    with ThreadPoolExecutor(8) as callers:
        statuses = list(callers.map(lambda _: add(service).status_code, range(24)))

    assert sorted(statuses) == [200] * 19 + [403] * 5
    assert len(listed(service)) == 19
    assert add(service).json() == {"message": "A key can have at most 19 sub-keys."}


def test_the_same_app_user_gets_its_key_again(service):
    first = add(service, app_userid="customer-17", shared=False, note="as it was").json()

    again = add(service, app_userid="customer-17", shared=True, note="another").json()

    assert again == first
    assert [(key["app_userid"], key["note"]) for key in listed(service)] == [("customer-17", "as it was")]


def test_an_app_user_gets_one_key_however_many_ask_at_once(service):
    with ThreadPoolExecutor(8) as callers:
        told = set(callers.map(lambda _: added(service, app_userid="customer-17"), range(8)))

    assert len(told) == 1


def test_app_users_of_different_parents_are_different_people(service):
    service.open_account("the-key-of-another-account")

    told = {added(service, key=key, app_userid="customer-17") for key in (service.key, "the-key-of-another-account")}

    assert len(told) == 2


def test_no_key_can_be_read_from_the_store(service):
    secrets = [added(service), added(service, app_userid="customer-17")]

    with service.store.reading() as connection:
        written = str(connection.execute(select(keys)).all())
    assert not [secret for secret in secrets if secret in written]


def test_sub_keys_are_listed_without_being_told(service):
    secret = added(service, note="shop", share_senders=True)

    answer = service.api.get("/v1/apikey/list")

    (key,) = answer.json()["list"]
    assert key.keys() == SubKey.model_fields.keys()
    assert (key["apikey"], key["subid"]) == (f"{secret[:4]}…{secret[-4:]}", "sub-1")
    assert (key["note"], key["scope"], key["shared"], key["share_senders"]) == ("shop", "full", True, True)
    assert (key["is_blocked"], key["currency"], key["billing_id"]) == (False, "CZK", None)
    assert secret not in answer.text


def test_nobody_sees_the_sub_keys_of_another_account(service):
    service.open_account("the-key-of-another-account")
    added(service)

    assert listed(service, "the-key-of-another-account") == []


@pytest.mark.parametrize("name", ["apikey", "hint", "subid"])
def test_a_sub_key_is_changed_by_itself_its_hint_or_its_name(service, name):
    secret = added(service)
    (key,) = listed(service)
    names = {"apikey": secret, "hint": key["apikey"], "subid": key["subid"]}

    answer = change(service, apikey=names[name], scope="api")

    assert (answer.status_code, answer.json()) == (200, {"success": True})
    refused = service.client(secret).post("/v1/apikey/update", json={"default_callback_url": "", "note": ""})
    assert refused.status_code == 403


def test_a_blocked_sub_key_is_refused_until_it_is_let_in_again(service):
    secret = added(service)
    client = service.client(secret)
    before = client.get("/v1/apikey/me").status_code

    change(service, apikey=secret, disable=1)
    blocked = client.get("/v1/apikey/me").status_code
    change(service, apikey=secret, disable=0)

    assert (before, blocked, client.get("/v1/apikey/me").status_code) == (200, 401, 200)


def test_only_its_parent_changes_a_sub_key(service):
    service.open_account("the-key-of-another-account")
    secret = added(service)
    sister = added(service)

    answers = [
        change(service, key="the-key-of-another-account", apikey=secret, disable=1),
        change(service, key=sister, apikey=secret, disable=1),
        change(service, key=secret, apikey=secret, disable=1),
        change(service, apikey=service.key, disable=1),
        change(service, apikey="nobodys-key", disable=1),
    ]

    assert [(answer.status_code, answer.json()) for answer in answers] == [(403, {"message": FOREIGN})] * 5
    assert service.client(secret).get("/v1/apikey/me").status_code == 200


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("add", {"scope": "all"}, "scope must be one of full, rest-api, api."),
        ("add", {"currency": "USD"}, "currency must be one of CZK, EUR."),
        ("add", {"billing_email": "nobody"}, "billing_email must be an e-mail address."),
        ("add", {"default_callback_url": "ftp://example.com"}, "default_callback_url must be an http or https URL."),
        ("add", {"shared": "perhaps"}, "shared must be true or false."),
        ("change", {}, "apikey is required."),
        ("change", {"apikey": "x"}, "The body must hold scope, disable or both."),
        ("change", {"apikey": "x", "disable": 2}, "disable must be true or false."),
    ],
)
def test_what_is_wrong_is_named(service_on_sqlite, path, body, sentence):
    answer = service_on_sqlite.api.post(f"/v1/apikey/{path}", json=body)

    assert (answer.status_code, answer.json()) == (400, {"message": sentence})


def test_a_key_of_scope_api_neither_makes_nor_changes_sub_keys(service):
    secret = added(service)
    service.add_key("the-key-of-scope-api", scope="api", parent_id=None)
    answers = [
        add(service, key="the-key-of-scope-api"),
        change(service, key="the-key-of-scope-api", apikey=secret, disable=1),
    ]

    sentence = "Apikey scope 'api' is not allowed to change settings"
    assert [(answer.status_code, answer.json()) for answer in answers] == [(403, {"message": sentence})] * 2


def test_a_sub_key_without_credit_can_not_send(service):
    secret = added(service, shared=False)

    message_id = service.client(secret).post("/v2/message", json=MESSAGE).json()["accepted"][0]["message_id"]

    def told():
        record = service.client(secret).get("/v1/message", params={"id": message_id}).json()["message"]
        return record if record["status_code"] != "100" else None

    assert service.wait_until(told)["status_info"].startswith("[307]")
    assert credit(service, service.key)["credit_czk"] == f"{1000 * UNIT / UNIT:.2f}"
