from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from tasks.publication.withdraw import withdraw
from tasks.signing.home_keys import ledger_key, machine_key
from tasks.stores.seal import MANIFEST
from tasks.verification.verify import NOT_PROVEN, PROVEN, FolderBroken, examine_folder, verify_folder

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


def test_what_the_published_files_do_not_tell_is_named_in_the_report(world) -> None:
    report = verify_folder(world.published().folder)
    assert report.not_measured
    assert all(re.search("not published|signed|nobody checked", claim) for claim in report.not_measured)


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
