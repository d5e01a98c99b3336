from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
import rfc8785

from headgate.core.errors import Defect, InputRejected, IntegrityBroken
from policies.sealed.manifest import FileEntry
from tasks.signing.home_keys import home_fingerprint
from tasks.signing.signatures import CANDIDATE, sign_statement, statement
from tasks.stores import files
from tasks.stores.seal import load_candidate, manifest_bytes, read_manifest, seal, sealed_for
from tests.unit.tasks.world import examined

HOME = "SHA256:" + "A" * 43


def test_a_seal_is_for_one_home_and_those_that_named_none_are_for_any(world) -> None:
    candidate = world.seal()
    assert sealed_for(candidate.manifest_envelope, home_fingerprint(world.home.keys))
    assert not sealed_for(candidate.manifest_envelope, HOME)
    said = statement({"manifest.json": candidate.id}, CANDIDATE, {"dataset": "people"})
    assert sealed_for(sign_statement(said, world.keys["runner"]), HOME)


def test_a_candidates_id_is_the_digest_of_its_canonical_manifest(world) -> None:
    candidate = world.seal()
    stored = (candidate.folder / "manifest.json").read_bytes()
    assert candidate.id == hashlib.sha256(stored).hexdigest() == candidate.folder.name
    assert stored == manifest_bytes(candidate.manifest)
    assert read_manifest(stored) == candidate.manifest
    listed = {entry.path: (entry.sha256, entry.bytes) for entry in candidate.manifest.files}
    for path, (digest, size) in listed.items():
        content = (candidate.folder / path).read_bytes()
        assert (hashlib.sha256(content).hexdigest(), len(content)) == (digest, size)
    assert {"tables/table-1.csv", "tables/table-1.parquet", "tables/table-2.csv", "tables/table-2.parquet", "report.html"} == set(listed)


def test_the_staged_folder_becomes_the_candidate_and_nothing_is_left_of_it(world) -> None:
    world.seal()
    assert list(world.home.staging.iterdir()) == []
    assert len(list(world.home.candidates.iterdir())) == 1


def test_a_sealed_candidate_is_what_is_read_again_from_its_folder(world) -> None:
    candidate = world.seal()
    assert load_candidate(world.home.candidates, candidate.id) == candidate


