from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.sealed.manifest import Signer
from tasks.approval.statements import decision_statement
from tasks.publication.attestation import ATTESTATION_FILE, accompanying_files
from tasks.publication.withdraw import withdraw
from tasks.signing.detached import detached_files
from tasks.signing.home_keys import ledger_key, machine_key
from tasks.signing.signatures import ATTESTATION, sign_statement, statement, verify_envelope
from tasks.stores.seal import MANIFEST
from tasks.verification.verify import NOT_PROVEN, PROVEN, FolderBroken, examine_folder, verify_folder
from tests.unit.claimed import claiming

REASON = "5" * 64


def writable(folder: Path) -> Path:
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@pytest.fixture
def copy(world, tmp_path: Path) -> Path:
    """A published folder as a stranger has it: copied away, with no home near it."""
    made = world.published()
    shutil.copytree(made.folder, tmp_path / "download")
    shutil.rmtree(world.home.root / "candidates")
    return writable(tmp_path / "download")


def failed(folder: Path, **roots) -> dict[str, str]:
    report = examine_folder(folder, **roots)
    assert not report.passed
    with pytest.raises(IntegrityBroken) as found:
        verify_folder(folder, **roots)
    assert found.value.code == 5
    assert found.value.cure
    return {finding.check: finding.detail for finding in report.findings if not finding.passed}


def test_an_untouched_folder_is_consistent_and_no_more_without_trust_roots(copy: Path) -> None:
    report = verify_folder(copy)
    assert report.origin == NOT_PROVEN == "consistent with itself, origin not proven"
    assert (report.dataset, report.release_id, report.version, report.approved_by) == ("people", "release-1", 1, ("ann", "bob"))
    assert [finding.check for finding in report.findings] == [
        "manifest", "files", "contents", "events and signed head", "approvals", "attestation", "privacy claims",
    ]  # fmt: skip
    assert [table.k for table in report.tables] == [6, 6]


def test_a_candidate_is_not_published_yet_rather_than_broken(world) -> None:
    """Every file that a publication adds was said to be missing."""
    with pytest.raises(InputRejected, match="is a candidate that is not published yet") as told:
        verify_folder(world.seal().folder)
    assert "headgate show" in told.value.cure


def test_with_the_readers_own_signers_and_ledger_key_the_origin_is_proven(world, copy: Path) -> None:
    public = world.home.keys / "ledger.pub"
    assert verify_folder(copy, world.home.signers, public).origin == PROVEN
    assert verify_folder(copy, world.home.signers).origin == NOT_PROVEN
    from tasks.signing.public_keys import read_public_key

    assert verify_folder(copy, world.home.signers, read_public_key(public).fingerprint).origin == PROVEN


def test_other_trust_roots_than_the_publishers_are_told(world, copy: Path, tmp_path: Path) -> None:
    signers = tmp_path / "mine"
    signers.write_text(world.line("ann") + "\n" + world.line("stranger", "bob") + "\n")
    assert "key of bob is not on the list of signers" in failed(copy, signers=signers)["approvals"]
    (tmp_path / "other.pub").write_text(world.keys["stranger"].public + "\n")
    assert "another ledger's key" in failed(copy, ledger_key=tmp_path / "other.pub")["events and signed head"]
    (tmp_path / "revoked_keys").write_text(world.keys["ann"].public + "\n")
    signers.write_text(world.line("ann") + "\n" + world.line("bob") + "\n")
    assert "key of ann is revoked" in failed(copy, signers=signers)["approvals"]


def test_a_key_that_expired_since_still_counts_at_the_ledgers_time(world, copy: Path, tmp_path: Path) -> None:
    signers = tmp_path / "mine"
    others = world.line("bob") + "\n" + world.line("runner") + "\n"
    signers.write_text(world.line("ann", options='valid-before="20250701Z"') + "\n" + others)
    verify_folder(copy, signers)
    signers.write_text(world.line("ann", options='valid-before="20250101Z"') + "\n" + others)
    assert "was not valid at 2025-06-01" in failed(copy, signers=signers)["approvals"]


