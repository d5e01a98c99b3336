"""What operator.yaml demands, and whose key may run a release. Opening a release with them is tested in tasks/release/test_run.py."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest

from headgate.core.errors import InputRejected, PolicyInvalid, TransitionRefused
from tasks.approval.approvals import operator_roots
from tasks.approval.operator_demands import operator_demands, require_runner

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def test_without_a_file_what_leaves_the_home_needs_two(world: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    assert (operator_demands(world.home).floor, operator_demands(world.home).digest) == (1, "")
    monkeypatch.setenv("HEADGATE_STORE", str(tmp_path / "elsewhere"))
    assert operator_demands(world.home).floor == 2
    content = "floor: {approvals: 1}\n"
    (world.home.root / "operator.yaml").write_text(content)
    demands = operator_demands(world.home)
    assert (demands.floor, demands.digest) == (1, hashlib.sha256(content.encode()).hexdigest())


def test_a_file_that_others_can_change_or_that_is_not_understood_refuses_everything(world: Any) -> None:
    path = world.home.root / "operator.yaml"
    path.write_text("floor: {approvals: 1}\n")
    path.chmod(0o666)
    with pytest.raises(InputRejected, match="Others on this machine can change"):
        operator_demands(world.home)
    path.chmod(0o600)
    path.write_text("floors: {approvals: 1}\n")
    with pytest.raises(PolicyInvalid, match="did you mean floor"):
        operator_demands(world.home)
    path.write_bytes(b"\xff")
    with pytest.raises(InputRejected, match="not UTF-8"):
        operator_demands(world.home)
    path.unlink()
    path.symlink_to("elsewhere")
    with pytest.raises(InputRejected, match="it is a link"):
        operator_demands(world.home)


def test_a_runner_has_the_name_that_the_list_gives_the_key(world: Any) -> None:
    roots, demands = operator_roots(world.home), operator_demands(world.home)
    second = require_runner(world.keys["ann-second"], [roots], demands, NOW)
    assert (second.principal, second.fingerprint) == ("ann", world.keys["ann-second"].fingerprint)
    with pytest.raises(TransitionRefused, match="nobody on the list"):
        require_runner(world.keys["stranger"], [roots], demands, NOW)
    with pytest.raises(TransitionRefused, match="nobody on the list"):
        require_runner(world.keys["runner"], [], demands, NOW)
