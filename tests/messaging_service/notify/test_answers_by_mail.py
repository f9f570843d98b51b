"""Answers to a message by e-mail (details, ``params._incoming.email_to``): from the telephone to the mail server."""

from mail_receiving import receiving_mails
from running_service import run_service

ANSWERS_YES = "420601129005"


def test_an_answer_arrives_as_an_e_mail(store_url, tmp_path):
    message = {"to": [{"phone_number": ANSWERS_YES}], "body": "Will you come?", "tag": "transactional"}
    message |= {"params": {"_incoming": {"email_to": "shop@example.com"}}}
    with receiving_mails() as server:
        smtp = {"smtp_host": "127.0.0.1", "smtp_port": server.port, "smtp_security": "none"}
        with run_service(store_url, tmp_path, **smtp) as service:
            service.api.post("/v2/message", json=message)

            (mail,) = service.wait_until(lambda: server.taken)

    assert mail.recipient == "shop@example.com"
    assert mail.message["Subject"] == f"Answer from +{ANSWERS_YES} to Dovecote"
    assert "YES" in mail.message.get_content()
    assert "Will you come?" in mail.message.get_content()
