"""The mail server that takes e-mails, over SMTP (RFC 5321)."""

import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate

from messaging_service.settings import Settings, SmtpSecurity
from messaging_service.store.mails import DueMail

_TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where e-mails are handed over, as whom, and from which address."""

    host: str
    port: int
    security: SmtpSecurity
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)

    def send(self, mails: Sequence[DueMail]) -> list[str | None]:
        """Hand e-mails over, one after the other. Returns for each what went wrong, None for those that were taken."""
        try:
            with self._connected() as server:
                return [self._send(server, mail) for mail in mails]
        except (OSError, smtplib.SMTPException) as error:
            return [_reason(error)] * len(mails)

    def _send(self, server: smtplib.SMTP, mail: DueMail) -> str | None:
        try:
            server.send_message(self._written(mail))
        except smtplib.SMTPServerDisconnected as error:
            return _reason(error)  # those after it fail alike, and are tried again on a new connection
        except (OSError, smtplib.SMTPException, ValueError) as error:
            return _reason(error)
        return None

    def _written(self, mail: DueMail) -> EmailMessage:
        message = EmailMessage()
        message["From"] = self.sender
        message["To"] = mail.recipient
        message["Subject"] = mail.subject
        message["Date"] = formatdate()
        message["Message-ID"] = f"<{mail.mail_id}@{self.sender.rpartition('@')[2].rstrip('>')}>"
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(mail.body)
        return message

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        context = ssl.create_default_context()
        if self.security is SmtpSecurity.TLS:
            opened: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=_TIMEOUT_SECONDS, context=context)
        else:
            opened = smtplib.SMTP(self.host, self.port, timeout=_TIMEOUT_SECONDS)
        with opened as server:
            if self.security is SmtpSecurity.STARTTLS:
                server.starttls(context=context)
            if self.user:
                server.login(self.user, self.password)
            yield server


def open_mail_server(settings: Settings) -> MailServer | None:
    """Return the mail server of the settings, None where they name none."""
    if not settings.sends_mail:
        return None
    password = settings.smtp_password
    return MailServer(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_security,
        settings.smtp_sender,
        settings.smtp_user,
        "" if password is None else password.get_secret_value(),
    )


def _reason(error: Exception) -> str:
    """Say what went wrong without what a server may repeat: addresses, parts of the text."""
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{type(error).__name__} {error.smtp_code}"
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return f"{type(error).__name__} {next(iter(error.recipients.values()))[0]}"
    return type(error).__name__
