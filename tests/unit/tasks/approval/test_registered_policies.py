"""Registrations in a home: of exactly this policy, for this machine, and never an older one than has run."""

from __future__ import annotations

import hashlib
import json
import shutil
from base64 import b64decode
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken, TransitionRefused
from policies.ledger.states import State
from policies.sealed.manifest import Signer
from policies.words.cron_moments import CronMoments
from tasks.approval.decisions import approve
from tasks.approval.registered_policies import ScheduledPolicy, register, registered, registered_schedules
from tasks.publication.attestation import ATTESTATION_FILE
from tasks.signing.home_keys import home_fingerprint, machine_key
from tasks.signing.registration import REGISTRATION
from tasks.stores.seal import load_candidate, seal
from tasks.verification.verify import PROVEN, examine_folder, verify_folder
from tests.unit.tasks.world import PLACE, examined

DIGEST = "a" * 64
PEOPLE = ScheduledPolicy("people", DIGEST, PLACE)


def registration(world: Any, name: str = "runner", digest: str = DIGEST) -> Path:
    key = world.keys[name]
    register(world.home, world.ledger, ScheduledPolicy("people", digest, PLACE), Signer(principal=name, fingerprint=key.fingerprint), key)
    return Path(world.home.root / "schedules" / "people.dsse.json")


def test_a_policy_is_registered_by_its_digest_for_this_machine(world: Any) -> None:
    with pytest.raises(TransitionRefused, match="nobody has registered"):
        registered(world.home, world.ledger, PEOPLE)
    file = registration(world)
    read = registered(world.home, world.ledger, PEOPLE)
    assert (read.signer.principal, read.said.machine) == ("runner", machine_key(world.home.keys).fingerprint)
    assert file.stat().st_mode & 0o077 == 0
    with pytest.raises(TransitionRefused, match="has changed since runner registered it"):
        registered(world.home, world.ledger, ScheduledPolicy("people", "b" * 64, PLACE))
    for name in ("runner", "runner.pub"):
        (world.home.keys / name).unlink()
    with pytest.raises(TransitionRefused, match="another machine's key"):
        registered(world.home, world.ledger, PEOPLE)


def test_a_copy_of_a_registered_policy_does_not_run_elsewhere(world: Any) -> None:
    """Paths in a policy are relative to it: whoever copies it beside data of their own would have the machine release them."""
    file = registration(world)
    with pytest.raises(TransitionRefused, match="lies elsewhere, or names another database, than when runner registered it"):
        registered(world.home, world.ledger, ScheduledPolicy("people", DIGEST, "/elsewhere/people.yaml"))
    assert registered(world.home, world.ledger, PEOPLE).signer.principal == "runner"
    assert PLACE.encode() not in b64decode(json.loads(file.read_bytes())["payload"])


def test_another_datasets_registration_and_a_file_that_somebody_edited_do_not_count(world: Any) -> None:
    file = registration(world)
    other = file.with_name("others.dsse.json")
    other.write_bytes(file.read_bytes())
    with pytest.raises(TransitionRefused, match="has changed"):
        registered(world.home, world.ledger, ScheduledPolicy("others", DIGEST, PLACE))
    other.unlink()
    file.write_bytes(file.read_bytes().replace(b"a", b"b", 1))
    with pytest.raises(IntegrityBroken):
        registered(world.home, world.ledger, PEOPLE)
    registration(world)
    file.chmod(0o666)
    with pytest.raises(InputRejected, match="can change"):
        registered(world.home, world.ledger, PEOPLE)


def test_an_older_registration_that_was_put_back_is_found_once_a_later_one_has_run(world: Any) -> None:
    file = registration(world, digest=DIGEST)
    older = file.read_bytes()
    world.clock.moment += timedelta(days=1)
    world.seal(scheduled=True)
    file.write_bytes(older)
    with pytest.raises(TransitionRefused, match="a later registration of people has run"):
        registered(world.home, world.ledger, PEOPLE)
    world.clock.moment += timedelta(days=1)
    registration(world)
    assert registered(world.home, world.ledger, PEOPLE).signer.principal == "runner"


