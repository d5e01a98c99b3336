"""A table that nobody has described yet: what it looks like, and what is drafted from that."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from policies.schema.loading import parse_policy
from policies.schema.policy_draft import ColumnProfile, TableProfile, draft_policy
from tasks.reading.profile import profile_table, read_any_table


@pytest.fixture
def frame():
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "id": [f"P{row}" for row in range(40)],
            "age": rng.integers(3, 90, 40),
            "score": rng.random(40).round(3),
            "born": [f"19{50 + row % 30}-0{1 + row % 9}-15" for row in range(40)],
            "zip": [f"0{row % 4}12" for row in range(40)],
            "sex": ["m", None, "f", "f"] * 10,
            "blank": [None] * 40,
        }
    )


def test_kinds_counts_and_ends_are_seen(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    found = {column.name: column for column in profile_table(tmp_path / "t.csv").columns}
    assert {name: column.dtype for name, column in found.items()} == {
        "id": "text",
        "age": "integer",
        "score": "number",
        "born": "date",
        "zip": "text",
        "sex": "text",
        "blank": "text",
    }
    assert found["id"].unique
    assert not found["sex"].unique
    assert (found["age"].least, found["age"].greatest) == (frame["age"].min(), frame["age"].max())
    assert found["score"].greatest == frame["score"].max()
    assert found["born"].least == (date.fromisoformat(frame["born"].min()) - date(1970, 1, 1)).days
    assert (found["sex"].missing_share, found["blank"].missing_share) == (0.25, 1.0)
    assert {name: column.distinct for name, column in found.items()} == frame.nunique().to_dict()
    assert {column.rows for column in found.values()} == {40}


def test_the_same_is_seen_in_parquet_and_gzip_and_with_other_separators_and_encodings(frame, tmp_path):
    frame["sex"] = frame["sex"].replace("f", "weiblich – ä")
    frame.to_csv(tmp_path / "t.csv", index=False)
    plain = profile_table(tmp_path / "t.csv")
    assert (plain.kind, plain.separator, plain.encoding) == ("csv", ",", "utf-8")
    frame.to_csv(tmp_path / "s.csv", index=False, sep=";", encoding="cp1252")
    (tmp_path / "s.csv.gz").write_bytes(gzip.compress((tmp_path / "s.csv").read_bytes()))
    other = profile_table(tmp_path / "s.csv.gz")
    assert (other.separator, other.encoding) == (";", "cp1252")
    frame.to_csv(tmp_path / "u.txt", index=False, sep="\t", encoding="utf-16")
    wide = profile_table(tmp_path / "u.txt")
    assert (wide.separator, wide.encoding) == ("\t", "utf-16")
    frame.to_parquet(tmp_path / "t.parquet")
    typed = profile_table(tmp_path / "t.parquet")
    assert typed.kind == "parquet"
    assert plain.columns == other.columns == wide.columns == typed.columns


def test_a_policy_is_drafted_from_it_with_the_path_relative_to_the_policy(frame, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "policies").mkdir()
    frame.drop(columns="blank").to_csv(tmp_path / "data" / "t.csv", index=False)
    policy = parse_policy(draft_policy(profile_table(tmp_path / "data" / "t.csv", tmp_path / "policies")), "draft.yaml")
    assert policy.source.path == "../data/t.csv"
    assert policy.draft


def test_a_table_to_check_has_numbers_where_all_cells_are_numbers_and_texts_elsewhere(frame, tmp_path):
    frame["gap"] = [None, *range(39)]
    frame.to_csv(tmp_path / "t.csv", index=False)
    read = read_any_table(tmp_path / "t.csv", list(frame.columns))
    kinds = {name: "number" if pd.api.types.is_numeric_dtype(dtype) else "text" for name, dtype in read.dtypes.items()}
    assert kinds == {name: "number" if name in ("age", "score", "gap") else "text" for name in frame.columns}
    assert read["age"].tolist() == frame["age"].tolist()
    assert read["zip"].tolist() == frame["zip"].tolist()
    assert read["gap"].isna().sum() == 1
    frame.to_parquet(tmp_path / "t.parquet")
    typed = read_any_table(tmp_path / "t.parquet", ["age", "sex"])
    assert typed["age"].tolist() == frame["age"].tolist()
    assert typed["sex"].isna().sum() == 10
    with pytest.raises(InputRejected, match="'agee' is not in the table. Did you mean 'age'"):
        read_any_table(tmp_path / "t.parquet", ["agee"])


def test_a_table_that_cannot_be_read_is_refused_without_a_value(tmp_path, refusal):
    assert "does not exist" in refusal(lambda: profile_table(tmp_path / "none.csv")).message
    (tmp_path / "t.csv").write_text('a,b\n"CANARY,2\n')
    assert "quotation" in refusal(lambda: profile_table(tmp_path / "t.csv")).message
    (tmp_path / "t.parquet").write_text("a,b\nCANARY,2\n")
    assert "Parquet" in refusal(lambda: profile_table(tmp_path / "t.parquet")).message
    (tmp_path / "t.gz").write_bytes(gzip.compress(b"a,b\n1,2\n")[:-4])
    assert "cut short" in refusal(lambda: read_any_table(tmp_path / "t.gz", ["a"])).message


def test_regression_numbers_of_nineteen_digits_are_codes(tmp_path):
    """Read as floats, two people with neighbouring numbers were one: k was 2 where it is 1."""
    codes = ["1152921504606846976", "1152921504606846977", "1152921504606846976"]
    pd.DataFrame({"code": codes, "edge": ["9007199254740992", "9007199254740991", "0"]}).to_csv(tmp_path / "t.csv", index=False)
    read = read_any_table(tmp_path / "t.csv", ["code", "edge"])
    assert read["code"].tolist() == codes
    assert read["edge"].tolist() == [2**53, 2**53 - 1, 0]


def test_narrow_floats_of_parquet_are_the_decimals_that_were_written(tmp_path):
    pd.DataFrame({"share": np.array([0.7, 0.8, np.nan], dtype=np.float32)}).to_parquet(tmp_path / "t.parquet")
    assert read_any_table(tmp_path / "t.parquet", ["share"])["share"].tolist()[:2] == [0.7, 0.8]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["1234,5", "-0,75", "12.345,00"], "decimal comma: write 1234.5"),
        (["1234,5", "-0,75", "CANARY"], "decimal comma: write 1234.5"),
        (["04.06.1937", "31.12.1999"], "look like dates: write YYYY-MM-DD"),
        (["4/6/1937", "31/12/1999"], "look like dates: write YYYY-MM-DD"),
        (["44", "17", "CANARY"], "1 of the 3 distinct values is not a number, the others are"),
        (["44", "17", "9", "CANARY", "CANARIES"], "2 of the 5 distinct values are not numbers, the others are"),
        (["4", "CANARY", "CANARIES"], ""),
        (["007", "012"], ""),
        (["12,5,1", "3,4"], ""),
        (["1937-06-04"], ""),
    ],
)
def test_a_draft_says_how_to_write_what_is_almost_a_number_or_a_date(cells, said, tmp_path):
    """A German table's incomes were drafted as identifiers, its dates as free text, and an age with one wrong cell as a category, without
    a word."""
    pd.DataFrame({"cell": cells, "sex": ["m"] * len(cells)}).to_csv(tmp_path / "t.csv", index=False, sep=";")
    profile = profile_table(tmp_path / "t.csv")
    assert said in profile.columns[0].almost
    assert bool(said) == bool(profile.columns[0].almost)
    assert "CANAR" not in profile.columns[0].almost
    draft = draft_policy(profile_table_of_two(profile))
    assert f"  #   {profile.columns[0].almost}\n" in draft if said else "look like" not in draft


def profile_table_of_two(profile: TableProfile) -> TableProfile:
    """With a column that can be quasi, since a constant one is dropped."""
    return replace(profile, columns=(*profile.columns, ColumnProfile("region", "text", 3, 40)))
