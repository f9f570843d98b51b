"""Every call takes the key's scope into account: ``api`` sends and reads, all else is refused (specification 5)."""

import pytest

from interface.account import Scope
from interface.calls import CALLS, Base, Content
from messaging_service.endpoints.serving import PREFIXES

MAY_NOT = "Apikey scope 'api' is not allowed to change settings"
SETTING = {
    "apikey_update",
    "apikey_add",
    "apikey_change",
    "set_credit_alert",
    "credit_order",
    "credit_cancel",
    "opt_out",
    "blacklist",
    "opt_out_remove",
    "blacklist_remove",
    "billing_set",
    "chat_template_create",
    "chat_template_delete",
    "partner_signup",
}
IN_JSON = [call for call in CALLS if call.answers is Content.JSON and call.base is not Base.VERIFY]


def refused_for_its_scope(service, scope, call):
    key = f"the-key-of-scope-{scope}"
    client = service.client(key)
    if client.get("/v1/apikey/me").status_code != 200:
        service.add_key(key, subid=f"of-scope-{scope}", scope=scope)
        service.clock.move(3000)  # that there was no such key is forgotten
    answer = client.request(call.method, PREFIXES[call.base] + call.path)
    return (answer.status_code, answer.json().get("message")) == (403, MAY_NOT)


@pytest.mark.parametrize("call", IN_JSON, ids=lambda call: call.name)
def test_scope_api_changes_no_settings_and_does_everything_else(service_on_sqlite, call):
    assert refused_for_its_scope(service_on_sqlite, Scope.API, call) == (call.name in SETTING)


@pytest.mark.parametrize("scope", [Scope.FULL, Scope.REST_API])
def test_other_scopes_may_do_everything(service_on_sqlite, scope):
    assert not [call.name for call in IN_JSON if refused_for_its_scope(service_on_sqlite, scope, call)]


def test_the_calls_that_change_settings_say_so():
    assert {call.name for call in CALLS if any(error.status == 403 for error in call.errors)} >= SETTING
