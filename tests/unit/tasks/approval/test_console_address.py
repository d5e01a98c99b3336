"""Where people find a candidate in the console."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.approval.console_address import VARIABLE, candidate_page

PASSKEYS = 'passkeys: {rp: release.example, origins: ["https://release.example", "https://other.release.example"]}\n'


def test_nowhere_where_nothing_names_it(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert candidate_page(world.home, "ab" * 32) is None


def test_where_passkeys_are_used_unless_the_environment_says_otherwise(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (world.home.root / "operator.yaml").write_text(PASSKEYS)
    monkeypatch.delenv(VARIABLE, raising=False)
    assert candidate_page(world.home, "ab12") == "https://release.example/candidates/ab12"
    monkeypatch.setenv(VARIABLE, "https://console.example/headgate/")
    assert candidate_page(world.home, "ab12") == "https://console.example/headgate/candidates/ab12"


@pytest.mark.parametrize("address", ["release.example", "javascript:alert(1)", "https://user:secret@release.example"])
def test_what_is_no_address_of_a_page_is_no_link(world: Any, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv(VARIABLE, address)
    assert candidate_page(world.home, "ab12") is None
