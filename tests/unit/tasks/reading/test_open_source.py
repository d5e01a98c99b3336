from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

import tasks.reading
from headgate.core.errors import PolicyInvalid
from policies.schema import source_key
from policies.schema.source_key import SOURCES, SourceKey, kinds_of_source
from policies.words.fields import InputPath
from tasks.profiling.profile_table import profile_table
from tasks.reading.any_table import read_any_table
from tasks.reading.ingest import ingest
from tasks.reading.open_source import open_file, open_source, reader_of

READER = '''
import json
import pyarrow as pa
from tasks.reading.pinned_file import PinnedFile, beginning, digest_of, whole
from tasks.reading.source import Source

class Lines:
    """A toy: one JSON object per line, after a first line that says so."""

    def open_declared(self, key, folder):
        return self.open(PinnedFile(folder / key.path, "The source"), f"The source {key.path}")

    def open_recognized(self, content, name, where):
        return self.open(content, where) if beginning(content, 10) == b"#toylines\\n" else None

    def open(self, content, where):
        table = pa.Table.from_pylist([json.loads(line) for line in whole(content).decode().splitlines()[1:]])
        return Source(where, tuple(table.column_names), digest_of(content), lambda names: [table.select(list(names))])

READER = Lines()
'''


class ToySource(SourceKey):
    kind: Literal["toylines"]
    path: InputPath


@pytest.fixture
def toy(clinic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kind from outside the tree: its key is in the policy's tuple, its reader in a file of its own. The clinic's rows, written so."""
    room = tmp_path / "room"
    room.mkdir()
    (room / "source_toylines.py").write_text(READER)
    monkeypatch.setattr(tasks.reading, "__path__", [*tasks.reading.__path__, str(room)])
    monkeypatch.setattr(source_key, "SOURCES", (*SOURCES, ToySource))
    rows = [{name: cell or None for name, cell in row.items()} for row in clinic.rows]
    path = clinic.folder / "clinic.lines"
    path.write_text("#toylines\n" + "".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_every_kind_of_source_has_its_reader() -> None:
    assert list(kinds_of_source()) == ["csv", "parquet", "excel", "spss", "stata", "sql"]
    for kind in kinds_of_source():
        assert callable(reader_of(kind).open_declared)


def test_a_new_kind_is_declared_in_a_policy_and_gives_the_same_table(clinic, toy: Path) -> None:
    from_csv = ingest(clinic.load())
    clinic.policy["source"] = {"kind": "toylines", "path": toy.name}
    loaded = clinic.load()
    assert loaded.policy.source == ToySource(kind="toylines", path=toy.name)
    read = ingest(loaded)
    assert read.source_digest == hashlib.sha256(toy.read_bytes()).hexdigest()
    assert {name: column.codes.tolist() for name, column in read.table.columns.items()} == {
        name: column.codes.tolist() for name, column in from_csv.table.columns.items()
    }


def test_a_new_kind_counts_in_the_policys_digest(clinic, toy: Path) -> None:
    before = clinic.load().digest
    clinic.policy["source"] = {"kind": "toylines", "path": toy.name}
    assert clinic.load().digest != before


def test_the_keys_of_a_new_kind_are_checked_with_their_lines(clinic, toy: Path) -> None:
    clinic.policy["source"] = {"kind": "toylines", "path": toy.name, "colour": "red"}
    with pytest.raises(PolicyInvalid, match=r"source\.colour: found unknown key 'colour'; accepted: kind or path"):
        clinic.load()
    clinic.policy["source"] = {"kind": "toyline"}
    with pytest.raises(
        PolicyInvalid,
        match=r"source\.kind: found 'toyline'; accepted: csv, parquet, excel, spss, stata, sql or toylines \(did you mean toylines\?\)",
    ):
        clinic.load()


def test_a_new_kind_is_recognized_wherever_a_file_is_named(clinic, toy: Path) -> None:
    assert ingest(clinic.load(), toy).table.rows == 60  # in the place of a declared CSV
    assert profile_table(toy, clinic.folder).kind == "toylines"
    assert read_any_table(toy, ["sex"])["sex"].tolist() == [row["sex"] for row in clinic.rows]
    disclosure = {"dictionaries": [{"path": toy.name, "on": ["sex"]}], "sensitivity": {"weights": {"education": 1}}, "max": 10}
    clinic.policy["gates"]["disclosure"] = disclosure
    (register,) = clinic.load().references.dictionaries.values()
    assert register.frame["sex"].tolist() == [row["sex"] for row in clinic.rows]


def test_a_file_in_the_sources_place_is_read_as_what_it_is(clinic, tmp_path: Path) -> None:
    """Parquet by its content or its ending; anything else as the declared CSV."""
    table = arrow_csv.read_csv(clinic.source, convert_options=arrow_csv.ConvertOptions(column_types={"zip": pa.string()}))
    for name in ("clinic.parquet", "clinic.PQ", "clinic.table"):
        parquet.write_table(table, tmp_path / name)
        assert open_source(clinic.load().policy, clinic.folder, tmp_path / name).names == tuple(clinic.rows[0])
    clinic.policy["source"]["separator"] = ";"
    (tmp_path / "semicolons").write_text(clinic.source.read_text().replace(",", ";"))
    assert open_source(clinic.load().policy, clinic.folder, tmp_path / "semicolons").names == tuple(clinic.rows[0])


def test_a_file_that_no_kind_recognizes_is_a_csv() -> None:
    source = open_file(b"a;b\n1;2\n", "t.odd", "The table", ";", "utf-8")
    assert source.read(["b"]).to_pydict() == {"b": ["2"]}
