from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken, PublicationFailed, StoreUnavailable, TransitionRefused
from policies.ledger.states import State
from tasks.approval.operating import resume
from tasks.ledger.dataset_lock import acquire, this_process
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.ledger.store_sqlite import SqliteStore
from tasks.publication import publish_version
from tasks.publication.attestation import ATTESTATION_FILE
from tasks.publication.publish_version import publish
from tasks.publication.withdraw import withdraw
from tasks.signing.signatures import ATTESTATION, verify_envelope
from tasks.stores.store_folder import FolderSeries
from tasks.verification.verify import verify_folder


def state(world, candidate) -> State:
    return read_history(world.ledger).find(candidate.id).state


def versions(world, to: str = "people") -> list[str]:
    folder = world.home.releases / to
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_an_approved_candidate_is_published_as_version_one_and_latest_names_it(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    made = world.publish(candidate)
    assert (made.version, made.approvals, made.already) == (1, ("ann", "bob"), False)
    assert versions(world) == ["1", "latest"]
    assert os.readlink(world.home.releases / "people" / "latest") == "1"
    assert state(world, candidate) is State.PUBLISHED
    for entry in candidate.manifest.files:
        assert hashlib.sha256((made.folder / entry.path).read_bytes()).hexdigest() == entry.sha256
    assert verify_folder(made.folder).approved_by == ("ann", "bob")


def test_the_folder_holds_its_own_events_and_nobody_elses(world) -> None:
    world.seal()
    made = world.published()
    lines = [json.loads(line) for line in (made.folder / "events.jsonl").read_text().splitlines()]
    assert {line["release"] for line in lines} == {"release-2"}
    assert [line["type"] for line in lines][-3:] == ["approved", "approved", "publishing"]
    assert json.loads((made.folder / "head.json").read_text())["hash"] == lines[-1]["hash"]


def test_without_enough_approvals_nothing_is_published(world) -> None:
    candidate = world.seal()
    for names in ((), ("ann",)):
        world.approve(candidate, *names)
        with pytest.raises(TransitionRefused, match="of 2 required approvals are valid") as refusal:
            world.publish(candidate)
        assert refusal.value.code == 4
        assert "headgate approve" in refusal.value.cure
        assert not world.home.releases.exists()


def test_an_operators_floor_counts_over_the_policy(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    (world.home.root / "operator.yaml").write_text("floor: {approvals: 3}\n")
    with pytest.raises(TransitionRefused, match="2 of 3"):
        publish(world.home, world.ledger, candidate.id)
    world.approve(candidate, "cyd")
    assert publish(world.home, world.ledger, candidate.id).version == 1


def test_roles_are_filled_by_different_people_who_still_hold_them(world) -> None:
    roles = world.hold_roles(law=("ann", "cyd"), methods=("ann", "bob"))
    candidate = world.seal(roles_required=roles)
    world.approve(candidate, "ann")
    assert read_history(world.ledger).find(candidate.id).state is State.AWAITING_APPROVAL
    world.approve(candidate, "bob")
    world.hold_roles(law=("cyd",), methods=("bob",))
    with pytest.raises(TransitionRefused, match="2 of 2 required approvals are valid; still needed: 1 more person with the role law"):
        world.publish(candidate)
    world.approve(candidate, "cyd")
    made = world.publish(candidate)
    attested = verify_envelope((made.folder / ATTESTATION_FILE).read_bytes(), ATTESTATION_FILE, ATTESTATION).statement.predicate
    assert {approval["principal"]: approval["role"] for approval in attested["approvals"]} == {"ann": "", "bob": "methods", "cyd": "law"}
    assert attested["roles_required"][0] == {"role": "law", "number": 1, "people": ["ann", "cyd"]}


def test_a_role_that_the_operator_requires_since_needs_another_run(world) -> None:
    world.hold_roles(law=("ann",))
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    (world.home.root / "operator.yaml").write_text("roles: {law: [ann]}\nfloor: {roles: {law: 1}}\n")
    with pytest.raises(TransitionRefused, match="the operator requires the role law since the candidate was sealed"):
        world.publish(candidate)


def test_a_refusal_names_nobody_whose_vote_is_hidden(world) -> None:
    roles = world.hold_roles(law=("ann",), methods=("bob", "cyd"))
    candidate = world.seal(blind=True, roles_required=roles)
    world.approve(candidate, "ann")
    world.revoke("ann")
    with pytest.raises(TransitionRefused, match="0 of 2 required approvals are valid") as refusal:
        world.publish(candidate)
    assert not {"ann", "law", "methods"} & set(refusal.value.message.replace(";", " ").split())


@pytest.mark.parametrize("how", ["revoked", "removed"])
def test_a_key_that_stopped_counting_voids_its_approval_and_another_stands_in(world, how: str) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    if how == "revoked":
        world.revoke("bob")
    else:
        world.write_signers(world.line("runner"), world.line("ann"), world.line("cyd"))
    with pytest.raises(TransitionRefused, match="1 of 2 required approvals are valid.*key of bob") as refusal:
        world.publish(candidate)
    assert "void" in {one.rule for one in refusal.value.refusals}
    world.approve(candidate, "cyd")
    made = world.publish(candidate)
    assert made.approvals == ("ann", "cyd")
    assert sorted(path.name for path in (made.folder / "approvals").iterdir()) == [
        f"{name}.{form}" for name in ("ann", "cyd") for form in ("dsse.json", "sig", "signed")
    ]
    verify_folder(made.folder)


def test_a_rejected_or_withdrawn_candidate_is_not_published(world) -> None:
    from tasks.approval.decisions import reject

    candidate, other = world.seal(), world.seal()
    world.approve(candidate, "ann", "bob")
    reject(world.home, world.ledger, candidate.id, world.keys["cyd"], "no")
    withdraw(world.home, world.ledger, other.id, world.keys["ann"], "no")
    for one in (candidate, other):
        with pytest.raises(TransitionRefused, match="'publish' is not possible"):
            world.publish(one)
    assert versions(world) == []


def test_publishing_again_changes_nothing(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    first = world.publish(candidate)
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")}
    events = world.ledger.entries()
    again = world.publish(candidate)
    assert (again.version, again.already, again.attestation_sha256) == (1, True, first.attestation_sha256)
    assert {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")} == before
    assert world.ledger.entries() == events


def test_a_newer_release_supersedes_and_latest_moves(world) -> None:
    first = world.published()
    second = world.published()
    assert (first.version, second.version) == (1, 2)
    history = read_history(world.ledger)
    assert history.release("release-1").state is State.SUPERSEDED
    assert history.release("release-1").superseded_by == "release-2"
    assert FolderSeries(world.home.releases, "people").latest() == 2
    verify_folder(first.folder)
    verify_folder(world.home.releases / "people" / "latest")


def test_a_version_is_written_once_and_a_number_never_used_again(world) -> None:
    first = world.published()
    shutil.rmtree(first.folder)
    assert world.published().version == 2


def test_a_folder_with_a_number_for_a_name_is_no_version(world) -> None:
    """An empty folder 999999999 would have made the next version 1000000000, which no reader takes for one."""
    (world.home.releases / "people" / "999999999").mkdir(parents=True)
    assert world.published().version == 1
    (world.home.releases / "people" / "2").mkdir()
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with pytest.raises(PublicationFailed, match="Something else lies at") as refused:
        world.publish(candidate)
    assert "move it away" in refused.value.cure
    (world.home.releases / "people" / "2").rmdir()
    resume(world.home, world.ledger, candidate.id, world.keys["cyd"], "an empty folder, moved away")
    assert world.publish(candidate).version == 2


def test_a_changed_candidate_is_not_published(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    table = candidate.folder / "tables" / "table-1.csv"
    table.chmod(0o644)
    table.write_bytes(table.read_bytes().replace(b"nurse", b"baker", 1))
    with pytest.raises(IntegrityBroken, match=r"table-1\.csv"):
        world.publish(candidate)
    assert versions(world) == []


def test_a_swapped_approval_envelope_stops_the_publication(world) -> None:
    from tasks.approval.approvals import decisions_folder

    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    one, two = sorted(decisions_folder(world.home, candidate.id).glob("*.dsse.json"))
    one.chmod(0o644)
    one.write_bytes(two.read_bytes())
    with pytest.raises(IntegrityBroken, match="approval of"):
        world.publish(candidate)
    assert versions(world) == []


def test_a_published_version_that_was_changed_is_not_published_again_as_if_nothing_were(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    made = world.publish(candidate)
    report = made.folder / "report.html"
    report.chmod(0o644)
    report.write_text("changed")
    with pytest.raises(IntegrityBroken):
        world.publish(candidate)


def test_two_datasets_cannot_share_a_target(world) -> None:
    world.published()
    candidate = world.seal(dataset="others")
    world.approve(candidate, "ann", "bob")
    with pytest.raises(TransitionRefused, match="dataset people is published") as refusal:
        world.publish(candidate)
    assert "publish.to" in refusal.value.cure


def test_a_dataset_that_is_being_worked_on_is_busy(world) -> None:
    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    with world.ledger.lock("people", "release-9"), pytest.raises(TransitionRefused, match="running"):
        world.publish(candidate)


def test_a_run_whose_process_died_is_recorded_as_failed_by_whoever_takes_its_lock(world) -> None:
    from policies.ledger.events import RunStarted

    candidate = world.seal()
    world.approve(candidate, "ann", "bob")
    begun = RunStarted(
        release_id="release-9",
        at=world.ledger.now().isoformat(),
        dataset="people",
        policy_digest=candidate.manifest.policy_digest,
        runner=candidate.manifest.runner,
        product="headgate",
    )
    world.ledger.append("release-9", [begun], 0, "runner")
    acquire(world.ledger.store, "people", "release-9", replace(this_process(), started="long ago"), time.time())
    world.publish(candidate)
    (failed,) = world.ledger.events_of("release-9")[1:]
    assert (failed.event, failed.error) == ("failed", "ProcessDied")
    assert "release-1 took over" in failed.reason


def test_a_store_attested_by_another_ledger_is_not_taken_for_ones_own(world, tmp_path: Path) -> None:
    made = world.published()
    other = Ledger(SqliteStore(tmp_path / "other.db"))
    assert other.entries() == ()
    for name in ("ledger", "ledger.pub"):
        (world.home.keys / name).unlink()
    with pytest.raises(StoreUnavailable, match="another ledger"):
        publish(world.home, Ledger(world.ledger.store, world.clock), made.release.candidate)


def test_two_candidates_that_were_measured_without_each_other_do_not_both_come_out(world) -> None:
    """Each was measured with the versions that were out when it ran: none. Together nobody has looked at them."""
    one, two = world.seal(known_versions=()), world.seal(known_versions=())
    for candidate in (one, two):
        world.approve(candidate, "ann", "bob")
    made = world.publish(one)
    with pytest.raises(TransitionRefused, match="a version of the dataset came out since the candidate was sealed") as refused:
        world.publish(two)
    assert refused.value.refusals[0].rule == "series"
    assert "Run the release again" in refused.value.cure
    with pytest.raises(TransitionRefused, match="nobody has looked at the two together"):
        publish_version.require_publishable(world.home, world.ledger, two.id)
    assert versions(world) == ["1", "latest"]
    withdraw(world.home, world.ledger, one.id, world.keys["ann"], "wrong")  # copies stay
    with pytest.raises(TransitionRefused, match="came out since"):
        world.publish(two)
    again = world.seal(known_versions=(one.id,))
    world.approve(again, "ann", "bob")
    assert world.publish(again).version == made.version + 1


def test_a_candidate_whose_policy_accepts_that_versions_are_not_compared_comes_out(world) -> None:
    one, two = world.seal(), world.seal()
    for candidate in (one, two):
        world.approve(candidate, "ann", "bob")
    assert [world.publish(one).version, world.publish(two).version] == [1, 2]


def test_a_version_of_another_dataset_does_not_matter(world) -> None:
    candidate = world.seal(known_versions=())
    world.published(dataset="others", publish_to="others")
    world.approve(candidate, "ann", "bob")
    assert world.publish(candidate).version == 1
