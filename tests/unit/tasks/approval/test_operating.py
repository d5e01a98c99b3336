"""Operators unstick what is stuck, with a signed reason, and nobody else does."""

from __future__ import annotations

import base64
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from asyncssh.packet import MPInt, SSHPacket, String

from headgate.core.errors import IntegrityBroken, StoreUnavailable, TransitionRefused
from headgate.series.kept_version import KeptVersion
from policies.ledger.fold import fold
from policies.ledger.states import ActorRole, State
from policies.ledger.transitions import TRANSITIONS
from tasks.approval.approvals import kept_envelope
from tasks.approval.decisions import record_takeover, record_withdrawal, reject, request_changes
from tasks.approval.handed_in import handed_in
from tasks.approval.inspection import view_candidate
from tasks.approval.issued_statements import issue_statement
from tasks.approval.operating import abandon, resume
from tasks.approval.purging import purge
from tasks.approval.readers import record_downloaded
from tasks.approval.reasons import kept_reason
from tasks.approval.statements import check_decision
from tasks.approval.threads import add_comment
from tasks.ledger.dataset_lock import DatasetLock
from tasks.ledger.history import read_history, read_whole
from tasks.publication.withdraw import withdraw
from tasks.series.side_store import keep
from tasks.signing.keys import load_key
from tasks.signing.sshsig import armored, sign_bytes
from tasks.stores.store_folder import FolderSeries
from tasks.verification.audit import verify_audit
from tasks.verification.verify import verify_folder
from tests.unit.tasks.signing.openssh import made_by_keygen, needs_ssh_keygen

EMPTY = KeptVersion(np.empty(0, dtype="S16"), ())


def act(world: Any, does: Callable[..., Any], candidate: Any, name: str, reason: str = "there is room again") -> Any:
    return does(world.home, world.ledger, getattr(candidate, "id", candidate), world.keys[name], reason)


