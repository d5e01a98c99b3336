"""Restoring verifies everything before it writes anything, and lets no ledger fall back behind what others have seen."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken, StoreUnavailable
from tasks.backup import restore_home
from tasks.backup.make_backup import back_up
from tasks.backup.restore_home import verify_backup
from tasks.ledger.open_ledger import read_ledger
from tasks.runtime.home import Home
from tasks.signing.keys import make_key
from tasks.verification.audit import verify_audit
from tasks.verification.check_up import accept_ledger
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
    import hashlib

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
    real = restore_home.opened_with
    kept.back_up()
    monkeypatch.setattr(restore_home, "opened_with", lambda *given: real(*given) | {"keys/runner": b"another"})
    with pytest.raises(IntegrityBroken, match="are not those"):
        kept.restore()


def test_without_the_operators_key_a_home_is_restored_that_signs_nothing(kept: Any) -> None:
    kept.world.published()
    kept.back_up()
    restored = kept.restore(key=None)
    assert {path.name for path in (restored.home / "keys").iterdir()} <= {"ledger.pub", "runner.pub", "own"}
    home = Home.read(restored.home)
    assert verify_audit(home, read_ledger(home)).versions == 1
    with pytest.raises(StoreUnavailable, match=r"keys/\w+ is missing: this home had it"):
        kept.world_of(restored).published()


def test_a_home_that_is_not_empty_is_left_alone(kept: Any, below: Any) -> None:
    kept.back_up()
    before = below(kept.world.home.root)
    with pytest.raises(InputRejected, match="is not empty"):
        kept.restore("home")
    assert below(kept.world.home.root) == before
    (kept.folder / "link").symlink_to(kept.folder / "nowhere")
    with pytest.raises(InputRejected, match="is not a folder"):
        kept.restore("link")


@pytest.mark.parametrize("point", [1, 4, 12, 25])
def test_killed_while_it_restores_it_leaves_no_home_and_the_same_command_completes_it(
    kept: Any, point: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept.world.published()
    made = kept.back_up()
    write, done = restore_home._write, 0

    def killed(*arguments: Any) -> None:
        nonlocal done
        done += 1
        if done == point:
            raise SystemExit
        write(*arguments)

    monkeypatch.setattr(restore_home, "_write", killed)
    with pytest.raises(SystemExit):
        kept.restore()
    monkeypatch.undo()
    assert not (kept.folder / "restored").exists()
    assert kept.whole(kept.restore()) == made.manifest.seq


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


def test_what_is_given_up_is_given_up_by_the_operator_alone(kept: Any) -> None:
    """Restored although a version came out later: nothing is written until the operator accepts it, and takes that version away."""
    kept.world.published()
    kept.back_up()
    later = kept.world.published()
    restored = kept.restore(published=[later.folder], accept_loss=True)
    world = kept.world_of(restored)
    with pytest.raises(IntegrityBroken, match="an older ledger was put back"):
        world.seal()
    accept_ledger(world.home, world.ledger)
    assert world.published().version == 2


def test_a_backup_of_the_right_kind_is_restored_with_the_modes_it_had(kept: Any) -> None:
    kept.world.published()
    kept.back_up()
    home = kept.restore().home
    assert [path for path in (home, *home.iterdir()) if stat.S_IMODE(path.lstat().st_mode) & 0o077 and path.name != "releases"] == [
        path for path in home.iterdir() if path.name == "signers" and stat.S_IMODE(path.stat().st_mode) & 0o077
    ]
    assert stat.S_IMODE((home / "keys" / "ledger").stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "releases" / "people" / "1" / "manifest.json").stat().st_mode) == 0o444


def test_an_older_backup_of_the_target_can_be_named(kept: Any) -> None:
    first = kept.back_up()
    kept.world.seal()
    kept.back_up()
    assert kept.whole(kept.restore(name=first.name)) == first.manifest.seq
    with pytest.raises(InputRejected, match="no complete backup of that name"):
        kept.restore("again", name="20200101T000000Z-1-1")


@pytest.mark.slow
def test_a_ledger_moves_between_databases_and_one_that_outlived_its_home_stays(
    kept: Any, database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """From SQLite into PostgreSQL, which goes on; then only the home is lost; then back into SQLite."""
    kept.world.published()
    first = kept.back_up()
    monkeypatch.setenv("HEADGATE_DATABASE_URL", database)
    restored = kept.restore()
    assert not (restored.home / "ledger.db").exists()
    assert kept.whole(restored) == first.manifest.seq
    moved = kept.world_of(restored)
    moved.seal()
    last = moved.ledger.last().seq
    again = kept.restore("again")
    assert (again.database, read_ledger(Home.read(again.home)).last().seq) == (last, last)
    target = tmp_path / "from postgresql"
    assert back_up(moved.home, moved.ledger, target, [kept.recipient]).manifest.seq == last
    monkeypatch.delenv("HEADGATE_DATABASE_URL")
    assert kept.whole(kept.restore("back", target=target)) == last


@pytest.mark.slow
def test_a_database_with_another_ledger_is_left_alone(kept: Any, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.world.seal()
    older = kept.back_up().name
    monkeypatch.setenv("HEADGATE_DATABASE_URL", database)
    kept.world_of(kept.restore()).seal()
    monkeypatch.delenv("HEADGATE_DATABASE_URL")
    kept.world.published()
    kept.back_up()
    monkeypatch.setenv("HEADGATE_DATABASE_URL", database)
    with pytest.raises(IntegrityBroken, match="is not among them"):
        kept.restore("other")
    assert kept.restore("again", name=older).database