def test_sealing_reads_each_file_once(world, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    honest = files._opened

    def noting(folder: Path, path: str, size: int | None) -> object:
        read.append(path)
        return honest(folder, path, size)

    monkeypatch.setattr(files, "_opened", noting)
    candidate = world.seal()
    assert sorted(read) == sorted(entry.path for entry in candidate.manifest.files)


def test_the_same_bytes_sealed_again_are_the_same_candidate(world) -> None:
    first = world.seal()
    staged = world.home.stage("again")
    shutil.copytree(world.made.folder, staged, dirs_exist_ok=True)
    assert seal(world.home.candidates, staged, first.manifest, world.keys["runner"], examined(staged), HOME).id == first.id
    assert not staged.exists()


def test_a_unique_prefix_of_eight_names_a_candidate(world) -> None:
    candidate = world.seal()
    for prefix in (candidate.id, candidate.id[:8], candidate.id[:8].upper()):
        assert load_candidate(world.home.candidates, prefix).id == candidate.id
    for prefix in (candidate.id[:7], "", "../../etc", "g" * 12):
        with pytest.raises(InputRejected, match="at least 8"):
            load_candidate(world.home.candidates, prefix)
    with pytest.raises(InputRejected, match="No candidate"):
        load_candidate(world.home.candidates, "0" * 8 if not candidate.id.startswith("0" * 8) else "1" * 8)


def test_an_ambiguous_prefix_is_refused(world) -> None:
    candidate = world.seal()
    (world.home.candidates / (candidate.id[:10] + "0" * 54)).mkdir()
    with pytest.raises(InputRejected, match="2 candidates"):
        load_candidate(world.home.candidates, candidate.id[:8])


def _flip(path: Path) -> None:
    path.chmod(0o644)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("path", ["tables/table-1.csv", "tables/table-2.parquet", "report.html", "manifest.json", "manifest.dsse.json"])
def test_one_flipped_bit_anywhere_breaks_a_candidate(world, path: str) -> None:
    candidate = world.seal()
    _flip(candidate.folder / path)
    with pytest.raises(IntegrityBroken) as found:
        load_candidate(world.home.candidates, candidate.id)
    assert found.value.code == 5
    assert found.value.cure


def test_a_file_too_many_a_file_too_few_and_a_link_break_a_candidate(world, tmp_path: Path) -> None:
    extra, missing, linked, odd = (world.seal() for _ in range(4))
    (extra.folder / "tables" / "more.csv").write_text("x")
    with pytest.raises(IntegrityBroken, match="too many"):
        load_candidate(world.home.candidates, extra.id)
    (missing.folder / "report.html").unlink()
    with pytest.raises(IntegrityBroken, match="lacks 1 file"):
        load_candidate(world.home.candidates, missing.id)
    outside = tmp_path / "same bytes"
    outside.write_bytes((linked.folder / "report.html").read_bytes())
    (linked.folder / "report.html").unlink()
    (linked.folder / "report.html").symlink_to(outside)
    with pytest.raises(IntegrityBroken, match="link"):
        load_candidate(world.home.candidates, linked.id)
    (odd.folder / "..hidden").write_text("x")
    with pytest.raises(IntegrityBroken, match="unsafe name"):
        load_candidate(world.home.candidates, odd.id)


def test_special_files_are_refused_without_waiting_for_them(world) -> None:
    candidate = world.seal()
    (candidate.folder / "report.html").unlink()
    os.mkfifo(candidate.folder / "report.html")
    with pytest.raises(IntegrityBroken, match="special"):
        load_candidate(world.home.candidates, candidate.id)


def test_a_manifest_signed_by_another_than_its_runner_is_refused(world) -> None:
    candidate, other = world.seal(), world.seal()
    envelope = candidate.folder / "manifest.dsse.json"
    envelope.chmod(0o644)
    envelope.write_bytes((other.folder / "manifest.dsse.json").read_bytes())
    with pytest.raises(IntegrityBroken, match="another manifest"):
        load_candidate(world.home.candidates, candidate.id)
    envelope.write_bytes(sign_statement(statement({"manifest.json": candidate.id}, CANDIDATE, {}), world.keys["stranger"]))
    with pytest.raises(IntegrityBroken, match="another key"):
        load_candidate(world.home.candidates, candidate.id)


@pytest.mark.parametrize(
    "path", ["../escape.csv", "/etc/passwd", "tables/../../x", "a\\b", "a//b", ".hidden", "manifest.json", "x\n", "tables/"]
)
def test_a_manifest_that_leads_out_of_its_folder_is_refused(world, path: str) -> None:
    manifest = json.loads(manifest_bytes(world.seal().manifest))
    manifest["files"][0]["path"] = path
    with pytest.raises(IntegrityBroken, match="unsafe name"):
        read_manifest(rfc8785.dumps(manifest))


def test_a_manifest_of_another_spelling_is_refused(world) -> None:
    """A title given twice was one title to headgate and another to whoever reads the first."""
    content = manifest_bytes(world.seal().manifest)
    read_manifest(content)
    for spelt in (b'{"title":"Others",' + content[1:], content + b"\n", json.dumps(json.loads(content)).encode()):
        with pytest.raises(IntegrityBroken, match="not in canonical form"):
            read_manifest(spelt)


@pytest.mark.parametrize("name", ["tables/x.csv", "tables/more/table-1.csv", "appendix.csv", "data/raw.parquet", "Tables/table-1.csv"])
def test_a_file_that_nobody_examined_is_never_sealed(world, name: str) -> None:
    """Only the tables that were pinned were compared: a file that was put beside them was signed with them."""
    manifest, staged = world.seal().manifest, world.home.stage("r")
    shutil.copytree(world.made.folder, staged, dirs_exist_ok=True)
    pinned, planted = examined(staged), staged / name
    planted.parent.mkdir(exist_ok=True)
    planted.write_text("age,job\n30,nurse\n")
    before = sorted(world.home.candidates.iterdir())
    with pytest.raises(IntegrityBroken, match=f"{name} has not been examined") as refusal:
        seal(world.home.candidates, staged, manifest, world.keys["runner"], pinned, HOME)
    assert "who else can write" in refusal.value.cure
    assert sorted(world.home.candidates.iterdir()) == before


@pytest.mark.parametrize("name", ["tables/table-3.csv", "appendix.csv", "Tables/table-1.csv", "Report.html", "registration.sig"])
def test_a_file_about_which_nothing_is_claimed_is_neither_sealed_nor_read(world, name: str) -> None:
    """`verify` proved the origin of a folder in which the source lay beside the tables."""
    manifest, staged = world.seal().manifest, world.home.stage("r")
    shutil.copytree(world.made.folder, staged, dirs_exist_ok=True)
    (staged / name).parent.mkdir(exist_ok=True)
    (staged / name).write_text("age,job\n30,nurse\n")
    with pytest.raises(IntegrityBroken, match=f"{name} is a file about which the manifest claims nothing"):
        seal(world.home.candidates, staged, manifest, world.keys["runner"], examined(staged), HOME)
    sealed = manifest.model_copy(update={"files": (*manifest.files, FileEntry(path=name, sha256="0" * 64, bytes=1))})
    with pytest.raises(IntegrityBroken, match=f"{name} is a file about which the manifest claims nothing"):
        read_manifest(manifest_bytes(sealed))


def test_a_table_that_is_gone_or_changed_since_it_was_examined_is_never_sealed(world) -> None:
    manifest, staged = world.seal().manifest, world.home.stage("r")
    shutil.copytree(world.made.folder, staged, dirs_exist_ok=True)
    pinned = examined(staged)
    for wrong in ({**pinned, "tables/table-3.csv": "00" * 32}, {**pinned, "tables/table-1.csv": "00" * 32}):
        with pytest.raises(IntegrityBroken, match="was changed after"):
            seal(world.home.candidates, staged, manifest, world.keys["runner"], wrong, HOME)


@pytest.mark.parametrize("name", ["manifest.json", "events.jsonl", "head.json", "attestation.dsse.json", "approvals"])
def test_staged_files_cannot_take_the_names_that_publication_needs(world, name: str) -> None:
    staged = world.home.stage("r")
    (staged / name).write_text("x")
    manifest = world.seal().manifest
    with pytest.raises(Defect):
        seal(world.home.candidates, staged, manifest, world.keys["runner"], {}, HOME)


def test_a_manifest_of_another_form_is_refused_without_repeating_it(world) -> None:
    for content in (b"{}", b"not json", b'{"schema_version": 9, "\\u001b[31m": 1}', b"[" * 100_000):
        with pytest.raises(IntegrityBroken) as found:
            read_manifest(content)
        assert "\x1b" not in found.value.message
