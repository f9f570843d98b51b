"""A partner brings a customer, who confirms on a page and then has a sub-key (details, "partner")."""

import html
from concurrent.futures import ThreadPoolExecutor

import pytest
from itsdangerous import URLSafeSerializer

from messaging_service.clock import HOUR

CUSTOMER = {"name": "Žluťoučký <kůň> & syn", "email": "kun@example.com", "app_userid": "customer-17"}
ENDED = "This address is not valid, or not any more."


@pytest.fixture
def browser(service):
    return service.client(None)


def signup(service, **customer):
    answer = service.api.post("/v1/partner/signup", json=customer)
    assert answer.status_code == 200, answer.text
    return answer.json()


def children(service):
    return service.api.get("/v1/apikey/list").json()["list"]


def test_a_customer_who_confirms_has_a_sub_key_with_credit_and_a_billing_record_of_its_own(service, browser):
    begun = signup(service, **CUSTOMER)
    before = children(service)

    asked = browser.get(begun["redirect_url"])
    looked_at = children(service)
    confirmed = browser.post(begun["redirect_url"])

    (child,) = children(service)
    key = service.api.post("/v1/apikey/add", json={"app_userid": "customer-17"}).json()
    own = service.client(key["apikey"]).post("/v1/billing/get", json={}).json()["billing"]
    assert (before, looked_at) == ([], [])
    assert (asked.status_code, confirmed.status_code) == (200, 200)
    assert (child["shared"], child["app_userid"], child["note"]) == (False, "customer-17", CUSTOMER["name"])
    assert own["billing_id"] == key["billing_id"] == child["billing_id"]
    assert (own["name"], own["email"]) == (CUSTOMER["name"], CUSTOMER["email"])


def test_an_answer_has_all_that_is_needed_to_go_on(service_on_sqlite):
    begun = signup(service_on_sqlite)

    assert begun.keys() == {"success", "token", "redirect_url", "app_userid", "ts_expires"}
    assert begun["redirect_url"] == f"{service_on_sqlite.url}/v1/partner/signup/{begun['token']}"
    assert begun["app_userid"]


def test_confirming_again_or_twice_at_once_makes_one_sub_key(service):
    begun = signup(service, **CUSTOMER)
    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(lambda _: service.client(None).post(begun["redirect_url"]), range(4)))

    assert [answer.status_code for answer in answers] == [200] * 4
    assert len(children(service)) == 1


def test_the_page_shows_who_asks_for_whom_and_lets_nothing_in(service_on_sqlite):
    begun = signup(service_on_sqlite, **CUSTOMER)

    page = service_on_sqlite.client(None).get(begun["redirect_url"], headers={"accept-language": "fr, cs;q=0.9"})

    assert "First account chce založit účet pro: " in page.text
    assert html.escape(CUSTOMER["name"]) in page.text
    assert "<kůň>" not in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'; style-src 'sha256-")
    assert (page.headers["cache-control"], page.headers["referrer-policy"]) == ("no-store", "no-referrer")


def test_the_customer_is_led_back_to_where_the_partner_says(service_on_sqlite):
    begun = signup(service_on_sqlite, return_url='https://partner.example/done?a=1&b="2"')

    page = service_on_sqlite.client(None).post(begun["redirect_url"])

    assert 'href="https://partner.example/done?a=1&amp;b=&quot;2&quot;" rel="noreferrer"' in page.text


def test_an_address_tells_nothing_of_the_customer(service_on_sqlite):
    begun = signup(service_on_sqlite, **CUSTOMER)
    serializer = URLSafeSerializer("any other key")

    _, written = serializer.loads_unsafe(begun["token"])

    assert CUSTOMER["app_userid"] not in str(written)
    assert CUSTOMER["email"] not in str(written)


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_address_is_good_for_an_hour(service, browser, method):
    begun = signup(service, **CUSTOMER)
    service.clock.move(HOUR - 5_000)
    in_time = browser.get(begun["redirect_url"])
    service.clock.move(5_000)

    too_late = browser.request(method, begun["redirect_url"])

    assert in_time.status_code == 200
    assert too_late.status_code == 403
    assert ENDED in too_late.text
    assert children(service) == []


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("token", ["nothing", "WzEsMl0.c2lnbmF0dXJl", "%00", "..%2Fapikey"])
def test_a_forged_address_is_refused(service_on_sqlite, method, token):
    answer = service_on_sqlite.client(None).request(method, f"/v1/partner/signup/{token}")

    assert answer.status_code in {403, 404}


def test_a_partner_that_was_blocked_signs_nobody_up(service, browser):
    begun = signup(service, **CUSTOMER)
    with service.store.writing() as connection:
        connection.exec_driver_sql("UPDATE keys SET is_blocked = true")

    answer = browser.post(begun["redirect_url"])

    assert answer.status_code == 403


def test_a_partner_with_all_its_sub_keys_can_have_no_more(service, browser):
    for number in range(19):
        service.add_key(f"a-sub-key-{number:04d}", subid=f"sub-{number}")
    begun = signup(service, **CUSTOMER)

    answer = browser.post(begun["redirect_url"])

    assert answer.status_code == 403
    assert "The account can't be opened now." in answer.text


def test_only_a_key_of_its_own_that_may_change_settings_brings_customers(service_on_sqlite):
    service_on_sqlite.add_key("a-sub-key-of-the-partner-01", subid="partner-sub")
    service_on_sqlite.add_key("a-key-that-only-sends-0002", subid="partner-sends", scope="api")

    sub_key = service_on_sqlite.client("a-sub-key-of-the-partner-01").post("/v1/partner/signup", json={})
    sender = service_on_sqlite.client("a-key-that-only-sends-0002").post("/v1/partner/signup", json={})

    assert (sub_key.status_code, sub_key.json()) == (403, {"message": "A sub-key can't have sub-keys."})
    assert (sender.status_code, sender.json()["message"][:18]) == (403, "Apikey scope 'api'")


@pytest.mark.parametrize("field", ["name", "email", "app_userid", "return_url"])
def test_what_makes_no_sense_is_refused_by_its_field(service_on_sqlite, field):
    answer = service_on_sqlite.api.post("/v1/partner/signup", json={field: "\x00\n"})

    assert answer.status_code == 400
    assert answer.json()["message"].startswith(field)
