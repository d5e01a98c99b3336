"""`headgate diff`: policies by their files, and names that cannot be compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.cli.diff import diff
from headgate.core.errors import InputRejected
from tests.unit.policies.conftest import SMALL


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_two_policy_files_are_compared_key_by_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "clinic.csv").write_text("person\n", encoding="utf-8")
    before, after = (written(tmp_path, name, SMALL.replace("k: 3", f"k: {k}")) for name, k in (("a.yaml", 3), ("b.yml", 9)))
    diff(before, after, json=True)
    assert json.loads(capsys.readouterr().out) == {"policy": [{"key": "anonymize.k", "before": "3", "after": "9"}]}
    diff(before, after)
    assert capsys.readouterr().out.split() == ["Policy", "key", "before", "now", "anonymize.k", "3", "9"]


def test_a_policy_and_a_folder_cannot_be_compared(tmp_path: Path) -> None:
    policy = written(tmp_path, "a.yaml", SMALL)
    with pytest.raises(InputRejected, match="is not a published version"):
        diff(policy, str(tmp_path))
