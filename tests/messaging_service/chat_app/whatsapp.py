"""A running service whose WhatsApp goes to the shipped fake of the Cloud API, over real HTTP both ways."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx
from running_service import RunningService, run_service
from serving_in_threads import serving

from messaging_service.channels.chat_app.fakes.cloud_api import VERSION, FakeCloudApi

KEY = "the-key-of-the-sender"
TOKEN, SECRET, WORD = "the-token-of-the-platform", "the-secret-of-the-app", "the-word-of-the-webhook"
SENDER, PHONE, WABA = "420777000111", "106540352242922", "102290129340398"
PERSON = "420601121234"


@dataclass
class WhatsApp:
    """The service, the platform that it speaks to, and a key of the first account that writes as SENDER."""

    service: RunningService
    platform: FakeCloudApi

    @cached_property
    def api(self) -> httpx.Client:
        return self.service.client(KEY)

    def send(self, number: str, *flow: dict, **message: Any) -> str:
        given = {"to": [{"phone_number": number}], "body": "Hello", "flow": list(flow), "tag": "transactional"}
        answer = self.api.post("/v2/message", json=given | message).json()
        (accepted,) = answer["accepted"]
        return accepted["message_id"]

    def write(self, number: str, text: str = "Hello") -> int | None:
        """Have a person write to the sender, and wait until the inbox has it."""
        before = len(self.inbox())
        status = asyncio.run(self.platform.write(number, PHONE, text))
        self.service.wait_until(lambda: len(self.inbox()) > before)
        return status

    def report(self, message: dict, status: str, problem: dict | None = None) -> int | None:
        return asyncio.run(self.platform.report(message, status, problem))

    def inbox(self) -> list[dict]:
        today = time.strftime("%Y-%m-%d", time.gmtime(self.service.clock.now() / 1000))
        return self.api.get("/v1/inbox", params={"date": today}).json()["inbox"]

    def status(self, message_id: str) -> dict:
        return self.api.get("/v1/message", params={"id": message_id}).json()["message"]

    def reaches(self, message_id: str, **expected: str) -> dict:
        """Return the status of a message once it has these values."""

        def reached() -> dict | None:
            record = self.status(message_id)
            return record if record and all(record[name] == value for name, value in expected.items()) else None

        return self.service.wait_until(reached)

    def taken(self, number: str) -> list[dict]:
        return [message for message in self.platform.taken if message["to"] == number]

    def webhook(self, body: bytes, **headers: str) -> httpx.Response:
        return self.service.client(None).post("/chatapp/webhook", content=body, headers=headers)


@contextmanager
def run_whatsapp(database_url: str, folder: Any, **settings: Any) -> Iterator[WhatsApp]:
    """Run both; the first account owns WABA."""
    platform = FakeCloudApi(TOKEN, SECRET, {PHONE: SENDER})
    with (
        serving(platform.application()) as address,
        run_service(database_url, folder, **access(f"{address}/{VERSION}"), **settings) as service,
    ):
        service.add_key(KEY, subid="whatsapp", default_sender=SENDER)
        platform.webhook = f"{service.url}/chatapp/webhook"
        yield WhatsApp(service, platform)
        platform.webhook = None


def access(url: str) -> dict[str, str]:
    """Return the settings of a service whose WhatsApp goes to an address."""
    given = {"chat_app_url": url, "chat_app_token": TOKEN, "chat_app_secret": SECRET, "chat_app_verify_token": WORD}
    return given | {"chat_app_senders": f"{SENDER}={PHONE}", "chat_app_business_accounts": f"{WABA}=1"}
