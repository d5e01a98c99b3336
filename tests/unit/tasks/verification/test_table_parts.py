"""A table in parts: every part that is claimed is there, in its place and alike in all formats; no other is."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import headgate as hg
from headgate.core.errors import IntegrityBroken
from policies.sealed.manifest import Manifest
from tasks.publication.withdraw import withdraw
from tasks.stores import files as files_module
from tasks.stores.files import LargeStored, Stored, read_folder
from tasks.stores.seal import declared_files
from tasks.verification.audit import verify_audit
from tasks.verification.claims import remeasure
from tasks.verification.evidence import evidence
from tasks.verification.released_folder import read_released
from tasks.verification.table_parts import joined_cells, stored_forms
from tasks.verification.verify import examine_folder
from tests.unit.claimed import claiming
from tests.unit.tasks.world import ROWS, Made, World

Files = dict[str, Stored]
CSV = [f"tables/table-1/part-{part:05}.csv" for part in range(3)]
PARQUET = [f"tables/table-1/part-{part:05}.parquet" for part in range(3)]


@pytest.fixture
def manifest(made_in_parts: Made) -> Manifest:
    return made_in_parts.manifest


@pytest.fixture
def files(made_in_parts: Made) -> Files:
    return read_folder(made_in_parts.folder)


def refused(manifest: Manifest, files: Files) -> str:
    with pytest.raises(IntegrityBroken) as broken:
        remeasure(manifest, files)
    return broken.value.message


def test_parts_are_measured_as_the_whole_table_is(manifest: Manifest, files: Files, made: Made) -> None:
    assert {path for path in files if path.startswith("tables/table-1")} == {*CSV, *PARQUET}
    again = remeasure(manifest, files)
    whole = remeasure(made.manifest, read_folder(made.folder))
    assert [table.parts for table in again.tables] == [(20, 20, 20), (20, 20, 20)]
    assert [table.model_copy(update={"parts": ()}) for table in again.tables] == list(whole.tables)
    assert again.not_measured == whole.not_measured


def without(files: Files, *paths: str) -> Files:
    return {path: stored for path, stored in files.items() if path not in paths}


def exchanged(files: Files, one: str, other: str) -> Files:
    """Each under the name of the other."""
    return files | {one: Stored(one, files[other].content), other: Stored(other, files[one].content)}


def test_a_part_that_is_missing_is_refused(manifest: Manifest, files: Files) -> None:
    assert refused(manifest, without(files, CSV[1])) == f"{CSV[1]} is missing, and other parts of table-1 are there."
    assert refused(manifest, without(files, PARQUET[2])) == f"{PARQUET[2]} is missing, and other parts of table-1 are there."
    assert "is missing" in refused(manifest, without(files, CSV[2], PARQUET[2]))  # in all formats alike
    assert "table-1 is claimed but missing" in refused(manifest, without(files, *CSV, *PARQUET))


def test_a_part_too_many_is_refused(manifest: Manifest, files: Files) -> None:
    for path in ("tables/table-1/part-00003.csv", "tables/table-1.csv", "tables/table-1/part-0.csv", "tables/table-1/part-00000.txt"):
        spoiled = files | {path: Stored(path, files[CSV[0]].content)}
        assert refused(manifest, spoiled) == f"{path} is a table about which nothing is claimed."
        assert path not in declared_files(manifest)
    assert {*CSV, *PARQUET} <= declared_files(manifest)


def test_parts_in_another_order_are_refused(manifest: Manifest, files: Files) -> None:
    """In one format: the formats hold different cells then. In both, only the hashes can tell; rows are in a random order anyway."""
    assert "formats of table-1 hold different values" in refused(manifest, exchanged(files, CSV[0], CSV[1]))
    remeasure(manifest, exchanged(exchanged(files, CSV[0], CSV[1]), PARQUET[0], PARQUET[1]))


def test_a_part_in_the_place_of_another_is_refused(manifest: Manifest, files: Files) -> None:
    twice = files | {path: Stored(path, files[path.replace("00001", "00000")].content) for path in (CSV[1], PARQUET[1])}
    assert "table-1" in refused(manifest, twice)
    other = "tables/table-2/part-00001"
    foreign = files | {f"tables/table-1/part-00001.{form}": Stored(other, files[f"{other}.{form}"].content) for form in ("csv", "parquet")}
    assert "parts of table-1 have different columns" in refused(manifest, foreign)


def test_a_part_without_rows_is_refused(manifest: Manifest, files: Files) -> None:
    header = files[CSV[2]].content.split(b"\n", 1)[0] + b"\n"
    only = without(files, *PARQUET)
    assert "table-1 cannot be measured again" in refused(manifest, only | {CSV[2]: Stored(CSV[2], header)})
    empty = pa.BufferOutputStream()
    parquet.write_table(parquet.read_table(pa.BufferReader(files[PARQUET[2]].content)).slice(0, 0), empty, store_schema=False)
    claimed = claiming(manifest.tables[0], path=PARQUET[0])
    spoiled = without(files, *CSV) | {PARQUET[2]: Stored(PARQUET[2], empty.getvalue().to_pybytes())}
    assert "no rows" in refused(manifest.model_copy(update={"tables": (claimed, manifest.tables[1])}), spoiled)


@pytest.mark.parametrize("parts", [(20, 19, 21), (30, 30), (20, 20, 20, 20)])
def test_how_many_rows_each_part_has_is_a_claim(manifest: Manifest, files: Files, parts: tuple[int, ...]) -> None:
    first = manifest.tables[0].model_copy(update={"parts": parts})
    message = refused(manifest.model_copy(update={"tables": (first, manifest.tables[1])}), files)
    assert "parts is claimed" in message or "missing" in message or "nothing is claimed" in message


def test_a_cell_of_one_part_counts_like_any_other(manifest: Manifest, files: Files) -> None:
    only = without(files, *PARQUET)
    content = only[CSV[2]].content
    assert b"nurse" in content
    spoiled = only | {CSV[2]: Stored(CSV[2], content.replace(b"nurse", b"clerk"))}
    assert "false claim about table table-1" in refused(manifest, spoiled)


def test_cells_of_all_parts_follow_each_other(manifest: Manifest, files: Files) -> None:
    cells, foreign = joined_cells("table-1", stored_forms(manifest.tables[0], files))
    assert (cells.sizes, foreign) == ([20, 20, 20], ())
    frames = [pd.read_csv(pa.BufferReader(files[path].content), dtype=str, keep_default_na=False, na_values=[""]) for path in CSV]
    whole = pd.concat(frames, ignore_index=True).astype(object)
    assert cells.texts().to_pydict() == {name: [None if cell != cell else cell for cell in whole[name]] for name in whole.columns}


SPOILED: dict[str, Callable[[Path], object]] = {
    "missing": lambda folder: (folder / CSV[1]).unlink(),
    "too many": lambda folder: (folder / "tables/table-1/part-00003.csv").write_bytes((folder / CSV[0]).read_bytes()),
    "whole beside parts": lambda folder: (folder / "tables/table-1.csv").write_bytes((folder / CSV[0]).read_bytes()),
    "other order": lambda folder: swap(folder / CSV[0], folder / CSV[1]),
    "of another table": lambda folder: swap(folder / CSV[0], folder / "tables/table-2/part-00000.csv"),
    "empty": lambda folder: (folder / CSV[2]).write_bytes(b""),
    "longer": lambda folder: (folder / CSV[2]).write_bytes((folder / CSV[2]).read_bytes() * 2),
}


def swap(one: Path, other: Path) -> None:
    first, second = one.read_bytes(), other.read_bytes()
    for path, content in ((one, second), (other, first)):
        path.chmod(0o644)
        path.write_bytes(content)


@pytest.fixture
def published(world: World, made_in_parts: Made) -> Path:
    world.made = made_in_parts
    return world.published().folder


def test_a_version_in_parts_is_published_verified_read_audited_and_withdrawn(world: World, published: Path) -> None:
    assert examine_folder(published).passed
    assert len(list((published / "tables").rglob("part-*"))) == 12
    table, library = read_released(published).release["table-1"], hg.read(published)["table-1"]
    assert table.rows == library.rows == ROWS
    pd.testing.assert_frame_equal(pd.DataFrame(table.frame), pd.DataFrame(library.frame))
    assert verify_audit(world.home, world.ledger).versions == 1
    assert b"manifest.json" in gzip.decompress(evidence(world.home, world.ledger, "release-1"))
    withdraw(world.home, world.ledger, "release-1", world.keys["ann"], "a mistake")
    report = examine_folder(published)
    assert (report.passed, report.withdrawn.split()[1]) == (True, "ann")
    assert verify_audit(world.home, world.ledger).versions == 1


@pytest.mark.parametrize("spoil", SPOILED)
def test_a_version_with_other_parts_than_were_signed_is_refused_by_verify_and_by_the_audit(
    world: World, published: Path, tmp_path: Path, spoil: str
) -> None:
    copy = Path(shutil.copytree(published, tmp_path / "1"))
    for folder in (copy, published):
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        SPOILED[spoil](folder)
    report = examine_folder(copy)
    assert not report.passed
    assert {finding.check for finding in report.findings if not finding.passed} & {"files", "contents"}
    with pytest.raises(IntegrityBroken):
        verify_audit(world.home, world.ledger)


def test_large_files_are_read_part_by_part_and_changing_one_meanwhile_is_found(
    world: World, published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "KEPT_BYTES", 500)
    assert examine_folder(published).passed
    looked = read_folder(published)
    assert type(looked[CSV[0]]) is LargeStored
    assert looked[CSV[0]].content == (published / CSV[0]).read_bytes()
    (published / CSV[0]).chmod(0o644)
    (published / CSV[0]).write_bytes((published / CSV[0]).read_bytes()[::-1])
    with pytest.raises(IntegrityBroken, match="was changed while it was read"):
        assert looked[CSV[0]].content
