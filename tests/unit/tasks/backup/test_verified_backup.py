"""A backup is verified whole before anything is restored, and lets no ledger fall back behind what others have seen."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from tasks.backup import restore_home, verified_backup
from tasks.backup.verified_backup import verify_backup
from tasks.signing.keys import make_key
from tasks.verification.cosigned_heads import cosign


def largest(kept: Any) -> Path:
    return max((path for path in (kept.target / "objects").glob("??/*")), key=lambda path: path.stat().st_size)


def manifest(kept: Any, name: str) -> Path:
    return Path(kept.target / "backups" / f"{name}.json")


def swapped(kept: Any, name: str) -> None:
    one, two = sorted((kept.target / "objects").glob("??/*"))[:2]
    beside = one.with_name("beside")
    one.rename(beside)
    two.rename(one)
    beside.rename(two)


def truncated(kept: Any, name: str) -> None:
    largest(kept).chmod(0o600)
    os.truncate(largest(kept), 5)


def altered(kept: Any, name: str) -> None:
    """As long as before, and of the same time."""
    file = largest(kept)
    times = file.stat()
    file.chmod(0o600)
    file.write_bytes(bytes([file.read_bytes()[0] ^ 1]) + file.read_bytes()[1:])
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


def removed(kept: Any, name: str) -> None:
    largest(kept).unlink()


def linked(kept: Any, name: str) -> None:
    """To the very bytes that belong there."""
    file = largest(kept)
    file.rename(kept.folder / "elsewhere")
    file.symlink_to(kept.folder / "elsewhere")


def folder_linked(kept: Any, name: str) -> None:
    folder = largest(kept).parent
    folder.rename(kept.folder / "elsewhere")
    folder.symlink_to(kept.folder / "elsewhere")


def edited(kept: Any, name: str) -> None:
    file = manifest(kept, name)
    file.chmod(0o600)
    file.write_bytes(file.read_bytes().replace(b'"mode":', b'"mode": '))


def signers_edited(kept: Any, name: str) -> None:
    """Somebody adds themselves: the content has its hash, and the manifest names it."""
    said = json.loads(manifest(kept, name).read_text())
    content = (kept.world.home.signers.read_text() + kept.world.line("stranger") + "\n").encode()
    digest = hashlib.sha256(content).hexdigest()
    place = kept.target / "objects" / digest[:2] / digest
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(content)
    entry = next(file for file in said["files"] if file["path"] == "signers")
    entry.update(sha256=digest, bytes=len(content))
    manifest(kept, name).chmod(0o600)
    manifest(kept, name).write_text(json.dumps(said, sort_keys=True, separators=(",", ":")))


ATTACKS = (swapped, truncated, altered, removed, linked, folder_linked, edited, signers_edited)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_a_target_that_somebody_changed_is_refused_before_anything_is_written(kept: Any, attack: Any) -> None:
    kept.world.published()
    attack(kept, kept.back_up().name)
    with pytest.raises(HeadgateError) as refused:
        kept.restore()
    assert refused.value.code in (5, 6)
    assert not list(kept.folder.glob("*restor*"))


def test_another_homes_backup_under_its_own_signature_is_told_by_the_ledgers_key(kept: Any, tmp_path: Path) -> None:
    kept.back_up()
    known = make_key(tmp_path / "known")
    with pytest.raises(IntegrityBroken, match="signed by another key"):
        kept.restore(ledger_key=tmp_path / "known.pub")
    assert known.fingerprint != verify_backup(kept.wanted()).manifest.home
    assert kept.restore(ledger_key=kept.world.home.keys / "ledger.pub").home.is_dir()


def test_another_key_opens_nothing(kept: Any, tmp_path: Path) -> None:
    kept.back_up()
    make_key(tmp_path / "wrong")
    with pytest.raises(InputRejected, match="does not open the keys"):
        kept.restore(key=tmp_path / "wrong")
    assert not list(tmp_path.glob("*restor*"))


def test_keys_that_somebody_else_encrypted_to_the_operator_are_refused(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest is signed by the thief of a home's key; the keys are their own."""
    real = verified_backup.opened_with
    kept.back_up()
    monkeypatch.setattr(verified_backup, "opened_with", lambda *given: real(*given) | {"keys/runner": b"another"})
    with pytest.raises(IntegrityBroken, match="are not those"):
        kept.restore()


