"""Headless Chromium, asked over a pipe in the words of its DevTools protocol: no driver has to be installed."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
)  # fmt: skip


def find_chromium() -> str | None:
    """The program; None where it is not installed."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Page:
    """An opened page.

    Attributes:
        errors: what its console said as an error, exceptions, and what it could not load or was refused.
        asked: the addresses that it asked for.
    """

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session
        self.errors: list[str] = []
        self.asked: list[str] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, parameters, self)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self, path: Path) -> None:
        """The whole page, not only what a window shows."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def pdf(self, path: Path) -> None:
        """What is printed on A4."""
        found = self.call("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)
        path.write_bytes(base64.b64decode(found["data"]))

    def heard(self, event: dict[str, Any]) -> None:
        given = event.get("params", {})
        match event["method"]:
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(given["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if given["type"] in ("error", "warning", "assert"):
                self.errors.append(json.dumps(given["args"]))
            case "Log.entryAdded" if given["entry"]["level"] in ("error", "warning"):
                self.errors.append(given["entry"]["text"])
            case "Network.requestWillBeSent":
                self.asked.append(given["request"]["url"])


class Browser:
    """A running browser."""

    def __init__(self, into: int, out_of: int) -> None:
        self._into, self._out_of = os.fdopen(into, "wb"), os.fdopen(out_of, "rb")
        self._number, self._rest = 0, b""
        self._pages: dict[str, Page] = {}
        self._loaded: set[str] = set()

    def close(self) -> None:
        self._into.close()
        self._out_of.close()

    def call(self, method: str, parameters: dict[str, Any], page: Page | None = None) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if page is not None:
            message["sessionId"] = page._session
        self._into.write(json.dumps(message).encode() + b"\0")
        self._into.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, file: Path, width: int, height: int = 900, dark: bool = False) -> Page:
        """Opens a file in a window of so many pixels, a phone's below 600."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        mobile = width < 600
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.call("Emulation.setEmulatedMedia", features=[scheme])
        self._loaded.discard(session)
        page.call("Page.navigate", url=file.resolve().as_uri())
        while session not in self._loaded:
            self._read()
        return page

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = self._out_of.read1(1 << 20)
            assert part, "Chromium has ended"
            self._rest += part
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        if "method" in message and message.get("sessionId") in self._pages:
            self._pages[message["sessionId"]].heard(message)
            if message["method"] == "Page.loadEventFired":
                self._loaded.add(message["sessionId"])
        return message


@contextmanager
def chromium(program: str, profile: Path) -> Iterator[Browser]:
    """A browser with a profile of its own, which ends with the block."""
    read_here, write_there = os.pipe()
    read_there, write_here = os.pipe()
    command = ["bash", "-c", f'exec "$@" 3<&{read_there} 4>&{write_there}', "bash", program]
    process = subprocess.Popen(
        [*command, *_FLAGS, f"--user-data-dir={profile}"],
        pass_fds=(read_there, write_there),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(read_there)
    os.close(write_there)
    browser = Browser(write_here, read_here)
    try:
        yield browser
        browser.call("Browser.close", {})
    finally:
        browser.close()
        process.terminate()
        process.wait(timeout=30)


def check_shown(browser: Browser, file: Path, pictures: Path) -> None:
    """No error, nothing from elsewhere, nothing wider than the window, everything unfolded; and a print."""
    for width, dark in ((360, False), (1280, False), (1280, True)):
        shown = browser.open(file, width, dark=dark)
        shown.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert shown.evaluate(wide) <= 0, f"wider than {width} pixels"
        assert shown.errors == []
        assert shown.asked == [file.resolve().as_uri()]
        shown.screenshot(pictures / f"{width}{'-dark' * dark}.png")
        assert (pictures / f"{width}{'-dark' * dark}.png").stat().st_size > 10_000
    shown.pdf(pictures / "print.pdf")
    assert (pictures / "print.pdf").read_bytes().startswith(b"%PDF-")
