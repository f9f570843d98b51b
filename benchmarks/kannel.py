"""Kannel 1.4 as Debian packages it: bearerbox, smsbox and fakesmsc on free ports of the loopback, log level quiet."""

import shutil
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlencode

from benchmarks.call import PLACE, Call
from benchmarks.processes import free_ports, running, wait_until
from benchmarks.system import SENDER, TEXT, System

FAKESMSC = Path("/usr/lib/kannel/test/fakesmsc")
"""Where the package kannel-extras puts it; it isn't on the path."""

ERRORS_ONLY = "3"

CONFIGURATION = """\
group = core
admin-port = {admin}
admin-interface = 127.0.0.1
admin-password = benchmark
smsbox-port = {smsbox}
smsbox-interface = 127.0.0.1
box-allow-ip = 127.0.0.1
box-deny-ip = *.*.*.*
dlr-storage = internal
log-level = 3

group = smsc
smsc = fake
smsc-id = fake
port = {smsc}
our-host = 127.0.0.1
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = {sendsms}
sendsms-interface = 127.0.0.1
log-level = 3

group = sendsms-user
username = benchmark
password = benchmark
"""


def missing() -> str:
    """Return what isn't installed, or nothing when Kannel can run."""
    absent = [name for name in ("bearerbox", "smsbox") if not shutil.which(name)]
    return ", ".join(absent + ([] if FAKESMSC.exists() else ["fakesmsc"]))


@contextmanager
def started(directory: Path) -> Iterator[int]:
    """Run the three processes with their files in ``directory``; gives the port of sendsms once all are connected."""
    admin, smsbox, smsc, sendsms = free_ports(4)
    configuration = directory / "kannel.conf"
    configuration.write_text(CONFIGURATION.format(admin=admin, smsbox=smsbox, smsc=smsc, sendsms=sendsms))
    boxes = {name: [name, "-v", ERRORS_ONLY, str(configuration)] for name in ("bearerbox", "smsbox")}
    operator = [str(FAKESMSC), "-v", ERRORS_ONLY, "-H", "127.0.0.1", "-r", str(smsc), "-m", "0", "1 2 text unused"]
    with running(boxes["bearerbox"], directory / "bearerbox.log"):
        wait_until(lambda: bool(_status(admin)), "the start of bearerbox")
        with running(operator, directory / "fakesmsc.log"), running(boxes["smsbox"], directory / "smsbox.log"):
            wait_until(lambda: "(online " in _status(admin), "the connection of fakesmsc")
            wait_until(lambda: "smsbox:" in _status(admin), "the connection of smsbox")
            yield sendsms


def _status(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/status.txt?password=benchmark", timeout=5) as response:
        return str(response.read(), "utf-8", "replace")


def _sendsms(recipients: int, callback: str) -> Call:
    report = {"dlr-mask": "1", "dlr-url": f"{callback}/delivered"} if callback else {}
    fixed = {"username": "benchmark", "password": "benchmark", "from": SENDER, "text": TEXT, **report}
    numbers = "+".join([PLACE] * recipients)
    return Call("GET", f"/cgi-bin/sendsms?{urlencode(fixed, quote_via=quote)}&to={numbers}")


KANNEL = System(
    name="Kannel",
    missing=missing(),
    running=started,
    single=lambda callback: _sendsms(1, callback),
    batch=lambda callback: _sendsms(100, callback),
    # fakesmsc sends no receipts: Kannel's driver for it reports "delivered" once it has written the message to it.
    delivered="GET /delivered",
    sent="GET /delivered",
    may_refuse=0.02,  # smsbox now and then refuses a call of 100 recipients under full load
)