@pytest.fixture
def stalled(world: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Between its start and its end, somebody has put another folder where the version belongs."""
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")

    def killed(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(FolderSeries, "begin", killed)
        with pytest.raises(StoreUnavailable):
            world.publish(candidate)
    assert read_history(world.ledger).find(candidate.id).state is State.PUBLISHING  # what may pass is tried again
    foreign = in_the_way(world)
    foreign.mkdir()
    (foreign / "theirs.txt").write_text("theirs")
    return candidate


def in_the_way(world: Any) -> Path:
    return Path(world.home.releases / "people" / "1")


def test_a_publication_that_cannot_help_itself_stalls_until_an_operator_resumes_it(world: Any, stalled: Any) -> None:
    with pytest.raises(StoreUnavailable, match="Something else lies at") as problem:
        world.publish(stalled)
    assert "headgate resume" in problem.value.cure
    event = read_history(world.ledger).events("release-1")[-1]
    assert (event.event, event.error) == ("stalled", "PlaceTaken")
    (in_the_way(world) / "theirs.txt").unlink()
    in_the_way(world).rmdir()
    with pytest.raises(TransitionRefused, match="in the state 'stalled'") as refused:
        world.publish(stalled)
    assert "headgate resume" in refused.value.cure
    assert act(world, resume, stalled, "cyd").state is State.PUBLISHING
    assert verify_folder(world.publish(stalled).folder).version == 1
    assert verify_audit(world.home, world.ledger).unfinished == ()


def test_a_version_that_is_not_the_one_that_was_to_be_published_stalls_it_too(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")

    def killed(*_arguments: object) -> None:
        raise OSError(4, "killed")

    with monkeypatch.context() as broken:
        broken.setattr("tasks.ledger.event_log.Ledger.append", at_the_end(world.ledger.append, killed))
        with pytest.raises(StoreUnavailable):
            world.publish(candidate)
    assert read_history(world.ledger).find(candidate.id).state is State.PUBLISHING
    report = in_the_way(world) / "report.html"
    report.chmod(0o644)
    report.write_text("something else")
    with pytest.raises(IntegrityBroken) as problem:
        world.publish(candidate)
    assert "headgate resume" in problem.value.cure
    assert read_history(world.ledger).find(candidate.id).state is State.STALLED


def at_the_end(append: Any, killed: Callable[..., None]) -> Any:
    """An append that fails for the event that says a version is out."""

    def appended(_ledger: Any, release: str, events: Any, after: int, actor: str) -> Any:
        return killed() if events[0].event == "published" else append(release, events, after, actor)

    return appended


def test_what_stalled_can_be_withdrawn(world: Any, stalled: Any) -> None:
    with pytest.raises(StoreUnavailable):
        world.publish(stalled)
    done = withdraw(world.home, world.ledger, stalled.id, world.keys["ann"], "not worth it")
    assert done.release.state is State.WITHDRAWN
    assert (in_the_way(world) / "theirs.txt").exists()


def test_a_publication_is_abandoned_and_resumed_only_while_its_approvals_count(world: Any, stalled: Any) -> None:
    assert act(world, abandon, stalled, "cyd", "the disk is full").state is State.STALLED
    world.revoke("bob")
    with pytest.raises(TransitionRefused) as refused:
        act(world, resume, stalled, "cyd")
    assert {refusal.rule for refusal in refused.value.refusals} == {"enough_approvals"}


def test_a_run_whose_process_is_gone_is_abandoned_under_its_own_id(world: Any) -> None:
    begun = running(world)
    assert act(world, abandon, begun, "cyd", "the machine was switched off").state is State.FAILED
    (event,) = [event for event in world.ledger.events_of(begun) if event.event == "abandoned"]
    envelope = kept_envelope(world.home, begun, event.statement_sha256)
    assert check_decision(envelope, event, "people", "It").principal == "cyd"
    assert kept_reason(world.home, begun, event.reason_sha256).text == "the machine was switched off"
    assert verify_audit(world.home, world.ledger).faults == ()


def running(world: Any, name: str = "begun") -> str:
    """A run that began and never ended."""
    from policies.ledger.events import RunStarted
    from policies.sealed.manifest import Signer

    runner = Signer(principal="runner", fingerprint=world.keys["runner"].fingerprint)
    at = world.ledger.now().isoformat()
    started = RunStarted(release_id=name, at=at, dataset="people", policy_digest="a" * 64, runner=runner, product="headgate")
    world.ledger.append(name, (started,), 0, "runner")
    return name


def elsewhere(world: Any, folder: Path, name: str, action: str, release: str) -> Any:
    """What cyd, or somebody else, signed on another machine."""
    issued = issue_statement(world.home, world.ledger, release, action, name, "the machine is gone")
    (folder / "it.sig").write_bytes(sign_bytes(issued.to_sign, world.keys[name]))
    return handed_in(world.home, read_history(world.ledger).find(release).decided, folder / "it.sig")


def test_a_run_is_abandoned_by_a_statement_signed_elsewhere_about_that_run(world: Any, tmp_path: Path) -> None:
    begun, other = running(world), running(world, "other")
    given = elsewhere(world, tmp_path, "cyd", "abandon", begun)
    with pytest.raises(TransitionRefused, match="another release"):
        abandon(world.home, world.ledger, other, given, given.reason.text)
    with pytest.raises(TransitionRefused, match="another reason"):
        abandon(world.home, world.ledger, begun, given, "because")
    assert abandon(world.home, world.ledger, begun, given, given.reason.text).state is State.FAILED
    (event,) = [event for event in world.ledger.events_of(begun) if event.event == "abandoned"]
    assert kept_envelope(world.home, begun, event.statement_sha256) == given.envelope
    assert verify_audit(world.home, world.ledger).faults == ()


def test_a_statement_signed_elsewhere_serves_once(world: Any, stalled: Any, tmp_path: Path) -> None:
    """Whoever had it could resume in the operator's name each time the publication stalled, for a week."""
    for attempt in range(2):
        with pytest.raises(StoreUnavailable):
            world.publish(stalled)
        if attempt == 0:
            given = elsewhere(world, tmp_path, "cyd", "resume", stalled.id)
            assert resume(world.home, world.ledger, stalled.id, given, given.reason.text).state is State.PUBLISHING
    with pytest.raises(TransitionRefused, match="this statement has served already"):
        resume(world.home, world.ledger, stalled.id, given, given.reason.text)
    assert read_history(world.ledger).find(stalled.id).state is State.STALLED


def other_form(signature: bytes) -> bytes:
    """Of an ECDSA signature (r, s): (r, n - s), which holds as well."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    raw = SSHPacket(base64.b64decode("".join(signature.decode().splitlines()[1:-1])))
    head = raw.get_bytes(10)
    fields = [raw.get_string() for _ in range(5)]
    inner = SSHPacket(fields.pop())
    name, pair = inner.get_string(), SSHPacket(inner.get_string())
    r, s = pair.get_mpint(), pair.get_mpint()
    return armored(head + b"".join(map(String, fields)) + String(String(name) + String(MPInt(r) + MPInt(order - s))))


@pytest.mark.slow
@needs_ssh_keygen
def test_another_form_of_its_signature_makes_no_other_statement(world: Any, stalled: Any, tmp_path: Path) -> None:
    """The envelope was compared, and whoever had an operator's ECDSA signature could make a second one of it."""
    line = made_by_keygen(tmp_path / "key", "ecdsa", "-b", 256)
    world.home.signers.write_text(f"{world.home.signers.read_text()}dora {line}\n")
    issued = issue_statement(world.home, world.ledger, stalled.id, "resume", "dora", "there is room again")
    signature = sign_bytes(issued.to_sign, load_key(tmp_path / "key"))
    for attempt, form in enumerate((signature, other_form(signature))):
        with pytest.raises(StoreUnavailable):
            world.publish(stalled)
        (tmp_path / "it.sig").write_bytes(form)
        given = handed_in(world.home, stalled.id, tmp_path / "it.sig")
        if attempt == 0:
            assert resume(world.home, world.ledger, stalled.id, given, given.reason.text).state is State.PUBLISHING
    with pytest.raises(TransitionRefused, match="this statement has served already"):
        resume(world.home, world.ledger, stalled.id, given, given.reason.text)


def test_an_operators_key_must_have_counted_when_its_statement_was_issued(world: Any, tmp_path: Path) -> None:
    begun = running(world)
    given = elsewhere(world, tmp_path, "cyd", "abandon", begun)
    later = (world.ledger.now() + timedelta(hours=1)).strftime("%Y%m%d%H%M%SZ")
    world.write_signers(world.line("runner"), world.line("cyd", options=f'valid-after="{later}"'))
    world.clock.moment += timedelta(hours=2)
    with pytest.raises(TransitionRefused, match="was not valid at"):
        abandon(world.home, world.ledger, begun, given, given.reason.text)
    assert act(world, abandon, begun, "cyd").state is State.FAILED


def test_a_run_that_is_still_alive_is_not_abandoned(world: Any) -> None:
    begun = running(world)
    with world.ledger.lock("people", begun), pytest.raises(TransitionRefused, match="is running"):
        act(world, abandon, begun, "cyd")


def test_only_operators_unstick_and_only_what_is_stuck(world: Any, stalled: Any) -> None:
    for name in ("stranger",):
        with pytest.raises(TransitionRefused, match="nobody on the list"):
            act(world, abandon, stalled, name)
    (world.home.root / "operator.yaml").write_text("operators: [cyd]\nrunners: [runner]\n")
    for does in (abandon, resume):
        for name in ("runner", "ann"):
            with pytest.raises(TransitionRefused, match="not among those who may resume, abandon and purge"):
                act(world, does, stalled, name)
    (world.home.root / "operator.yaml").write_text("runners: [runner]\n")
    with pytest.raises(TransitionRefused, match="not among those who may resume, abandon and purge"):
        act(world, abandon, stalled, "cyd")
    with pytest.raises(TransitionRefused, match="'resume' is not possible"):
        act(world, resume, stalled, "runner")
    assert act(world, abandon, stalled, "runner").state is State.STALLED
    world.revoke("runner")
    with pytest.raises(TransitionRefused, match="revoked"):
        act(world, resume, stalled, "runner")


def test_a_reason_is_needed_and_kept(world: Any, stalled: Any) -> None:
    with pytest.raises(TransitionRefused) as refused:
        act(world, abandon, stalled, "cyd", " ")
    assert "reason" in {refusal.rule for refusal in refused.value.refusals}
    act(world, abandon, stalled, "cyd", "the disk is full")
    event = read_history(world.ledger).events("release-1")[-1]
    assert kept_reason(world.home, stalled.id, event.reason_sha256).text == "the disk is full"
    envelope = world.home.root / "decisions" / stalled.id / f"{event.statement_sha256}.dsse.json"
    envelope.write_bytes(envelope.read_bytes().replace(b"payload", b"pay1oad"))
    with pytest.raises(IntegrityBroken):
        verify_audit(world.home, world.ledger)


@pytest.mark.slow
def test_every_transition_after_a_run_is_reached_by_what_people_and_publications_do(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a run itself are reached in tests/unit/tasks/release/closing/test_end_release.py, those by a policy's rule in
    test_purging_by_rule.py."""
    candidates: list[Any] = []

    def sealed(*approvers: str) -> Any:
        candidates.append(world.seal())
        world.approve(candidates[-1], *approvers)
        return candidates[-1]

    def everybody_looks() -> None:
        for candidate in candidates:
            viewed = view_candidate(world.home, world.ledger, candidate.id)
            record_downloaded(world.ledger, viewed.release, "olga", b"the report")
            add_comment(world.home, world.ledger, candidate.id, "ann", "read")

    def cut_short(candidate: Any) -> None:
        with monkeypatch.context() as broken:
            broken.setattr(FolderSeries, "begin", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
            with pytest.raises(StoreUnavailable):
                world.publish(candidate)

    for approvers in (("ann",), ("ann", "bob")):
        for decision in (reject, request_changes, record_withdrawal):
            decision(world.home, world.ledger, sealed(*approvers).id, world.keys["cyd"], "too small")
    world.approve(sealed("ann", "bob"), "cyd")
    stuck, given_up, taken_back = sealed("ann", "bob"), sealed("ann", "bob"), sealed("ann", "bob")
    world.expires = timedelta(days=30)
    sealed(), sealed("ann", "bob")
    world.expires = None
    everybody_looks()
    cut_short(given_up)
    act(world, abandon, given_up, "cyd")
    everybody_looks()
    withdraw(world.home, world.ledger, given_up.id, world.keys["ann"], "not needed")
    cut_short(taken_back)
    withdraw(world.home, world.ledger, taken_back.id, world.keys["ann"], "must not go out")
    cut_short(stuck)
    everybody_looks()
    in_its_place = Path(world.home.releases / "people" / str(read_history(world.ledger).find(stuck.id).version))
    in_its_place.mkdir()
    with pytest.raises(StoreUnavailable):
        world.publish(stuck)
    in_its_place.rmdir()
    act(world, resume, stuck, "cyd")
    world.publish(stuck)
    everybody_looks()
    newest = sealed("ann", "bob")
    world.publish(newest)
    everybody_looks()
    for candidate in (stuck, newest):  # one is superseded, the other published
        keep(world.home, "people", candidate.id, EMPTY)
        act(world, purge, candidate, "cyd")
        withdraw(world.home, world.ledger, candidate.id, world.keys["ann"], "a wrong column")
    taken_back = sealed("ann", "bob")
    world.publish(taken_back)
    withdraw(world.home, world.ledger, taken_back.id, world.keys["ann"], "a wrong column")
    keep(world.home, "people", taken_back.id, EMPTY)
    act(world, purge, taken_back, "cyd")
    world.clock.moment += timedelta(days=31)
    sealed("ann")  # whoever writes next records what has expired
    everybody_looks()
    act(world, abandon, running(world), "cyd")
    record_takeover(world.ledger, DatasetLock("people", "next", "holder", taken_from=running(world, "killed")))
    expected = {
        (row.source, row.event, row.target) for row in TRANSITIONS if row.role is not ActorRole.RUNNER and row.event != "purged_by_rule"
    }
    assert expected - steps_taken(world) == set()


def steps_taken(world: Any) -> set[tuple[State, str, State]]:
    """From which state, by which event, to which state releases have gone."""
    taken = set()
    for release in read_whole(world.ledger).releases():
        events = world.ledger.events_of(release.release_id)
        for place in range(1, len(events)):
            taken.add((fold(events[:place]).state, events[place].event, fold(events[: place + 1]).state))
    return taken
