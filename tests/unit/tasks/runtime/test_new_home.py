"""What an operator starts from reads as it stands, trusts nobody, and is never written over."""

from __future__ import annotations

import os
from pathlib import Path

from tasks.runtime.new_home import make_home
from tasks.runtime.operator_settings import read_operator
from tasks.signing.trust_roots import read_signers


def test_a_new_home_is_private_asks_for_two_and_trusts_nobody(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        home, made = make_home(tmp_path / "home")
    finally:
        os.umask(before)
    assert [path.name for path in made] == ["operator.yaml", "signers"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (home.root, *made))
    said = read_operator(home.root)
    assert said is not None
    operator, _digest = said
    assert (operator.floor.approvals, operator.policy_signers, operator.runners) == (2, False, None)
    assert read_signers(home.signers)[0] == ()


def test_what_somebody_wrote_there_stays(tmp_path: Path) -> None:
    home, _ = make_home(tmp_path / "home")
    (home.root / "operator.yaml").write_text("runners: [anna]\n")
    home.signers.unlink()
    assert [path.name for path in make_home(home.root)[1]] == ["signers"]
    assert (home.root / "operator.yaml").read_text() == "runners: [anna]\n"
