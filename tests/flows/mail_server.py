"""A mail server that keeps what it takes, for the time of a test."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_string
from email.message import Message

from flows.email_block import SmtpEmail


@dataclass
class MailServer:
    port: int
    taken: list[str] = field(default_factory=list)
    refuses: bool = False

    @property
    def mails(self) -> list[Message]:
        return [message_from_string(each) for each in self.taken]


@contextmanager
def mail_server_of(block: str) -> Iterator[MailServer]:
    """A mail server, and the block of this name that mails operations by it."""
    with mail_server() as server:
        SmtpEmail(
            host="127.0.0.1",
            port=server.port,
            security="none",
            sender="dovecote@example.com",
            recipients=["ops@example.com"],
        ).save(block)
        yield server


@contextmanager
def mail_server() -> Iterator[MailServer]:
    class Conversation(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.say("220 here")
            while line := self.rfile.readline().decode().strip():
                verb = line.split()[0].upper()
                if verb == "DATA":
                    self.say("354 go on")
                    kept.taken.append(self.read_mail())
                    self.say("250 taken")
                elif verb == "MAIL" and kept.refuses:
                    self.say("550 not you, secret-password")
                else:
                    self.say("221 bye" if verb == "QUIT" else "250 fine")

        def say(self, line: str) -> None:
            self.wfile.write(f"{line}\r\n".encode())

        def read_mail(self) -> str:
            lines = []
            while (line := self.rfile.readline().decode().rstrip("\r\n")) != ".":
                lines.append(line.removeprefix("."))
            return "\n".join(lines)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Conversation) as server:
        kept = MailServer(server.server_address[1])
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield kept
        server.shutdown()