def test_a_key_that_did_not_count_when_the_candidate_was_sealed_does_not_count_for_a_reader(world, copy: Path, tmp_path: Path) -> None:
    """A reader's own list was asked of the moment of signing only, a home's of both."""
    approved = next(event for event in world.ledger.events_of("release-1") if event.event == "approved")
    assert approved.signer.principal == "ann"
    others = world.line("bob") + "\n" + world.line("runner") + "\n"
    signers, signed = tmp_path / "mine", f"{datetime.fromisoformat(approved.at):%Y%m%d%H%M%S}Z"
    signers.write_text(world.line("ann", options='valid-after="20250601115900Z"') + "\n" + others)
    verify_folder(copy, signers)
    signers.write_text(world.line("ann", options=f'valid-after="{signed}"') + "\n" + others)
    assert "the key of ann was not valid at 2025-06-01" in failed(copy, signers=signers)["approvals"]


def test_origin_is_proven_only_if_the_reader_knows_who_ran_the_release(world, copy: Path, tmp_path: Path) -> None:
    """Somebody could run a release with a key that nobody knows, and approve it under their own name."""
    signers = tmp_path / "mine"
    approvers = world.line("ann") + "\n" + world.line("bob") + "\n"
    key = world.home.keys / "ledger.pub"
    signers.write_text(approvers + world.line("runner") + "\n")
    assert verify_folder(copy, signers, key).origin == PROVEN
    for more in ("", world.line("stranger", "runner") + "\n", world.line("runner", "somebody") + "\n"):
        signers.write_text(approvers + more)
        assert "is not on the list of signers" in failed(copy, signers=signers, ledger_key=key)["runner"]


def test_an_old_version_sold_as_a_new_one_is_found(copy: Path) -> None:
    """Whoever copies folder 1 to folder 2 could have people use a version that was replaced."""
    for name in ("download", "1"):
        copy = copy.rename(copy.with_name(name))
        assert verify_folder(copy).version == 1
    for name in ("2", "10"):
        copy = copy.rename(copy.with_name(name))
        assert f"This is version 1, in a folder called {name}" in failed(copy)["attestation"]
    link = copy.rename(copy.with_name("1")).with_name("2")
    link.symlink_to("1")
    assert "This is version 1, in a folder called 2" in failed(link)["attestation"]


def withdrawn_copy(world, tmp_path: Path, who: str = "cyd") -> Path:
    made = world.published()
    withdraw(world.home, world.ledger, "release-1", world.keys[who], "a wrong column")
    shutil.copytree(made.folder, tmp_path / "download")
    return writable(tmp_path / "download")


def test_a_withdrawn_version_is_true_and_says_that_it_was_withdrawn(world, tmp_path: Path) -> None:
    folder = withdrawn_copy(world, tmp_path)
    report = verify_folder(folder, world.home.signers, world.home.keys / "ledger.pub")
    assert (report.passed, report.origin, report.withdrawn) == (True, PROVEN, "by cyd on 2025-06-01")
    assert "withdrawal" in [finding.check for finding in report.findings]


@pytest.mark.parametrize("scheduled", [False, True])
def test_a_key_of_the_publisher_that_the_reader_has_revoked_proves_nothing(world, tmp_path: Path, scheduled: bool) -> None:
    """The reader's list was asked of people's keys only. A ledger's key or a machine's that was stolen made "origin proven" folders on."""
    folder = world.published(scheduled=scheduled).folder
    trusted = {"signers": world.home.signers, "ledger_key": world.home.keys / "ledger.pub"}
    assert verify_folder(folder, **trusted).origin == PROVEN
    ledger, machine = ledger_key(world.home.keys).fingerprint, machine_key(world.home.keys).fingerprint
    revoked = world.home.root / "revoked_keys"
    revoked.write_text(f"{ledger}\n")
    said = failed(folder, **trusted)
    assert set(said) == {"events and signed head", "attestation"}
    assert all(f"revokes the key of the ledger ({ledger})" in detail and "ask the publisher" in detail for detail in said.values())
    revoked.write_text(f"{machine}\n")
    if not scheduled:
        verify_folder(folder, **trusted)
        return
    assert f"revokes the key of the machine that ran the release ({machine})" in failed(folder, **trusted)["manifest"]
    world.revoke("runner")
    assert "The key that ran the release, runner's, is revoked" in failed(folder, **trusted)["runner"]


