"""What keeps people out of a page, as axe finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[str]:
    """The rules that a page breaks, each with its first element. Skips the test where axe is not installed."""
    package: Any = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe: pip install axe-playwright-python"
    )
    # Of what passes only the number: to describe each element of a page takes several times as long.
    options = {"runOnly": _RULES, "resultTypes": ["violations"]}
    found = package.Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']:.200}" for one in found]
