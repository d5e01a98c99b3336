from __future__ import annotations

import hashlib
import json
import shutil
from datetime import timedelta
from typing import Any

import pytest

from headgate.core.errors import IntegrityBroken, TransitionRefused
from tasks.approval.approvals import decisions_folder, operator_roots, roots_of, weigh_approvals
from tasks.approval.decisions import reject
from tasks.ledger.history import read_history


def test_a_key_expires_by_the_ledgers_time_not_by_todays(world) -> None:
    """The test's ledger lives in June 2025: the machine's own clock is long past it."""
    world.write_signers(world.line("runner"), world.line("ann", options='valid-before="20250601130000Z"'), world.line("bob"))
    candidate = world.seal()
    world.approve(candidate, "ann")
    world.clock.moment += timedelta(hours=2)
    release = read_history(world.ledger).find(candidate.id)
    events = read_history(world.ledger).events(release.release_id)
    weighed = weigh_approvals(world.home, release, events, roots_of(world.home, candidate.folder, candidate.manifest))
    assert [approval.void for approval in weighed] == [""]
    with pytest.raises(TransitionRefused, match="not valid"):
        reject(world.home, world.ledger, candidate.id, world.keys["ann"], "changed my mind")


def test_a_swapped_or_a_changed_envelope_is_found_when_approvals_are_weighed(world) -> None:
    first, second = world.seal(), world.seal()
    world.approve(first, "ann")
    world.approve(second, "ann")
    one, two = (next(decisions_folder(world.home, candidate.id).glob("*.dsse.json")) for candidate in (first, second))
    one.chmod(0o644)
    one.write_bytes(two.read_bytes())
    history = read_history(world.ledger)
    release = history.find(first.id)
    with pytest.raises(IntegrityBroken, match="not the decision that the ledger recorded"):
        weigh_approvals(world.home, release, history.events(release.release_id), roots_of(world.home, first.folder, first.manifest))


def test_a_policy_with_signers_of_its_own_seals_them_with_the_candidate(world, tmp_path) -> None:
    """A candidate that carries a file `signers` is decided by those people, not by the operator's."""
    from tasks.approval.approvals import manifest_signers
    from tasks.signing.revocation import Revoked
    from tasks.signing.signers_file import signers_from_text
    from tasks.signing.trust_roots import TrustRoots

    text = world.line("cyd") + "\n" + world.line("bob") + "\n"

    folder = tmp_path / "made"
    shutil.copytree(world.made.folder, folder)
    (folder / "signers").write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    made = type(world.made)(folder, world.made.manifest)
    world.made = made
    own = manifest_signers(TrustRoots(signers_from_text(text), Revoked(), digest), world.ledger.now(), ())
    candidate = world.seal(signers=own, signers_digest=digest)
    world.write_signers(world.line("runner"), world.line("ann"))
    with pytest.raises(TransitionRefused, match="the operator does not allow that"):
        world.approve(candidate, "cyd")
    (world.home.root / "operator.yaml").write_text("policy_signers: true\n")
    with pytest.raises(TransitionRefused):
        world.approve(candidate, "ann")
    world.approve(candidate, "cyd")
    world.revoke("bob")
    with pytest.raises(TransitionRefused, match="revoked"):
        world.approve(candidate, "bob")


def test_a_decision_written_anew_is_not_the_one_that_was_recorded(world: Any) -> None:
    """The same statement with the same signature in other bytes: only the digest tells them apart."""
    candidate = world.seal()
    world.approve(candidate, "ann")
    (stored,) = decisions_folder(world.home, candidate.id).glob("*.dsse.json")
    history = read_history(world.ledger)
    release = history.find(candidate.id)
    events, roots = history.events(release.release_id), operator_roots(world.home)
    assert len(weigh_approvals(world.home, release, events, roots)) == 1
    stored.chmod(0o644)
    stored.write_text(json.dumps(json.loads(stored.read_text())))
    with pytest.raises(IntegrityBroken, match="not the decision that the ledger recorded"):
        weigh_approvals(world.home, release, events, roots)