def test_a_withdrawal_by_a_revoked_ledger_is_none(world, tmp_path: Path) -> None:
    folder = withdrawn_copy(world, tmp_path)
    (world.home.root / "revoked_keys").write_text(ledger_key(world.home.keys).fingerprint + "\n")
    assert "revokes the key of the ledger" in failed(folder, signers=world.home.signers)["withdrawal"]


def test_one_flipped_bit_in_any_file_is_found(copy: Path) -> None:
    for path in sorted(path for path in copy.rglob("*") if path.is_file()):
        content = path.read_bytes()
        for place in (0, len(content) // 2, len(content) - 2):
            changed = bytearray(content)
            changed[place] ^= 1
            path.write_bytes(bytes(changed))
            assert not examine_folder(copy).passed, (path.name, place)
        path.write_bytes(content)
    verify_folder(copy)


def test_each_file_is_needed(copy: Path) -> None:
    for path in sorted(path for path in copy.rglob("*") if path.is_file() and path.name != MANIFEST):
        content = path.read_bytes()
        path.unlink()
        assert not examine_folder(copy).passed, path.name
        path.write_bytes(content)
    verify_folder(copy)


@pytest.mark.parametrize("name", ["more.csv", "tables/table-3.csv", "approvals/eve.dsse.json", "tables/.hidden", "approvals/notes.txt"])
def test_a_file_too_many_is_found(copy: Path, name: str) -> None:
    (copy / name).write_text("x")
    assert failed(copy)


def test_links_are_not_followed_even_to_the_same_bytes(copy: Path, tmp_path: Path) -> None:
    shutil.move(copy / "report.html", tmp_path / "report.html")
    (copy / "report.html").symlink_to(tmp_path / "report.html")
    assert "link" in failed(copy)["files"]
    (copy / "report.html").unlink()
    shutil.move(tmp_path / "report.html", copy / "report.html")
    shutil.move(copy / "tables", tmp_path / "tables")
    (copy / "tables").symlink_to(tmp_path / "tables")
    assert "link" in failed(copy)["files"]


def test_a_folder_that_is_no_version_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputRejected, match="not a published version"):
        verify_folder(tmp_path)
    with pytest.raises(InputRejected, match="does not exist"):
        verify_folder(tmp_path / "absent")


def test_swapped_and_reused_approvals_are_found(world, tmp_path: Path) -> None:
    first, second = world.published(), world.published()
    shutil.copytree(second.folder, tmp_path / "copy")
    folder = writable(tmp_path / "copy")
    ann, bob = folder / "approvals" / "ann.dsse.json", folder / "approvals" / "bob.dsse.json"
    one, two = ann.read_bytes(), bob.read_bytes()
    ann.write_bytes(two)
    bob.write_bytes(one)
    assert "not the decision" in failed(folder)["approvals"]
    bob.write_bytes(two)
    ann.write_bytes((first.folder / "approvals" / "ann.dsse.json").read_bytes())
    assert "not the decision" in failed(folder)["approvals"]


