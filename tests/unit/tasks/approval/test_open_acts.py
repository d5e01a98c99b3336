from __future__ import annotations

from typing import Any

from policies.ledger.states import Action
from tasks.approval.decisions import approve, reject
from tasks.approval.open_acts import OpenAct, open_acts
from tasks.ledger.history import read_history
from tests.unit.tasks.signing.openssh import SecurityKey

PASSKEYS = 'passkeys: {rp: release.example, origins: ["https://release.example"]}\n'


def acts(world: Any, candidate: Any, principal: str) -> dict[Action, OpenAct]:
    release = read_history(world.ledger).find(candidate.id)
    return {act.action: act for act in open_acts(world.home, world.ledger, candidate, release, principal)}


def rules(act: OpenAct) -> set[str]:
    return {refusal.rule for refusal in act.refusals}


def test_an_approver_may_do_all_three_and_says_with_which_keys(world: Any) -> None:
    candidate = world.seal()
    for act in acts(world, candidate, "ann").values():
        assert (act.allowed, act.cure) == (True, "")
        assert {key.fingerprint for key in act.keys} == {world.keys["ann"].fingerprint, world.keys["ann-second"].fingerprint}
        assert act.passkeys == ()


def test_what_is_refused_names_every_reason_and_its_cure(world: Any) -> None:
    candidate = world.seal()
    for principal, wanted in (("runner", {"not_the_runner"}), ("olga", {"sealed_key"})):
        for act in acts(world, candidate, principal).values():
            assert (act.allowed, rules(act)) == (False, wanted)
            assert act.cure
    world.approve(candidate, "ann")
    after = acts(world, candidate, "ann")
    assert rules(after[Action.APPROVE]) == {"not_decided_yet"}
    assert after[Action.REJECT].allowed
    reject(world.home, world.ledger, candidate.id, world.keys["bob"], "no")
    assert rules(acts(world, candidate, "cyd")[Action.APPROVE]) == {"state"}


def test_what_the_page_allows_is_what_a_signature_is_then_taken_for(world: Any) -> None:
    candidate = world.seal()
    world.revoke("ann")
    act = acts(world, candidate, "ann")[Action.APPROVE]
    assert [key.fingerprint for key in act.keys] == [world.keys["ann-second"].fingerprint]
    assert approve(world.home, world.ledger, candidate.id, world.keys["ann-second"], "read").approvals == 1
    world.write_signers(world.line("runner"), world.line("cyd"))
    assert rules(acts(world, candidate, "bob")[Action.APPROVE]) == {"sealed_key"}


def test_a_key_that_no_longer_counts_says_why(world: Any) -> None:
    candidate = world.seal()
    world.write_signers(world.line("runner"), world.line("bob", options='valid-before="20250101Z"'))
    (refusal,) = acts(world, candidate, "bob")[Action.APPROVE].refusals
    assert refusal.reason.startswith("this key was not valid at")


def test_a_passkey_is_offered_where_the_operator_names_its_site(world: Any) -> None:
    passkey = SecurityKey("sk-ecdsa-sha2-nistp256@openssh.com", application="release.example")
    world.write_signers(world.line("runner"), world.line("ann"), f"dora {passkey.line}")
    candidate = world.seal()
    (refusal,) = acts(world, candidate, "dora")[Action.APPROVE].refusals
    assert "names no site" in refusal.reason
    (world.home.root / "operator.yaml").write_text(PASSKEYS, encoding="utf-8")
    (key,) = acts(world, candidate, "dora")[Action.APPROVE].passkeys
    assert key.line == passkey.line


def test_nobody_approves_what_somebody_ran_who_may_not_run_any_more(world: Any) -> None:
    candidate = world.seal()
    (world.home.root / "operator.yaml").write_text("runners: [cyd]\n", encoding="utf-8")
    offered = acts(world, candidate, "ann")
    assert rules(offered[Action.APPROVE]) == {"runner"}
    assert offered[Action.REJECT].allowed
