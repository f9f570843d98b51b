"""The file of who issues invoices: what is wrong with it is said when the service starts."""

import pytest
from accounting import ISSUER

from messaging_service.billing.issuer import Language, read_issuer


def test_the_shipped_example_can_be_used():
    read = read_issuer(ISSUER)

    assert (read.language, read.issuer.name, read.bank.account_bank) == (Language.CZECH, "Holubník s.r.o.", "0800")


def test_without_a_file_nobody_issues():
    assert read_issuer(None) is None


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("", "issuer is required"),
        ("issuer = [", "isn't TOML"),
        ("[issuer]\nname = ''\n[bank]", "issuer.name"),
        ("[issuer]\nname = 'Shop'\nnickname = 'S'", "issuer.nickname"),
        ("[issuer]\nname = 'Shop'\n[bank]\naccount_number = '1'\naccount_bank = '0800'\niban = 'CZ65'", "bank."),
        ("language = 'fr'\n[issuer]\nname = 'Shop'", "language"),
    ],
)
def test_what_can_not_be_used_names_the_file_and_the_field(tmp_path, written, complaint):
    file = tmp_path / "issuer.toml"
    file.write_text(written, "utf-8")

    with pytest.raises(ValueError, match=r"^DOVECOTE_ISSUER: .*issuer\.toml") as refused:
        read_issuer(file)

    assert complaint in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere\.toml can't be read: No such file"):
        read_issuer(tmp_path / "nowhere.toml")
