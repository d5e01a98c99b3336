"""The published files: the same cells in both formats, nothing but those cells, and a package that describes them."""

from __future__ import annotations

import contextlib
import csv

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import Defect, StoreUnavailable
from headgate.core.published_form.published_table import publish_form
from policies.sealed.specs import promise_of
from tasks.reading.ingest import ingest
from tasks.tables.read_published import read_back
from tasks.tables.write import write_frame, write_published


@pytest.fixture
def released(clinic):
    del clinic.policy["attributes"]["diagnosis"]
    clinic.policy["attributes"]["diagnosis"] = {"role": "dropped"}
    loaded = clinic.load()
    table = ingest(loaded).table
    published = publish_form(table, np.arange(60, dtype=np.int32) // 10, "main", ("income", "education"), ("zip",))
    return loaded, promise_of(loaded.policy, table), published


def test_two_writings_share_neither_row_order_nor_group_numbers_and_a_seed_repeats_one(released, tmp_path):
    _loaded, _promise, published = released
    contents = []
    for name, seed in (("a", None), ("b", None), ("c", 5), ("d", 5)):
        (tmp_path / name).mkdir()
        write_published(published, tmp_path / name, seed=seed)
        contents.append([(tmp_path / name / "tables" / f"main.{form}").read_bytes() for form in ("csv", "parquet")])
    assert contents[0] != contents[1]
    assert contents[2] == contents[3]


def zstd_frames(content: bytes) -> bytes:
    """Everything that any zstd frame in these bytes unpacks to."""
    out, at = b"", content.find(b"\x28\xb5\x2f\xfd")
    while at >= 0:
        stream = pa.CompressedInputStream(pa.BufferReader(content[at:]), "zstd")
        with contextlib.suppress(OSError):  # the bytes after the frame are no frame
            while byte := stream.read(1):
                out += byte
        at = content.find(b"\x28\xb5\x2f\xfd", at + 4)
    return out


def test_nothing_but_published_values_is_in_the_bytes(tmp_path, canary):
    """Unused categories, an index, attributes and names of the frame stay behind; a used value is found by the same search."""
    kept = pd.Categorical(["FOUND-a", "FOUND-b"] * 30, categories=["FOUND-a", "FOUND-b", f"{canary}-unused"])
    longer = pd.Series([f"{canary}-suppressed", *["FOUND-c"] * 60], dtype="str").iloc[1:]
    frame = pd.DataFrame({"q": kept, "s": longer.to_numpy(), "n": np.arange(60.0)}, index=[f"{canary}-index-{row}" for row in range(60)])
    frame.attrs["source"] = f"/home/{canary}"
    frame.index.name = canary
    write_frame(frame, tmp_path, "main")
    for form in ("csv", "parquet"):
        content = (tmp_path / "tables" / f"main.{form}").read_bytes()
        everything = content + (zstd_frames(content) if form == "parquet" else b"")
        assert b"FOUND-b" in everything
        assert b"FOUND-c" in everything
        assert canary.encode() not in everything
        assert b"pandas" not in everything
        assert str(tmp_path).encode() not in everything
    file = parquet.ParquetFile(tmp_path / "tables" / "main.parquet")
    assert file.metadata.metadata is None
    assert file.schema_arrow.metadata is None
    assert file.schema_arrow.names == ["q", "s", "n"]
    assert not file.schema_arrow.field("q").metadata
    as_stored = parquet.read_table(tmp_path / "tables" / "main.parquet", read_dictionary=["q", "s"])
    assert as_stored.column("q").combine_chunks().dictionary.to_pylist() == ["FOUND-a", "FOUND-b"]


def test_the_search_itself_finds_unused_categories_where_they_are_written(tmp_path, canary):
    """Proof that the test above can fail: pandas' own writer leaves them."""
    frame = pd.DataFrame({"q": pd.Categorical(["a", "b"] * 30, categories=["a", "b", canary])})
    frame.to_parquet(tmp_path / "leaky.parquet", compression="zstd")
    content = (tmp_path / "leaky.parquet").read_bytes()
    assert canary.encode() in content + zstd_frames(content)


TEXTS = st.text(alphabet=st.sampled_from(list("ab=+-@,;|\"'\n\r\t \\{}[]é漢")), min_size=1, max_size=6).filter(
    lambda text: text.strip() != ""
)


@given(
    cells=st.lists(
        st.tuples(TEXTS | st.none(), st.integers(-(2**53), 2**53) | st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_any_cells_come_back_from_both_formats_and_from_pythons_csv_reader(cells, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cells")
    texts, wholes, numbers = (list(column) for column in zip(*cells, strict=True))
    frame = pd.DataFrame({'t,"x"': pd.Series(texts, dtype=object), "i": pd.array(wholes, dtype="Int64"), "f": np.array(numbers)})
    files = write_frame(frame, folder, "main")
    with (folder / "tables" / "main.csv").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == ['t,"x"', "i", "f"]
    assert [row[0] or None for row in rows] == texts  # never altered, not even =1+1
    assert [None if row[1] == "" else int(row[1]) for row in rows] == wholes
    assert [float(row[2]) for row in rows] == numbers
    typed = parquet.read_table(folder / "tables" / "main.parquet")
    assert [column.to_pylist() for column in typed.columns] == [texts, wholes, numbers]
    assert read_back(folder, files)[0].texts.column(0).to_pylist() == texts


def test_missing_is_empty_in_csv_and_null_in_parquet(tmp_path):
    frame = pd.DataFrame(
        {"t": ["x", None], "n": [np.nan, 1.0], "i": pd.array([1, None], dtype="Int64"), "none": [None, None], "e": ["", "y"]}
    )
    write_frame(frame, tmp_path, "main")
    assert (tmp_path / "tables" / "main.csv").read_bytes() == b"t,n,i,none,e\nx,,1,,\n,1,,,y\n"
    assert parquet.read_table(tmp_path / "tables" / "main.parquet").to_pydict() == {
        "t": ["x", None],
        "n": [None, 1.0],
        "i": [1, None],
        "none": [None, None],
        "e": [None, "y"],
    }


def test_a_file_is_never_written_over_and_a_name_never_leads_elsewhere(tmp_path):
    frame = pd.DataFrame({"a": ["CANARY"]})
    write_frame(frame, tmp_path, "main", ("csv",))
    with pytest.raises(StoreUnavailable, match=r"main\.csv cannot be written") as caught:
        write_frame(frame, tmp_path, "main", ("csv",))
    assert "CANARY" not in str(caught.value)
    for name in ("../main", "", "a/b", ".hidden", "x" * 200):
        with pytest.raises(Defect):
            write_frame(frame, tmp_path, name)
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "tables").write_text("a file")
    with pytest.raises(StoreUnavailable):
        write_frame(frame, tmp_path / "blocked", "main")


def test_what_is_no_cell_is_a_defect_and_tells_no_value(tmp_path):
    for cells in ([True, False], [1, "CANARY"], [b"CANARY", b"x"], [{"CANARY": 1}, None]):
        with pytest.raises(Defect) as caught:
            write_frame(pd.DataFrame({"a": pd.Series(cells, dtype=None if cells[0] is True else object)}), tmp_path, "main")
        assert "CANARY" not in str(caught.value)


def test_a_table_with_more_rows_than_a_file_should_hold_is_written_in_parts(released, tmp_path):
    _loaded, _promise, published = released
    files = write_published(published, tmp_path, seed=5, rows_per_part=25)
    assert [(file.path, file.rows) for file in files] == [
        (f"tables/main/part-0000{part}.{form}", 20) for form in ("csv", "parquet") for part in range(3)
    ]
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == ["main"]
    (tmp_path / "whole").mkdir()
    whole = write_published(published, tmp_path / "whole", seed=5)
    assert [file.path for file in whole] == ["tables/main.csv", "tables/main.parquet"]
    lines = [(tmp_path / file.path).read_bytes().split(b"\n", 1) for file in files if file.format == "csv"]
    assert b"".join(rows for _, rows in lines) == (tmp_path / "whole" / whole[0].path).read_bytes().split(b"\n", 1)[1]
    assert len({header for header, _ in lines}) == 1
    parts = [parquet.read_table(tmp_path / file.path) for file in files if file.format == "parquet"]
    assert pa.concat_tables(parts).equals(parquet.read_table(tmp_path / "whole" / whole[1].path))
    for rows_per_part, expected in ((60, 1), (59, 2), (1, 60)):
        (tmp_path / str(rows_per_part)).mkdir()
        made = write_published(published, tmp_path / str(rows_per_part), ("csv",), 5, rows_per_part)
        assert (len(made), min(file.rows for file in made)) == (expected, 60 // expected)


def test_columns_have_one_type_in_all_parts_whatever_their_cells_are(tmp_path):
    """The first part may lack every cell of a column that others have, or have whole numbers only."""
    table = encode_table(
        pd.DataFrame({"q": ["a"] * 4, "t": [None, None, "x", "y"], "n": [1.0, 2.0, 2.5, None], "i": [None, None, 3, 4]}),
        {
            "q": ColumnSpec("q", Kind.CATEGORY, Role.QUASI),
            "t": ColumnSpec("t", Kind.CATEGORY, Role.SENSITIVE),
            "n": ColumnSpec("n", Kind.NUMBER, Role.SENSITIVE),
            "i": ColumnSpec("i", Kind.INTEGER, Role.SENSITIVE),
        },
    )
    published = publish_form(table, np.zeros(4, dtype=np.int32), "main", ("t", "n", "i"))
    for seed in range(6):
        (tmp_path / str(seed)).mkdir()
        files = write_published(published, tmp_path / str(seed), ("parquet",), seed, 1)
        types = {str(parquet.read_schema(tmp_path / str(seed) / file.path)) for file in files}
        assert len(files) == 4
        assert len(types) == 1