def forge(world, candidate, approvals: dict[str, Callable], tmp_path: Path) -> Path:
    """What somebody with the ledger's key can make: a folder whose events, head and attestation are all newly and validly signed."""
    from dataclasses import replace

    from policies.ledger.events import CandidateApproved, PublicationStarted
    from policies.ledger.standing import Release
    from tasks.approval.approvals import Approval
    from tasks.ledger.event_log import Ledger
    from tasks.ledger.store_sqlite import SqliteStore
    from tasks.signing.home_keys import ledger_key
    from tasks.signing.signatures import sign_statement

    forged = Ledger(SqliteStore(tmp_path / "forged.db"))
    events = list(world.ledger.events_of(candidate.manifest.release_id)[:8])
    at = events[0].at
    made = []
    about = Release(
        candidate.manifest.release_id, "people", candidate.manifest.policy_digest, candidate.manifest.runner, candidate=candidate.id
    )
    for name, change in approvals.items():
        principal = "ann" if name.startswith("ann") else name
        envelope = sign_statement(decision_statement(change(about), "approve", principal, REASON, at), world.keys[name])
        digest = hashlib.sha256(envelope).hexdigest()
        signer = Signer(principal=principal, fingerprint=world.keys[name].fingerprint)
        base = {"release_id": about.release_id, "at": at, "candidate": candidate.id}
        signed = {"policy_digest": about.policy_digest, "signer": signer, "statement_sha256": digest, "reason_sha256": REASON}
        events.append(CandidateApproved(**base, **signed))
        made.append(Approval(signer, at, digest, envelope, ""))
    events.append(
        PublicationStarted(release_id=about.release_id, at=at, candidate=candidate.id, publisher="publisher", target="people", version=1)
    )
    entries = []
    for number, event in enumerate(events):
        actor = event.signer.principal if isinstance(event, CandidateApproved) else "x"
        entries += forged.append(about.release_id, [event], number, actor)
    folder = tmp_path / "forged"
    shutil.copytree(candidate.folder, folder)
    writable(folder)
    release = replace(about, version=1, target="people")
    for path, content in accompanying_files(candidate, release, entries, made, ledger_key(world.home.keys)).items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def same(release):
    return release


def test_a_forged_folder_with_two_honest_approvals_would_pass_so_the_next_tests_mean_something(world, tmp_path: Path) -> None:
    verify_folder(forge(world, world.seal(), {"ann": same, "bob": same}, tmp_path))


def test_a_candidate_of_another_home_is_found(world, tmp_path: Path) -> None:
    """A seal named no home, so that one which was signed for a service could be published by whoever that service passed it on to."""
    details = failed(forge(world, world.seal(home="SHA256:" + "A" * 43), {"ann": same, "bob": same}, tmp_path))
    assert "sealed in the home of another ledger" in details["events and signed head"]


def test_one_person_with_two_keys_is_one_approval(world, tmp_path: Path) -> None:
    details = failed(forge(world, world.seal(), {"ann": same, "ann-second": same}, tmp_path))
    assert "repeats a decision" in details["events and signed head"]


def test_the_runners_own_approval_does_not_count(world, tmp_path: Path) -> None:
    candidate = world.seal(runner="ann")
    details = failed(forge(world, candidate, {"ann": same, "bob": same}, tmp_path))
    assert "signed by the runner" in details["events and signed head"]


def test_a_stranger_does_not_count(world, tmp_path: Path) -> None:
    folder = forge(world, world.seal(), {"ann": same, "stranger": same}, tmp_path)
    assert "3 files too many, such as approvals/stranger" in failed(folder)["files"]
    for path in folder.glob("approvals/stranger.*"):
        path.unlink()
    assert "was not sealed" in failed(folder)["events and signed head"]


def test_too_few_approvals_are_found(world, tmp_path: Path) -> None:
    details = failed(forge(world, world.seal(), {"ann": same}, tmp_path))
    assert "before enough approvals" in details["events and signed head"]


@pytest.mark.parametrize("changed", ["candidate", "policy_digest", "dataset"])
def test_an_approval_of_something_else_does_not_count_here(world, tmp_path: Path, changed: str) -> None:
    from dataclasses import replace

    def elsewhere(release):
        return replace(release, **{changed: "others" if changed == "dataset" else "d" * 64})

    details = failed(forge(world, world.seal(), {"ann": same, "bob": elsewhere}, tmp_path))
    assert "approvals/bob.dsse.json" in details["approvals"]


