"""A headless Chromium for tests, and the errors that its pages run into."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium")
PATIENCE_MILLISECONDS = 20_000  # of a busy machine

expect.set_options(timeout=PATIENCE_MILLISECONDS)


@contextmanager
def run_chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield launched
        launched.close()


class Telephone:
    """Opens pages as an English telephone would, and closes them all in the end."""

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self._contexts: list[BrowserContext] = []

    def open(self, address: str, **options: Any) -> Page:
        """Open a page. What goes wrong in its scripts and policies is in its ``problems``."""
        usual = {"viewport": {"width": 390, "height": 740}, "locale": "en-GB"}
        context = self._chromium.new_context(**(usual | options))
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        page.problems = []  # type: ignore[attr-defined]
        page.on("pageerror", lambda error: page.problems.append(str(error)))  # type: ignore[attr-defined]
        page.on("console", lambda message: _note(page, message))
        page.goto(address)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()


def _note(page: Page, message: Any) -> None:
    # A refused call is part of the story; a script that fails or a policy that blocks isn't.
    if message.type in {"error", "warning"} and "the server responded with a status of" not in message.text:
        page.problems.append(message.text)  # type: ignore[attr-defined]
