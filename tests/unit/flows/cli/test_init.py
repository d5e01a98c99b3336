"""Where a drafted policy is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.cli.init import _write_draft
from headgate.core.errors import InputRejected


def test_a_draft_is_written_where_a_folder_is_and_makes_none(tmp_path: Path) -> None:
    """A mistyped folder was made without a word, and the path of the table was written relative to it."""
    _write_draft(tmp_path / "policy.yaml", "draft: true\n")
    assert (tmp_path / "policy.yaml").read_text(encoding="utf-8") == "draft: true\n"
    with pytest.raises(InputRejected, match="new does not exist") as refused:
        _write_draft(tmp_path / "new" / "policy.yaml", "draft: true\n")
    assert "Make the folder first" in refused.value.cure
    assert not (tmp_path / "new").exists()


def test_a_draft_never_replaces_a_file(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("confirmed", encoding="utf-8")
    with pytest.raises(InputRejected, match="exists already"):
        _write_draft(policy, "draft: true\n")
    assert policy.read_text(encoding="utf-8") == "confirmed"


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """Where the folder named is a file, the message said that the policy existed already."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputRejected, match="cannot be written"):
        _write_draft(tmp_path / "file" / "policy.yaml", "draft: true\n")


def test_a_home_is_made_where_it_is_asked_for(run: Any, tmp_path: Path) -> None:
    outcome = run("init", "--home", tmp_path / "new")
    assert (outcome.code, outcome.out) == (0, "")
    assert str(tmp_path / "new" / "operator.yaml") in outcome.err
    assert (tmp_path / "new" / "signers").is_file()
    assert run("init").code == 2


def test_what_to_look_at_first_is_said_at_the_terminal_too(run: Any, tmp_path: Path) -> None:
    rows = "\n".join(f"P{row % 30};{20 + row};{['I10', 'E11'][row % 2]}" for row in range(50))
    (tmp_path / "visits.csv").write_text(f"Patientennummer;Alter;Diagnose\n{rows}\n", encoding="utf-8")
    outcome = run("init", tmp_path / "visits.csv", "-o", tmp_path / "policy.yaml")
    assert outcome.code == 0
    assert "Several rows per person? 'Patientennummer' has 30 different values in 50 rows." in outcome.err