@pytest.mark.parametrize(("field", "value"), [("k", 7), ("risk", None)])
def test_a_false_figure_is_found_though_every_signature_is_true(world, field: str, value: object) -> None:
    tables = world.made.manifest.tables
    false = claiming(tables[0], **{field: value})
    details = failed(world.published(tables=(false, *tables[1:])).folder)
    assert list(details) == ["privacy claims"]
    assert "false claim" in details["privacy claims"]
    assert field in details["privacy claims"]


def test_what_the_published_files_do_not_tell_is_named_in_the_report(world) -> None:
    report = verify_folder(world.published().folder)
    assert report.not_measured
    assert all(re.search("not published|signed|nobody checked", claim) for claim in report.not_measured)


def test_a_manifest_names_the_target_that_it_was_published_at(world, tmp_path: Path) -> None:
    details = failed(forge(world, world.seal(publish_to="others"), {"ann": same, "bob": same}, tmp_path))
    assert "names another target than the ledger recorded" in details["events and signed head"]


def test_a_verdict_that_reads_otherwise_than_it_was_judged_is_found_though_every_signature_is_true(world) -> None:
    """Somebody could sign "k: at most 5 required", or praise of the table in the place of a remedy."""
    first, *others = world.made.manifest.verdicts
    praised = first.model_copy(update={"remedy": "The national authority has certified this table."})
    assert "does not follow from the figures" in failed(world.published(verdicts=(praised, *others)).folder)["privacy claims"]


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"a,b\n1\n", b"PAR1PAR1", b'"' * 1000])
def test_a_table_that_cannot_be_read_is_a_finding_and_no_traceback(world, tmp_path: Path, content: bytes) -> None:
    """Changed after it was measured, then sealed, approved and published in good faith."""
    folder = tmp_path / "edited"
    shutil.copytree(world.made.folder, folder)
    target = folder / "tables/table-1.csv"
    target.chmod(0o644)
    target.write_bytes(content)
    world.made = type(world.made)(folder, world.made.manifest)
    assert "table-1" in failed(world.published().folder)["privacy claims"]