def test_a_ledger_never_falls_back_behind_a_published_head(kept: Any, below: Any) -> None:
    kept.world.published()
    made = kept.back_up()
    later = kept.world.published()
    with pytest.raises(IntegrityBroken, match=f"ends at event {made.manifest.seq}, and the ledger went on") as refused:
        kept.restore(published=[later.folder])
    assert "would be lost" in refused.value.message
    assert "candidate_sealed" in refused.value.message or "run_started" in refused.value.message
    assert "doctor --accept-ledger" in refused.value.cure
    assert not (kept.folder / "restored").exists()
    with pytest.raises(IntegrityBroken, match="The home .* has seen"):
        kept.restore(published=[kept.world.home.root])


def test_a_store_that_the_environment_names_is_looked_at_by_itself(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = kept.back_up()
    kept.world.published()
    monkeypatch.setenv("HEADGATE_STORE", str(kept.world.home.releases))
    with pytest.raises(IntegrityBroken, match=f"ends at event {made.manifest.seq}"):
        kept.restore()


def test_a_ledger_never_falls_back_behind_a_cosigned_head(kept: Any, tmp_path: Path) -> None:
    kept.world.published()
    kept.back_up()
    kept.world.seal()
    cosign(kept.world.ledger, kept.world.keys["cyd"], tmp_path / "cosigned.json")
    with pytest.raises(IntegrityBroken, match="cosigned event"):
        kept.restore(cosigned=[tmp_path / "cosigned.json"])


def test_a_ledger_never_falls_back_behind_what_the_state_folder_of_the_place_remembers(kept: Any) -> None:
    kept.world.seal()
    older = kept.back_up().name
    kept.world.seal()
    shutil.copytree(kept.world.home.state, kept.folder / "restored" / "state")
    with pytest.raises(IntegrityBroken, match="has seen"):
        kept.restore()
    kept.back_up()
    restored = kept.restore()
    assert restored.former is not None
    assert (restored.former / "state" / "head.dsse.json").is_file()
    shutil.rmtree(restored.home)  # as if it had been killed before it gave the home its name
    with pytest.raises(IntegrityBroken, match="has seen"):
        kept.restore(name=older)


def test_a_head_of_another_ledger_is_a_fork_and_no_last_resort_helps(kept: Any, tmp_path: Path) -> None:
    made = kept.back_up()
    shutil.copytree(kept.world.home.root, tmp_path / "twin")
    twin = kept.world_of(restore_home.Restored(verify_backup(kept.wanted()), tmp_path / "twin", 0, None))
    kept.world.published()
    twin.published()
    assert kept.back_up().manifest.seq > made.manifest.seq
    with pytest.raises(IntegrityBroken, match="two different ledgers"):
        kept.restore(published=[tmp_path / "twin" / "releases"], accept_loss=True)


def test_an_older_backup_of_the_target_can_be_named(kept: Any) -> None:
    first = kept.back_up()
    kept.world.seal()
    kept.back_up()
    assert kept.whole(kept.restore(name=first.name)) == first.manifest.seq
    with pytest.raises(InputRejected, match="no complete backup of that name"):
        kept.restore("again", name="20200101T000000Z-1-1")


def test_what_the_database_of_the_ledger_still_holds_is_not_lost_and_another_database_is_a_fork(
    kept: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the home was lost. It was refused for events that nobody had lost, and `--accept-loss` took a database that holds others."""
    kept.world.published()
    made = kept.back_up()
    shutil.copytree(kept.world.home.root, tmp_path / "twin", symlinks=True)
    twin = kept.world_of(restore_home.Restored(verify_backup(kept.wanted()), tmp_path / "twin", 0, None))
    later = kept.world.published()
    last = kept.world.ledger.last()
    twin.published()
    monkeypatch.setenv("HEADGATE_DATABASE_URL", f"sqlite:///{twin.home.ledger}")
    with pytest.raises(IntegrityBroken, match="and the ledger's database holds another event of that number"):
        kept.restore(published=[later.folder], accept_loss=True)
    monkeypatch.setenv("HEADGATE_DATABASE_URL", f"sqlite:///{kept.world.home.ledger}")
    restored = kept.restore(published=[later.folder])
    assert (restored.database, restored.verified.beyond, made.manifest.seq < last.seq) == (last.seq, (), True)
    assert kept.world_of(restored).seal().id


def test_what_lay_in_the_place_of_a_home_is_asked_whatever_the_home_is_called(kept: Any) -> None:
    kept.back_up()
    kept.world.seal()
    shutil.copytree(kept.world.home.state, kept.folder / "home[1].former-1" / "state")
    with pytest.raises(IntegrityBroken, match="has seen"):
        kept.restore("home[1]")
