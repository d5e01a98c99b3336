"""What the home keeps of a version for later ones is dropped by an operator's signed word, and by nobody else's."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import StoreUnavailable, TransitionRefused
from headgate.series.kept_version import KeptVersion
from policies.ledger.states import State
from tasks.approval import purging
from tasks.approval.handed_in import handed_in
from tasks.approval.issued_statements import issue_statement
from tasks.approval.purging import purge, what_a_purge_means
from tasks.approval.reasons import kept_reason
from tasks.ledger.history import read_history
from tasks.publication.withdraw import withdraw
from tasks.series.known_versions import drop_ended, known_versions
from tasks.series.side_store import is_kept, keep, kept_candidates
from tasks.signing.sshsig import sign_bytes
from tasks.verification.audit import verify_audit
from tasks.verification.verify import verify_folder

KEPT = KeptVersion(np.array([b"a" * 16, b"b" * 16], dtype="S16"), ())
WHY = "the agreement ends"


@pytest.fixture
def version(world: Any) -> Any:
    """A published version of which the home keeps who was in which group."""
    published = world.published()
    keep(world.home, "people", published.release.candidate, KEPT)
    return published


def act(world: Any, candidate: str, name: str = "cyd", why: str = WHY) -> Any:
    return purge(world.home, world.ledger, candidate, world.keys[name], why)


def test_what_is_kept_is_gone_the_state_stays_and_the_ledger_says_who_and_why(world: Any, version: Any) -> None:
    purged = act(world, version.release.candidate[:10])
    assert purged.state is State.PUBLISHED
    assert not is_kept(world.home, "people", version.release.candidate)
    event = read_history(world.ledger).events("release-1")[-1]
    assert (event.event, event.signer.principal, event.at) == ("purged", "cyd", purged.purged)
    assert kept_reason(world.home, version.release.candidate, event.reason_sha256).text == WHY
    assert verify_audit(world.home, world.ledger).unfinished == ()
    assert verify_folder(version.folder).version == 1


def test_a_superseded_and_a_withdrawn_version_can_be_purged_and_each_only_once(world: Any, version: Any) -> None:
    newer = world.published()
    keep(world.home, "people", newer.release.candidate, KEPT)
    withdraw(world.home, world.ledger, newer.release.candidate, world.keys["ann"], "a wrong column")
    assert act(world, version.release.candidate).state is State.SUPERSEDED
    assert act(world, newer.release.candidate).state is State.WITHDRAWN
    with pytest.raises(TransitionRefused, match="it was purged on 2025-06-01"):
        act(world, newer.release.candidate)


def test_where_nothing_is_kept_nothing_is_recorded(world: Any) -> None:
    candidate = world.published().release.candidate
    with pytest.raises(TransitionRefused, match="does not keep who was in which group of it"):
        act(world, candidate)
    assert "purged" not in read_history(world.ledger).find(candidate).seen


def test_a_candidate_that_is_not_out_is_not_purged(world: Any) -> None:
    """It would come out, and the versions after it could not be measured with it though nobody had said so to its approvers."""
    waiting = world.seal()
    keep(world.home, "people", waiting.id, KEPT)
    with pytest.raises(TransitionRefused, match="it was never published"):
        act(world, waiting.id)
    assert is_kept(world.home, "people", waiting.id)


@pytest.mark.parametrize("name", ["runner", "ann"])
def test_only_operators_purge_and_only_with_a_reason(world: Any, version: Any, name: str) -> None:
    (world.home.root / "operator.yaml").write_text("operators: [cyd]\nrunners: [runner]\n")
    with pytest.raises(TransitionRefused, match="not among those who may resume, abandon and purge"):
        act(world, version.release.candidate, name)
    with pytest.raises(TransitionRefused, match="a reason"):
        act(world, version.release.candidate, why=" ")
    assert is_kept(world.home, "people", version.release.candidate)


def test_one_that_was_cut_short_is_finished_by_the_same_command_and_counts_from_its_event_on(
    world: Any, version: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power fails between the event and what follows from it. The ledger says purged: nobody measures with what is left, the audit says
    that it is there, and whoever purges again is told of success, not that it was done already."""

    def lost(*_: object) -> bool:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(purging, "drop", lost)
        with pytest.raises(StoreUnavailable, match="recorded") as problem:
            act(world, version.release.candidate)
    assert "purge it again" in problem.value.cure
    assert is_kept(world.home, "people", version.release.candidate)
    with pytest.raises(StoreUnavailable, match="version 1 was purged on 2025-06-01"):
        known_versions(world.home, "people", read_history(world.ledger).came_out("people"), accepted=False)
    (unfinished,) = verify_audit(world.home, world.ledger).unfinished
    assert "was purged" in unfinished
    world.revoke("cyd")
    with pytest.raises(TransitionRefused, match="revoked"):
        act(world, version.release.candidate)
    assert act(world, version.release.candidate, "ann").purged
    assert not is_kept(world.home, "people", version.release.candidate)
    assert verify_audit(world.home, world.ledger).unfinished == ()
    assert [event.event for event in read_history(world.ledger).events("release-1")].count("purged") == 1


def test_what_a_purge_left_is_dropped_by_the_next_run(world: Any, version: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = world.published()
    keep(world.home, "people", newer.release.candidate, KEPT)
    with monkeypatch.context() as broken:
        broken.setattr(purging, "drop", lambda *_: False)
        act(world, version.release.candidate)
    assert drop_ended(world.home, read_history(world.ledger), "people") == 1
    assert kept_candidates(world.home, "people") == (newer.release.candidate,)


def test_a_statement_signed_elsewhere_purges_the_version_that_it_names(world: Any, version: Any, tmp_path: Path) -> None:
    issued = issue_statement(world.home, world.ledger, version.release.candidate, "purge", "cyd", WHY)
    signature = tmp_path / "purge.sig"
    signature.write_bytes(sign_bytes(issued.to_sign, world.keys["cyd"]))
    given = handed_in(world.home, version.release.candidate, signature)
    assert purge(world.home, world.ledger, version.release.candidate, given, given.reason.text).purged
    event = read_history(world.ledger).events("release-1")[-1]
    assert event.reason_sha256 == hashlib.sha256(given.reason.content).hexdigest()


def test_who_signs_is_told_what_follows(world: Any, version: Any) -> None:
    said = " ".join(what_a_purge_means(world.home, read_history(world.ledger).find(version.release.candidate)))
    assert "No later version can be measured together with version 1 of people" in said
    assert "gates.series: {unmeasured: REASON}" in said
    assert f"series/people/{version.release.candidate[:12]}" in said