@pytest.mark.slow
def test_verifying_needs_no_home_imports_nothing_from_the_folder_and_writes_nothing(copy: Path, tmp_path: Path) -> None:
    """Run where the folder lies: a `pandas.py` beside it must not be what is imported, and no home appears."""
    (tmp_path / "pandas.py").write_text("raise SystemExit('imported from the folder')")
    (tmp_path / "evil.py").write_text("raise SystemExit('imported from the folder')")
    root = str(Path(__file__).resolve().parents[4])
    script = (
        f"import sys; sys.path.insert(0, {root!r}); from pathlib import Path; from tasks.verification.verify import verify_folder;"
        "print(verify_folder(Path('download')).origin)"
    )
    before = sorted(tmp_path.rglob("*"))
    ended = subprocess.run(
        [sys.executable, "-P", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin"}
    )
    assert ended.stdout.strip() == NOT_PROVEN, ended.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_report_goes_with_the_refusal(copy: Path) -> None:
    (copy / "report.html").write_text((copy / "report.html").read_text().swapcase())
    with pytest.raises(FolderBroken, match=r"report\.html") as found:
        verify_folder(copy)
    assert {finding.check for finding in found.value.report.findings if not finding.passed} == {"contents", "attestation"}


def test_events_cut_short_or_mixed_are_found(world, copy: Path) -> None:
    lines = (copy / "events.jsonl").read_text().splitlines(keepends=True)
    for forged in (lines[:-1], lines[1:], lines[:5] + lines[6:], [*lines, lines[-1]], []):
        (copy / "events.jsonl").write_text("".join(forged))
        assert "events and signed head" in failed(copy)
    changed = json.loads(lines[-2])
    changed["actor"] = "eve"
    (copy / "events.jsonl").write_text("".join([*lines[:-2], json.dumps(changed) + "\n", lines[-1]]))
    assert "was changed after it was recorded" in failed(copy)["events and signed head"]


def test_who_filled_which_role_is_shown_and_measured_against_the_readers_signers(world, tmp_path: Path) -> None:
    roles = world.hold_roles(law=("ann", "cyd"), methods=("ann", "bob"))
    candidate = world.seal(roles_required=roles)
    world.approve(candidate, "ann", "bob", "cyd")
    folder = world.publish(candidate).folder
    report = verify_folder(folder)
    said = next(finding.detail for finding in report.findings if finding.check == "approvals")
    assert said == "3 of 2 needed, of the signers the folder names itself: ann as methods, bob, cyd as law"
    signers = tmp_path / "mine"
    signers.write_text("".join(world.line(name) + "\n" for name in ("runner", "ann", "cyd")))
    assert verify_folder(folder, signers).approved_by == ("ann", "cyd")
    signers.write_text("".join(world.line(name) + "\n" for name in ("runner", "bob", "ann")))
    assert verify_folder(folder, signers).approved_by == ("ann", "bob")
    signers.write_text("".join(world.line(name) + "\n" for name in ("runner", "bob")))
    assert "1 more person with the role law would be needed" in failed(folder, signers=signers)["approvals"]


def attesting(world, folder: Path, change: Callable[[dict], dict]) -> None:
    """The ledger's own key signs another attestation over the same files."""
    signed = verify_envelope((folder / ATTESTATION_FILE).read_bytes(), ATTESTATION_FILE, ATTESTATION).statement
    forged = sign_statement(statement(signed.digests, ATTESTATION, change(dict(signed.predicate))), ledger_key(world.home.keys))
    for name, content in {ATTESTATION_FILE: forged, **detached_files(ATTESTATION_FILE, forged)}.items():
        (folder / name).write_bytes(content)


@pytest.mark.parametrize("change", ["more", "fewer", "fingerprint", "at", "statement_sha256", "unknown"])
def test_an_attestation_names_those_who_approved_and_nobody_else(world, copy: Path, change: str) -> None:
    """A catalogue reads this one file, and could be told of approvers who never saw the release."""

    def lie(said: dict) -> dict:
        first, *others = said["approvals"]
        named = {"more": [first, *others, first | {"principal": "eve"}], "fewer": others, "unknown": [first | {"office": "law"}, *others]}
        return said | {"approvals": named.get(change, [first | {change: "9" * 64}, *others])}

    attesting(world, copy, lambda said: said)
    verify_folder(copy)
    attesting(world, copy, lie)
    assert "names other approvals than those that were given" in failed(copy)["attestation"]


def test_an_attestation_claims_nothing_that_headgate_does_not_attest(world, copy: Path) -> None:
    attesting(world, copy, lambda said: said | {"certified_by": "eve"})
    assert "claims something that headgate does not attest" in failed(copy)["attestation"]


@pytest.mark.parametrize(
    "roles", [{"ann": "law"}, {"ann": "methods", "bob": "law"}, {"cyd": "law", "bob": "methods"}, {"eve": "law", "bob": "methods"}]
)
def test_an_attestation_gives_a_role_to_nobody_who_does_not_fill_it(world, roles: dict[str, str]) -> None:
    """The ledger's own key signs the attestation, and a reader measures it too."""
    candidate = world.seal(roles_required=world.hold_roles(law=("ann",), methods=("ann", "bob")))
    world.approve(candidate, "ann", "bob", "cyd")
    folder = writable(world.publish(candidate).folder)
    verify_folder(folder)
    signed = verify_envelope((folder / ATTESTATION_FILE).read_bytes(), ATTESTATION_FILE, ATTESTATION).statement
    predicate = dict(signed.predicate)
    predicate["approvals"] = [{**approval, "role": roles.get(approval["principal"], "")} for approval in predicate["approvals"]]
    forged = sign_statement(statement(signed.digests, ATTESTATION, predicate), ledger_key(world.home.keys))
    for name, content in {ATTESTATION_FILE: forged, **detached_files(ATTESTATION_FILE, forged)}.items():
        (folder / name).write_bytes(content)
    assert "a required role to somebody who does not fill it" in failed(folder)["attestation"]
