"""Where a policy is: a path, or the name of a shipped one."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.policy_files import resolve_policy
from headgate.core.errors import InputRejected


def test_a_path_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve_policy("mine.yaml") == tmp_path / "mine.yaml"


def test_a_shipped_policy_is_found_by_its_name() -> None:
    assert resolve_policy("shipped:hospital-patients").is_file()


def test_an_unknown_shipped_policy_is_refused_with_the_known_names() -> None:
    with pytest.raises(InputRejected) as refusal:
        resolve_policy("shipped:none")
    assert "hospital-patients" in refusal.value.cure
