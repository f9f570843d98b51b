"""A mail server on a real socket: takes e-mails over SMTP, with or without TLS, and refuses whom it is told to."""

import base64
import contextlib
import datetime as dt
import email
import email.policy
import socketserver
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import EmailMessage

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass
class Taken:
    """An e-mail as it was handed over: from whom, to whom (SMTP's own), and its text."""

    sender: str
    recipient: str
    message: EmailMessage
    login: tuple[str, str] | None
    encrypted: bool


@dataclass
class MailServer:
    """``refuse`` says with which answer a recipient is refused, None takes it."""

    port: int = 0
    refuse: Callable[[str], str | None] = lambda _recipient: None
    taken: list[Taken] = field(default_factory=list)
    attempts: int = 0


class Session(socketserver.StreamRequestHandler):
    """One connection: each command is a method, which returns what is answered."""

    mails: MailServer
    tls: ssl.SSLContext | None

    def handle(self):
        self.login, self.encrypted, self.ended = None, False, False
        self.say("220 mail.test")
        with contextlib.suppress(OSError):
            while not self.ended and (line := self.rfile.readline().decode().strip()):
                verb, _, rest = line.partition(" ")
                command = getattr(self, verb.lower(), None)
                self.say(command(rest) if command else "250 ok")
                if verb.upper() == "STARTTLS":
                    self.encrypt()
        if self.encrypted:
            for each in (self.rfile, self.wfile, self.connection):
                each.close()

    def say(self, line):
        self.wfile.write(f"{line}\r\n".encode())

    def ehlo(self, _rest):
        offers = ["250-mail.test", "250-8BITMIME"]
        if self.tls and not self.encrypted:
            offers.append("250-STARTTLS")
        return "\r\n".join([*offers, "250 AUTH PLAIN"])

    def starttls(self, _rest):
        return "220 go on"

    def encrypt(self):
        self.connection = self.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
        self.encrypted = True

    def auth(self, rest):
        _, user, password = base64.b64decode(rest.split()[1]).decode().split("\0")
        self.login = (user, password)
        return "235 welcome"

    def mail(self, rest):
        self.sender = rest.partition("<")[2].partition(">")[0]
        return "250 ok"

    def rcpt(self, rest):
        self.recipient = rest.partition("<")[2].partition(">")[0]
        self.mails.attempts += 1
        return self.mails.refuse(self.recipient) or "250 ok"

    def data(self, _rest):
        self.say("354 go on")
        lines = []
        while (line := self.rfile.readline()) != b".\r\n":
            lines.append(line.removeprefix(b"."))
        message = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        self.mails.taken.append(Taken(self.sender, self.recipient, message, self.login, self.encrypted))
        return "250 taken"

    def quit(self, _rest):
        self.ended = True
        return "221 bye"


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # callers that break off are part of the story


@contextlib.contextmanager
def receiving_mails(tls: ssl.SSLContext | None = None):
    """Run a mail server; with ``tls`` it offers STARTTLS."""
    mails = MailServer()
    with _Server(("127.0.0.1", 0), type("ThisSession", (Session,), {"mails": mails, "tls": tls})) as server:
        mails.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield mails
        finally:
            server.shutdown()
            thread.join()


def own_certificate(folder):
    """Write a certificate for this machine that is its own authority. Returns its file and the server's side of TLS."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file, key_file = folder / "certificate.pem", folder / "key.pem"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key_file)
    return file, context
