import subprocess
import sys

import pytest
from builders import SOCKETS_OF_PREFECT
from prefect.blocks.core import Block

import flows
from flows.blocks import MessagingAccount


def test_the_ledger_is_used_without_loading_prefect():
    check = "import flows.ledger, sys; sys.exit('prefect' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_prefect_finds_the_blocks_in_the_package():
    assert "MessagingAccount" in dir(flows)
    assert flows.MessagingAccount is MessagingAccount


def test_another_name_is_not_there():
    with pytest.raises(AttributeError, match="Nothing"):
        _ = flows.Nothing


def test_the_block_explains_itself():
    assert MessagingAccount.get_description()
    assert "account.client()" in MessagingAccount.get_code_example()


def test_the_key_is_not_shown():
    account = MessagingAccount(api_key="secret-key")

    assert "secret-key" not in repr(account)
    assert "secret-key" not in repr(account.client())


@SOCKETS_OF_PREFECT
@pytest.mark.usefixtures("prefect")
def test_a_saved_account_is_loaded_by_its_name():
    MessagingAccount(api_key="secret-key", subid="shop").save("saved", overwrite=True)

    loaded = Block.load("messaging-account/saved")

    assert loaded.subid == "shop"
    assert loaded.api_key.get_secret_value() == "secret-key"
