"""What operator.yaml demands, and whose key may run a release. Opening a release with them is tested in tasks/release/test_run.py."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest

from headgate.core.errors import InputRejected, PolicyInvalid, TransitionRefused
from policies.words.quorum import Quorum
from tasks.approval.approvals import operator_roots
from tasks.approval.operator_demands import operator_demands, require_runner
from tasks.signing.home_keys import machine_key

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def test_without_a_file_what_leaves_the_home_needs_two(world: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    assert (operator_demands(world.home).floor, operator_demands(world.home).digest) == (Quorum(1), "")
    monkeypatch.setenv("HEADGATE_STORE", str(tmp_path / "elsewhere"))
    assert operator_demands(world.home).floor == Quorum(2)
    monkeypatch.delenv("HEADGATE_STORE")
    world.home.releases.symlink_to(tmp_path)
    assert operator_demands(world.home).floor == Quorum(2)
    content = "floor: {approvals: 1}\n"
    (world.home.root / "operator.yaml").write_text(content)
    demands = operator_demands(world.home)
    assert (demands.floor, demands.digest) == (Quorum(1), hashlib.sha256(content.encode()).hexdigest())


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
    second = require_runner(world.keys["ann-second"].key, roots, demands, NOW)
    assert (second.principal, second.fingerprint) == ("ann", world.keys["ann-second"].fingerprint)
    with pytest.raises(TransitionRefused, match="nobody on the list"):
        require_runner(world.keys["stranger"].key, roots, demands, NOW)


def test_who_is_on_the_list_and_no_runner_is_not_told_to_be_added_to_the_list(world: Any) -> None:
    """The cure offered a line for signers to somebody whose line was there."""
    (world.home.root / "operator.yaml").write_text("runners: [bob]\n")
    with pytest.raises(TransitionRefused, match="ann is not among those who may run releases") as refused:
        require_runner(world.keys["ann"].key, operator_roots(world.home), operator_demands(world.home), NOW)
    assert refused.value.cure.endswith("Otherwise the operator adds ann to the runners of operator.yaml.")


def test_the_homes_own_key_is_told_from_a_strangers_and_no_line_is_offered_for_it(world: Any) -> None:
    own, stranger = machine_key(world.home.keys).key, world.keys["stranger"].key
    roots, demands = operator_roots(world.home), operator_demands(world.home)
    with pytest.raises(TransitionRefused, match="the home's own and speaks for nobody") as refused:
        require_runner(own, roots, demands, NOW)
    assert own.line not in refused.value.cure
    with pytest.raises(TransitionRefused, match="nobody on the list") as other:
        require_runner(stranger, roots, demands, NOW)
    assert f'NAME namespaces="headgate" {stranger.line}' in other.value.cure


ROLES = "roles: {law: [ann], methods: [ann, bob]}\n"


@pytest.mark.parametrize(
    ("quorum", "people", "said"),
    [
        (Quorum(1, {"press": 1}), ["ann", "bob"], "The role press is required, and nobody holds it"),
        (Quorum(2, {"law": 1}), ["bob", "cyd"], "1 more person with the role law would be needed"),
        (Quorum(2, {"law": 1, "methods": 1}), ["ann", "cyd"], "1 more person with the role methods would be needed"),
        (Quorum(3, {"law": 1}), ["ann", "bob"], "3 approvals are required, and 2 people besides the runner may give one"),
    ],
)
def test_a_quorum_out_of_reach_is_refused_with_its_cure(world: Any, quorum: Quorum, people: list[str], said: str) -> None:
    (world.home.root / "operator.yaml").write_text(ROLES)
    demands = operator_demands(world.home)
    demands.require_reachable(Quorum(2, {"law": 1, "methods": 1}), ["ann", "bob"], own_signers=False)
    with pytest.raises(InputRejected, match=said) as refused:
        demands.require_reachable(quorum, people, own_signers=False)
    assert refused.value.cure


def test_who_comes_with_a_policy_fills_no_role(world: Any) -> None:
    """Whoever writes a list of signers could write the name of somebody in the role there, with a key of their own making."""
    (world.home.root / "operator.yaml").write_text(ROLES)
    demands = operator_demands(world.home)
    demands.require_reachable(Quorum(1), ["ann"], own_signers=True)
    with pytest.raises(InputRejected, match="names signers of its own, who can fill no role"):
        demands.require_reachable(Quorum(1, {"law": 1}), ["ann"], own_signers=True)


def test_roles_are_sealed_with_who_holds_them_and_may_sign(world: Any) -> None:
    (world.home.root / "operator.yaml").write_text("roles: {law: [ann], methods: [ann, zoe, bob]}\n")
    sealed = operator_demands(world.home).required_roles(Quorum(1, {"methods": 1}), {"ann", "bob", "cyd"})
    assert [role.model_dump() for role in sealed] == [{"role": "methods", "number": 1, "people": ("ann", "bob")}]
