"""A program: the service in one process, with a fault where the first argument names one. Prints its port."""

import os
import signal
import socket
import sys

import uvicorn

from messaging_service.application import Application
from messaging_service.clock import SystemClock
from messaging_service.running import logs
from messaging_service.running.serve import open_service_store
from messaging_service.settings import Settings
from messaging_service.verification import verifier
from messaging_service.verification.codes import CodeKeeper


def die(_outcome: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail(*_code: object) -> bool:
    raise RuntimeError("the comparison failed")


def main(fault: str) -> None:
    settings = Settings()
    logs.configure(settings.log_format, settings.log_level)
    if fault == "dies-before-it-answers":
        verifier.told = die
    if fault == "fails-while-judging":
        CodeKeeper.matches = fail
    store = open_service_store(settings, SystemClock()).store
    application = Application(settings, store, SystemClock())
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        uvicorn.Server(uvicorn.Config(application.asgi, log_config=None, access_log=False)).run([listener])
    store.close()


if __name__ == "__main__":
    main(sys.argv[1])
