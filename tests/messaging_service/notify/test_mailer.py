"""E-mails: handed to a mail server once it takes them, tried again until then, given up after two days."""

from dataclasses import replace

import pytest
from mail_receiving import own_certificate, receiving_mails
from notifying import MovableClock
from sqlalchemy import select

from messaging_service.housekeeping import Housekeeping
from messaging_service.mail.mailer import PAUSES, Mailer
from messaging_service.mail.server import MailServer
from messaging_service.settings import SmtpSecurity
from messaging_service.store import mails
from messaging_service.store.mails import Mail
from messaging_service.store.tables import mails as table

MAIL = Mail("owner@example.com", "Credit is low: 1.00 Kč", "A line.\n.\nThe last line, with ěščř.\n")


@pytest.fixture
def mail_server():
    with receiving_mails() as server:
        yield server


@pytest.fixture
def clock():
    return MovableClock()


def server_at(port, **more):
    return replace(MailServer("127.0.0.1", port, SmtpSecurity.NONE, "alerts@dovecote.example"), **more)


def write(store, clock, *written):
    with store.writing() as connection:
        mails.add(connection, written, clock.now())


def waiting(store):
    with store.reading() as connection:
        return connection.execute(select(table).order_by(table.c.id)).mappings().all()


def test_a_mail_arrives_as_it_was_written(store, clock, mail_server):
    write(store, clock, MAIL)

    sent = Mailer(store, clock, server_at(mail_server.port)).turn()

    (taken,) = mail_server.taken
    assert (sent, waiting(store)) == (1, [])
    assert (taken.recipient, taken.message["To"]) == ("owner@example.com", "owner@example.com")
    assert taken.message["Subject"] == "Credit is low: 1.00 Kč"
    assert taken.message.get_content().splitlines() == MAIL.body.splitlines()


def test_a_mail_that_no_server_takes_now_is_sent_again_as_the_same_mail(store, clock, mail_server):
    write(store, clock, MAIL)
    mailer = Mailer(store, clock, server_at(mail_server.port))
    mail_server.refuse = lambda _recipient: "451 not now"
    mailer.turn()
    (postponed,) = waiting(store)
    mail_server.refuse = lambda _recipient: None

    early = mailer.turn()
    clock.advance(60)
    mailer.turn()

    (taken,) = mail_server.taken
    assert (early, postponed["last_error"]) == (0, "SMTPRecipientsRefused 451")
    assert taken.message["Message-ID"] == f"<{postponed['mail_id']}@dovecote.example>"
    assert waiting(store) == []


def test_a_mail_that_nobody_ever_takes_is_given_up(store, clock, mail_server):
    write(store, clock, MAIL)
    mailer = Mailer(store, clock, server_at(mail_server.port))
    mail_server.refuse = lambda _recipient: "550 nobody"

    turns = 0
    while mailer.turn():
        turns += 1
        clock.advance(24 * 3600)

    clock.advance(31 * 24 * 3600)
    before = waiting(store)
    Housekeeping(store, store, clock).tidy()

    (given_up,) = before
    assert waiting(store) == []
    assert turns == mail_server.attempts == len(PAUSES) + 1
    assert (given_up["attempts"], given_up["due_at"]) == (turns, None)


def test_a_mail_that_is_refused_holds_up_no_other(store, clock, mail_server):
    write(store, clock, MAIL._replace(recipient="nobody@example.com"), MAIL)
    mail_server.refuse = lambda recipient: "550 nobody" if recipient.startswith("nobody") else None

    Mailer(store, clock, server_at(mail_server.port)).turn()

    assert [mail.recipient for mail in mail_server.taken] == ["owner@example.com"]
    assert [mail["recipient"] for mail in waiting(store)] == ["nobody@example.com"]


def test_no_server_at_all_postpones_every_mail(store, clock):
    write(store, clock, MAIL, MAIL)

    sent = Mailer(store, clock, server_at(1)).turn()

    assert (sent, [mail["last_error"] for mail in waiting(store)]) == (2, ["ConnectionRefusedError"] * 2)


def test_a_worker_that_died_while_sending_gives_its_mails_back(store, clock, mail_server):
    write(store, clock, MAIL)
    with store.writing() as connection:
        mails.claim(connection, clock.now(), clock.now() + 1000, 10)
    mailer = Mailer(store, clock, server_at(mail_server.port))

    before = mailer.turn()
    clock.advance(1)

    assert (before, mailer.turn()) == (0, 1)


def test_it_logs_in_where_a_user_is_set(store, clock, mail_server):
    write(store, clock, MAIL)
    server = server_at(mail_server.port, user="dovecote", password="a-secret")

    Mailer(store, clock, server).turn()

    assert mail_server.taken[0].login == ("dovecote", "a-secret")
    assert "a-secret" not in repr(server)


def test_a_connection_is_encrypted_and_its_certificate_checked(store, clock, tmp_path, monkeypatch):
    certificate, tls = own_certificate(tmp_path)
    with receiving_mails(tls) as mail_server:
        server = server_at(mail_server.port, host="localhost", security=SmtpSecurity.STARTTLS)
        mailer = Mailer(store, clock, server)
        write(store, clock, MAIL)
        mailer.turn()
        (untrusted,) = waiting(store)

        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        clock.advance(60)
        mailer.turn()

    assert untrusted["last_error"] == "SSLCertVerificationError"
    assert [mail.encrypted for mail in mail_server.taken] == [True]


def test_a_server_without_encryption_gets_nothing_where_it_is_asked_for(store, clock, mail_server):
    write(store, clock, MAIL)
    server = server_at(mail_server.port, security=SmtpSecurity.STARTTLS, user="dovecote", password="a-secret")

    Mailer(store, clock, server).turn()

    assert [mail["last_error"] for mail in waiting(store)] == ["SMTPNotSupportedError"]
    assert mail_server.taken == []