def test_what_is_registered_already_stays_so_that_what_came_due_since_is_due(world: Any) -> None:
    """Whoever starts `serve` with `--key` each time registered anew each time, and what had come due before counted as nobody's."""
    before = registration(world).read_bytes()
    world.clock.moment += timedelta(days=1)
    assert registration(world).read_bytes() == before
    world.write_signers(world.line("runner"), world.line("cyd"))
    assert registration(world, "cyd").read_bytes() != before
    file = registration(world, digest="b" * 64)
    assert registered(world.home, world.ledger, ScheduledPolicy("people", "b" * 64, PLACE)).signer.principal == "runner"
    file.write_bytes(b"{}")
    registration(world)  # what is broken is replaced
    assert registered(world.home, world.ledger, PEOPLE).signer.principal == "runner"


def test_when_registered_policies_run_is_read_from_what_the_home_keeps_of_them(world: Any) -> None:
    form = json.dumps({"schedule": {"cron": "0 3 1 * *", "timezone": "Europe/Rome"}}).encode()
    digest = hashlib.sha256(form).hexdigest()
    registration(world, digest=digest)
    (unknown,) = registered_schedules(world.home)
    assert (unknown.dataset, unknown.principal, unknown.moments) == ("people", "runner", None)
    world.home.policies.mkdir()
    (world.home.policies / f"{digest}.json").write_bytes(form)
    (known,) = registered_schedules(world.home)
    assert known.moments == CronMoments(cron="0 3 1 * *", timezone="Europe/Rome")
    (world.home.policies / f"{digest}.json").write_bytes(form.replace(b"0 3", b"0 4"))
    with pytest.raises(IntegrityBroken, match="was changed"):
        registered_schedules(world.home)


def test_neither_the_person_nor_the_machine_approves_what_a_schedule_ran(world: Any) -> None:
    machine = machine_key(world.home.keys)
    world.write_signers(world.line("runner"), world.line("ann"), world.line("bob"), world.line("cyd", "cron"), f"cron {machine.public}")
    candidate = world.seal(scheduled=True)
    for key in (world.keys["runner"], machine, world.keys["cyd"]):
        with pytest.raises(TransitionRefused) as refused:
            approve(world.home, world.ledger, candidate.id, key, "mine")
        assert {refusal.rule for refusal in refused.value.refusals} - {"key"} == {"not_the_runner"}
    world.approve(candidate, "ann")
    assert approve(world.home, world.ledger, candidate.id, world.keys["bob"], "fine").release.state is State.APPROVED


def test_what_a_schedule_ran_is_proven_to_whoever_knows_the_person_and_names_the_machine(world: Any, tmp_path: Path) -> None:
    made = world.published(scheduled=True)
    report = verify_folder(made.folder, world.home.signers, world.home.keys / "ledger.pub")
    said = {finding.check: finding.detail for finding in report.findings}
    assert report.origin == PROVEN
    assert "schedule that runner registered" in said["manifest"]
    assert machine_key(world.home.keys).fingerprint in said["manifest"]
    assert "registered the schedule" in said["runner"]


def test_a_machine_alone_makes_no_candidate(world: Any) -> None:
    """The registration in a candidate is checked whenever the manifest's signature is."""
    mine, others = world.seal(scheduled=True), world.seal(scheduled=True, policy_digest="c" * 64)
    assert load_candidate(world.home.candidates, mine.id) == mine
    staged = world.home.stage("forged")
    shutil.copytree(world.made.folder, staged, dirs_exist_ok=True)
    shutil.copy(others.folder / REGISTRATION, staged / REGISTRATION)
    manifest = mine.manifest.model_copy(update={"release_id": "forged", "files": ()})
    forged = seal(
        world.home.candidates, staged, manifest, machine_key(world.home.keys), examined(staged), home_fingerprint(world.home.keys)
    )
    with pytest.raises(IntegrityBroken, match="does not let this machine run"):
        load_candidate(world.home.candidates, forged.id)
    (forged.folder / ATTESTATION_FILE).write_bytes(b"{}")  # as if it had been published
    findings = {finding.check: finding.detail for finding in examine_folder(forged.folder).findings if not finding.passed}
    assert "does not let this machine run" in findings["manifest"]
