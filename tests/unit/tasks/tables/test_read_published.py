"""Published tables are read once, from bytes whose digest is pinned, and believed in nothing."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from headgate.core.published_form.published_table import publish_form
from policies.sealed.specs import promise_of
from tasks.reading.ingest import ingest
from tasks.tables.coded_cells import plain_texts
from tasks.tables.read_published import Joined, published_of, read_back, read_published, read_published_frame
from tasks.tables.write import write_published


@pytest.fixture
def released(clinic):
    del clinic.policy["attributes"]["diagnosis"]
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    loaded = clinic.load()
    table = ingest(loaded).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    return loaded, promise_of(loaded.policy, table), published


def cells_of(published):
    """Rows as a sorted list of texts, without group numbers, which are drawn anew."""
    columns = [list(cells.texts[cells.codes]) for cells in published.cells.values()]
    for column in (*published.sensitive.values(), *published.insensitive.values()):
        columns.append([None if code < 0 else str(column.values[code]) for code in column.codes])
    return sorted(zip(*columns, strict=True), key=repr)


def test_both_formats_hold_the_published_table_and_are_read_back_as_it(released, tmp_path):
    _loaded, promise, published = released
    files = write_published(published, tmp_path)
    assert [file.path for file in files] == ["tables/main.csv", "tables/main.parquet"]
    read, pinned = read_back(tmp_path, files)
    assert read.differing == (False,)
    assert read.texts.equals(read_back(tmp_path, files[1:])[0].texts)
    for file in files:
        again = read_published(tmp_path / file.path, promise, "main")
        assert cells_of(again) == cells_of(published)
        assert sorted(np.bincount(again.group)) == sorted(np.bincount(published.group))
        assert file.rows == again.rows == 60
    for file in pinned:
        content = (tmp_path / file.path).read_bytes()
        assert (file.sha256, file.bytes) == (hashlib.sha256(content).hexdigest(), len(content))


def test_a_format_that_holds_another_cell_is_seen(released, tmp_path):
    _loaded, _promise, published = released
    files = write_published(published, tmp_path)
    path = tmp_path / files[0].path
    path.write_bytes(path.read_bytes().replace(b"primary", b"tertiary", 1))
    assert read_back(tmp_path, files)[0].differing == (True,)
    assert read_back(tmp_path, files[::-1])[0].differing == (True,)


def test_nothing_but_a_plain_file_is_read_back(released, tmp_path):
    _loaded, _promise, published = released
    files = write_published(published, tmp_path)
    path = tmp_path / files[0].path
    path.rename(tmp_path / "elsewhere.csv")
    with pytest.raises(IntegrityBroken, match="is missing"):
        read_back(tmp_path, files)
    path.symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(IntegrityBroken):
        read_back(tmp_path, files)


def test_a_published_file_that_is_not_what_was_promised_is_refused(released, tmp_path):
    _loaded, promise, published = released
    write_published(published, tmp_path, ("csv",))
    path = tmp_path / "tables" / "main.csv"
    frame = read_published_frame(path)
    for spoiled, words in [
        (frame.assign(extra="CANARY"), "1 columns that were not promised"),
        (frame.drop(columns="age"), "'age' is not in table 'main'"),
        (frame.drop(columns="group"), "'group' is not in table 'main'"),
        (frame.assign(education="CANARY"), "'education'"),
        (frame.iloc[:0], "no rows"),
    ]:
        spoiled.to_csv(path, index=False)
        with pytest.raises(InputRejected) as caught:
            read_published(path, promise, "main")
        assert words in str(caught.value)
        assert "CANARY" not in str(caught.value)


def test_a_gzipped_or_empty_published_file_is_read_or_refused_like_any_table(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"")
    with pytest.raises(InputRejected, match="is empty"):
        read_published_frame(tmp_path / "t.csv")
    sink = io.BytesIO()
    parquet.write_table(pa.table({"a": pa.array([], type=pa.string())}), sink)
    (tmp_path / "t.parquet").write_bytes(sink.getvalue())
    with pytest.raises(InputRejected, match="no rows"):
        read_published_frame(tmp_path / "t.parquet")


def test_parts_are_read_back_one_by_one_as_the_whole_table_is(released, tmp_path):
    _loaded, promise, published = released
    for folder in ("whole", "parts"):
        (tmp_path / folder).mkdir()
    whole, _pinned = read_back(tmp_path / "whole", write_published(published, tmp_path / "whole", seed=5))
    files = write_published(published, tmp_path / "parts", seed=5, rows_per_part=25)
    read, pinned = read_back(tmp_path / "parts", files)
    assert read.differing == (False,)
    assert plain_texts(read.texts).equals(plain_texts(whole.texts))
    assert read.frame.astype(object).equals(whole.frame.astype(object))
    again = published_of(read_published_frame(*(tmp_path / "parts" / file.path for file in files[:3])), promise, "main")
    assert cells_of(again) == cells_of(published)
    assert [file.path for file in pinned] == [file.path for file in files]
    for form, place in (("csv", 2), ("parquet", 5)):
        parts = [(tmp_path / "parts" / file.path).read_bytes() for file in files if file.format == form]
        if form == "csv":
            parts[1:] = [part.split(b"\n", 1)[1] for part in parts[1:]]
        together = b"".join(parts)
        assert pinned[place].joined == Joined(hashlib.sha256(together).hexdigest(), len(together))


@pytest.mark.parametrize("part", range(3))
def test_a_part_of_a_format_that_holds_another_cell_is_seen(released, tmp_path, part):
    _loaded, _promise, published = released
    files = write_published(published, tmp_path, rows_per_part=25)
    path = tmp_path / files[part].path
    path.write_bytes(path.read_bytes().replace(b"primary", b"tertiary", 1))
    assert read_back(tmp_path, files)[0].differing == (True,)
