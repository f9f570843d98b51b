import asyncio
import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from builders import SOCKETS_OF_PREFECT, a_plan
from prefect.blocks.core import Block
from pydantic import ValidationError
from service_program import KEY

import flows
from flows.blocks import LedgerDatabase, MessagingAccount
from flows.connections import opened_ledger
from flows.email_block import SmtpEmail
from flows.ledger import list_campaigns, plan
from interface.errors import Unauthorized

NOBODY = "http://127.0.0.1:9/v1"
"""Where nothing listens: an account is saved when its key can't be checked."""


def test_the_ledger_is_used_without_loading_prefect():
    check = "import flows.ledger, sys; sys.exit('prefect' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize("block", [MessagingAccount, LedgerDatabase, SmtpEmail])
def test_prefect_finds_the_blocks_in_the_package(block):
    assert block.__name__ in dir(flows)
    assert getattr(flows, block.__name__) is block


def test_another_name_is_not_there():
    with pytest.raises(AttributeError, match="Nothing"):
        _ = flows.Nothing


@pytest.mark.parametrize("block", [MessagingAccount, LedgerDatabase, SmtpEmail])
def test_the_block_explains_itself(block):
    assert block.get_description()
    assert "from flows import" in block.get_code_example()
    assert block._logo_url.scheme == "https"  # noqa: SLF001  (Prefect's own place for it)
    assert all(field.title and field.description for field in block.model_fields.values())


def test_prefect_finds_the_blocks_by_the_installed_package():
    (ours,) = (each for each in entry_points(group="prefect.collections") if each.name == "dovecote")

    assert ours.load().LedgerDatabase is LedgerDatabase


def test_the_key_is_not_shown():
    account = MessagingAccount(api_key="secret-key")

    assert "secret-key" not in repr(account)
    assert "secret-key" not in repr(account.client())


def saved_at_once(account, name):
    account.save(name, overwrite=True)


def saved_by_a_coroutine(account, name):
    asyncio.run(account.asave(name, overwrite=True))


@SOCKETS_OF_PREFECT
@pytest.mark.usefixtures("prefect")
def test_a_saved_account_is_loaded_by_its_name():
    MessagingAccount(api_key="secret-key", subid="shop", rest_url=NOBODY).save("saved", overwrite=True)

    loaded = Block.load("messaging-account/saved")

    assert loaded.subid == "shop"
    assert loaded.api_key.get_secret_value() == "secret-key"


@SOCKETS_OF_PREFECT
@pytest.mark.usefixtures("prefect")
@pytest.mark.parametrize("save", [saved_at_once, saved_by_a_coroutine])
def test_an_account_whose_key_is_refused_is_not_saved(save, service):
    wrong = MessagingAccount(api_key="not-the-key", rest_url=f"{service}/v1")

    with pytest.raises(Unauthorized, match=r"GET /apikey/me failed with status 401: .*Check the key") as refused:
        save(wrong, "refused")

    assert "not-the-key" not in str(refused.value)
    with pytest.raises(ValueError, match="Unable to find block document"):
        Block.load("messaging-account/refused")


@SOCKETS_OF_PREFECT
@pytest.mark.usefixtures("prefect")
@pytest.mark.parametrize("save", [saved_at_once, saved_by_a_coroutine])
def test_an_account_whose_key_is_good_is_saved(save, service):
    save(MessagingAccount(api_key=KEY, rest_url=f"{service}/v1"), "good")

    assert Block.load("messaging-account/good").api_key.get_secret_value() == KEY


@pytest.mark.parametrize(
    "address", ["", "nonsense", "mysql://u:secret@h/d", "postgresql://u:secret@h:port/d", "sqlite://"]
)
def test_an_address_that_is_no_ledger_s_is_refused_and_not_shown(address):
    with pytest.raises(ValidationError, match="must read sqlite:///FILE or postgresql://") as refused:
        LedgerDatabase(address=address)

    assert "secret" not in str(refused.value)


def test_the_address_is_not_shown():
    assert "secret" not in repr(LedgerDatabase(address="postgresql://u:secret@h/d"))


@SOCKETS_OF_PREFECT
@pytest.mark.usefixtures("prefect")
def test_an_account_s_flows_use_the_ledger_of_its_block(ledger_address, ledger):
    LedgerDatabase(address=ledger_address).save("of-an-account", overwrite=True)
    of_an_account = LedgerDatabase.load("of-an-account")
    MessagingAccount(api_key="k", rest_url=NOBODY, ledger=of_an_account).save("with-a-ledger", overwrite=True)
    campaign = plan(ledger, a_plan())

    async def campaigns():
        account = await MessagingAccount.aload("with-a-ledger")
        async with opened_ledger(account) as book:
            return list_campaigns(book)

    assert asyncio.run(campaigns()) == [campaign]


@pytest.mark.usefixtures("prefect")
def test_prefect_registers_the_blocks_of_the_package(prefect):
    command = [sys.executable, "-m", "prefect", "block", "register", "-m", "flows"]
    environment = {**os.environ, "PREFECT_API_URL": prefect}

    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "Ledger Database" in done.stdout
    assert "Messaging Account" in done.stdout
