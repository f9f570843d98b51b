"""The Prefect block for e-mails over SMTP: Prefect's own go only through other companies' services."""

import asyncio
import smtplib
import ssl
from email.message import EmailMessage
from typing import Literal

from prefect.blocks.abstract import NotificationBlock, NotificationError
from pydantic import Field, HttpUrl, SecretStr

SECONDS_TO_ANSWER = 20.0


class SmtpEmail(NotificationBlock):
    """An e-mail address to notify, and the mail server that takes the e-mails.

    Attributes:
        host: The mail server.
        port: Its port.
        security: How the connection is protected.
        username: Whom to log in as; empty: nobody.
        password: The password of that user.
        sender: The address that the e-mails come from.
        recipients: The addresses that they go to.

    Example:
        Save it once, and name it in flows and automations as ``smtp-email/operations``:
        ```python
        from flows import SmtpEmail

        block = SmtpEmail(host="mail.example.com", sender="dovecote@example.com", recipients=["ops@example.com"])
        block.save("operations")
        ```

    """

    _block_type_name = "SMTP E-mail"
    _block_type_slug = "smtp-email"
    _logo_url = HttpUrl("https://raw.githubusercontent.com/googlefonts/noto-emoji/main/png/128/emoji_u2709.png")
    _documentation_url = HttpUrl("https://docs.prefect.io/v3/concepts/automations")
    _description = "Sends e-mails through a mail server of your own, from flows and automations."

    host: str = Field(title="Mail server", description="Name or address of the server.", examples=["mail.example.com"])
    port: int = Field(default=587, ge=1, le=65535, title="Port", description="587 for STARTTLS, 465 for TLS.")
    security: Literal["STARTTLS", "TLS", "none"] = Field(
        default="STARTTLS", title="Protection", description="'none' only for a server on this machine."
    )
    username: str = Field(default="", title="User", description="Empty: no login.")
    password: SecretStr = Field(default=SecretStr(""), title="Password", description="Stored encrypted.")
    sender: str = Field(title="From", description="The address that they come from.", examples=["dovecote@example.com"])
    recipients: list[str] = Field(
        min_length=1, title="To", description="The addresses that they go to.", examples=[["ops@example.com"]]
    )

    async def notify(self, body: str, subject: str | None = None) -> None:
        """Send an e-mail to all recipients; raises `NotificationError` when the mail server doesn't take it."""
        message = EmailMessage()
        message["From"], message["To"] = self.sender, ", ".join(self.recipients)
        message["Subject"] = " ".join((subject or "Dovecote").split())
        message.set_content(body)
        try:
            await asyncio.to_thread(self._send, message)
        except (OSError, smtplib.SMTPException) as error:
            raise NotificationError(f"The mail server {self.host} didn't take an e-mail: {_reason(error)}.") from None

    def _send(self, message: EmailMessage) -> None:
        context = ssl.create_default_context()
        if self.security == "TLS":
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=SECONDS_TO_ANSWER, context=context)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=SECONDS_TO_ANSWER)
        with server:
            if self.security == "STARTTLS":
                server.starttls(context=context)
            if self.username:
                server.login(self.username, self.password.get_secret_value())
            server.send_message(message)


def _reason(error: Exception) -> str:
    # An SMTP answer may repeat what was sent to it: only its code is shown.
    code = getattr(error, "smtp_code", None)
    return f"{type(error).__name__} {code}" if code else type(error).__name__
