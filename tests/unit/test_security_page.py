"""docs/security.md: whatever it says is stopped or kept is tried by a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")
TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}


def rows() -> list[list[str]]:
    """The cells of the tables of threats, without their heads."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines if not line.endswith("Tried by |")]


def test_every_test_that_the_page_names_exists() -> None:
    named = re.findall(r"`(test_\w+)`", PAGE)
    assert len(named) > 50
    assert [name for name in named if name not in TESTS] == []


def test_every_threat_is_tried_by_a_test_or_said_to_be_the_operators_to_stop() -> None:
    assert len(rows()) > 30
    untried = [row[0] for row in rows() if len(row) < 3 or "`test_" not in row[2]]
    assert untried == ["Somebody reads the home"]
