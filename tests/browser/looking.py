"""What a person sees of a page: size, theme, requests, and what an accessibility checker says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

from playwright.sync_api import Browser, Page

PHONE, DESK = (390, 844), (1440, 900)
Theme = Literal["light", "dark"]
# Chromium says this of a field; it is advice, and the pages follow it as far as they can.
_ADVICE = ("[DOM]",)
_AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_RUN = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
_BY_EAR = ("heading-order", "landmark-unique", "page-has-heading-one")
_SMALL = """() => [...document.querySelectorAll("a[href], button, summary, select, input")].filter((one) => {
  if (!one.checkVisibility() || one.matches(".skip, [type=hidden]")) return false;
  const beyond = getComputedStyle(one, "::after");
  const reaches = beyond.content !== "none" && beyond.position === "absolute";
  const inLine = one.tagName === "A" && getComputedStyle(one).display === "inline" && !reaches;
  const height = reaches ? parseFloat(beyond.height) : one.getBoundingClientRect().height;
  return !inLine && Math.round(height) < 44;
}).map((one) => one.outerHTML.slice(0, 120))"""


@dataclass
class Looking:
    """A browser's window. `requests` has the addresses it asked for, `complaints` what it wrote to
    its console and what a script threw."""

    browser: Browser
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)

    @classmethod
    @contextmanager
    def opened(cls, browser: Browser) -> Iterator[Looking]:
        looking = cls(browser)
        yield looking
        for page in looking.pages:
            page.context.close()

    def at(
        self,
        address: str,
        *,
        size: tuple[int, int] = DESK,
        theme: Theme = "light",
        scripts: bool = True,
        headers: dict[str, str] | None = None,
    ) -> Page:
        """Open an address in a new context, so without cookies."""
        width, height = size
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            java_script_enabled=scripts,
            extra_http_headers=headers,
        )
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self._heard(line.text))
        page.on("dialog", lambda dialog: self._alerted(dialog))
        page.goto(address)
        self.pages.append(page)
        return page

    def faults_of(self, page: Page) -> list[str]:
        """What the accessibility checker calls serious or critical, or what breaks the list of headings
        or landmarks that a screen reader offers; each with its element."""
        page.evaluate(_AXE)
        found: list[dict[str, Any]] = page.evaluate(_RUN)
        return [
            f"{one['id']}: {one['help']}: {node['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical") or one["id"] in _BY_EAR
            for node in one["nodes"]
        ]

    def _heard(self, text: str) -> None:
        if not text.startswith(_ADVICE):
            self.complaints.append(text)

    def _alerted(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()


def is_too_wide(page: Page) -> bool:
    """Whether one has to scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def small_targets(page: Page) -> list[str]:
    """What a thumb could miss: anything lower than 44 px but links within a line of text. An area
    that reaches beyond its element, made with ::after, counts."""
    return [str(one) for one in page.evaluate(_SMALL)]
