"""What a table that nobody has described yet looks like."""

from __future__ import annotations

import gzip
import itertools
from datetime import date

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from policies.drafting.policy_draft import draft_policy
from policies.drafting.table_profile import ColumnProfile, Form, Meaning, Written
from policies.schema.loading import parse_policy
from tasks.profiling.profile_table import profile_table


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


def profiled(cells: list[object], tmp_path, name: str = "cell") -> ColumnProfile:
    pd.DataFrame({name: cells, "sex": "m"}).to_csv(tmp_path / "t.csv", index=False, sep=";")
    return profile_table(tmp_path / "t.csv").columns[0]


YEARS = (date.today().year - 99, date.today().year)


@pytest.mark.parametrize(
    ("cells", "look", "written", "said"),
    [
        (["1234,5", "-0,75", "12.345,00"], "number", Written(decimal=",", thousands="."), ""),
        (["1234,5", "-0,75", "3"], "number", Written(decimal=","), ""),
        (["1 234,5", "-0,75"], "number", Written(decimal=",", thousands=" "), ""),
        (["1'234.5", "0.75"], "number", Written(decimal=".", thousands="'"), ""),
        (["12,500", "1,000", "3"], "integer", Written(decimal=".", thousands=","), "taken for the mark between thousands"),
        (["12,500", "0,125"], "number", Written(decimal=","), ""),
        (["71,5 kg", "80 kg", "9kg"], "number", Written(decimal=",", units=("kg",)), ""),
        (["€ 1.200,50", "€ 3,00"], "number", Written(decimal=",", thousands=".", units=("€",)), ""),
        (["12 %", "7 %", "8 %", "CANARY"], "integer", Written(units=("%",)), "1 of the 4 distinct values is not a number"),
        (["1234,5", "-0,75", "CANARY"], "number", Written(decimal=","), "1 of the 3 distinct values is not a number"),
        (["04.06.1937", "31.12.1999"], "date", Written(dates=("%d.%m.%Y",)), ""),
        (["4/6/1937", "31/12/1999"], "date", Written(dates=("%d/%m/%Y",)), ""),
        (["6/4/1937", "12/31/1999"], "date", Written(dates=("%m/%d/%Y",)), ""),
        (["6/4/1937", "12/1/1999"], "date", Written(dates=("%d/%m/%Y",)), 'whether this is "%d/%m/%Y" or "%m/%d/%Y": choose'),
        (["14/4/1937", "12/31/1999", "1/1/1999"], "date", Written(dates=("%d/%m/%Y",)), "1 of the 3 distinct values fits none"),
        (["1937/06/04", "1999/12/31"], "date", Written(dates=("%Y/%m/%d",)), ""),
        (["19370604", "19991231"], "date", Written(dates=("%Y%m%d",)), ""),
        (["04JUN1937", "31DEC1999"], "date", Written(dates=("%d%b%Y",)), ""),
        (["04.06.37", "31.12.99"], "date", Written(dates=("%d.%m.%y",), years=YEARS), "is taken to lie in the domain"),
        (["1937-06-04T10:30", "1999-12-31T00:00"], "date", Written(dates=("%Y-%m-%dT%H:%M",)), ""),
        (["04.06.1937 10:30", "31.12.1999 00:00"], "date", Written(dates=("%d.%m.%Y %H:%M",)), ""),
        (["1937-06-04 00:00:00", "1999-12-31T00:00"], "date", Written(), ""),
        (["04.06.1937", "01.02.1937", "1999-12-31"], "date", Written(dates=("%d.%m.%Y", "%Y-%m-%d")), ""),
        (["44", "17", "CANARY"], "integer", Written(), "1 of the 3 distinct values is not a number; the others are."),
        (["44", "17", "9", "CANARY", "CANARIES"], "integer", Written(), "2 of the 5 distinct values are not numbers; the others are."),
        (["4", "CANARY", "CANARIES"], "text", Written(), ""),
        (["007", "012"], "text", Written(), ""),
        (["12,5,1", "3,4"], "text", Written(), ""),
        (["I10", "I11", "I20"], "text", Written(), ""),
        (["+49 30 123456", "+43 1 588010"], "text", Written(), ""),
        (["1937-06-04"], "date", Written(), ""),
        (["99.99.1999", "88.88.1999"], "date", Written(), "in no order that is recognized"),
    ],
)
def test_how_numbers_and_days_are_written_is_recognized_and_what_cannot_be_read_is_counted(cells, look, written, said, tmp_path):
    """A German table's incomes were drafted as identifiers, its dates as free text, and an age with one wrong cell as a category, without
    a word; then with the advice to write them otherwise in the source."""
    column = profiled(cells, tmp_path)
    assert (column.dtype, column.written, bool(column.almost)) == (look, written, bool(said))
    assert said in column.almost
    assert "CANAR" not in column.almost


def test_a_comma_separates_values_where_few_parts_make_many_texts(tmp_path):
    codes = [", ".join(pair) for pair in itertools.permutations(["I10", "E11", "J45", "F32"], 2)]
    assert profiled(codes, tmp_path).separator == ","
    assert profiled(["chest pain, acute", "fracture, closed", "none"], tmp_path).separator == ""


def test_days_in_another_order_have_the_ends_of_the_days_that_they_are(tmp_path):
    column = profiled(["31.12.1999", "04.06.1937", "01.02.1950"], tmp_path)
    assert [date.fromordinal(int(end) + date(1970, 1, 1).toordinal()).isoformat() for end in (column.least, column.greatest)] == [
        "1937-06-04",
        "1999-12-31",
    ]


def test_numbers_with_a_decimal_comma_have_their_ends(tmp_path):
    column = profiled(["1.234,5", "-0,75", "3"], tmp_path)
    assert (column.least, column.greatest) == (-0.75, 1234.5)


def test_running_numbers_are_seen_in_the_order_of_the_rows(tmp_path):
    assert profiled(list(range(7, 40)), tmp_path).form is Form.RUNNING_NUMBER
    assert profiled(list(range(40, 7, -1)), tmp_path).form is Form.RUNNING_NUMBER
    assert profiled([3, 1, 2, 9, 5], tmp_path).form is None


def test_a_long_tail_is_measured_against_the_99th_percentile_of_the_rows(tmp_path):
    """Of 1,000 rows, 995 hold at most 100; the largest holds 4,000."""
    cells = [row % 100 + 1 for row in range(995)] + [200, 300, 400, 500, 4000]
    tail = profiled(cells, tmp_path).tail
    assert tail is not None
    assert tail == pytest.approx(4000 / 100, rel=0.05)
    assert profiled(list(range(1, 1001)), tmp_path).tail is None


def test_many_different_numbers_get_a_step_that_leaves_few(tmp_path):
    column = profiled([1000 + 37 * row for row in range(1500)], tmp_path)
    assert column.step == 500
    assert profiled(list(range(1000)), tmp_path).step is None
    assert profiled([row / 1000 for row in range(1500)], tmp_path).step == pytest.approx(0.01)
    assert profiled([0] * 9 + list(range(150_000, 151_100)), tmp_path).step == 10


def test_different_people_are_counted_by_name_and_date_of_birth(tmp_path):
    names = ["Maier", "Maier", "Huber", "Huber"]
    born = ["1950-01-01", "1950-01-01", "1950-01-01", "1960-01-01"]
    pd.DataFrame({"Nachname": names, "Geburtsdatum": born}).to_csv(tmp_path / "t.csv", index=False)
    assert profile_table(tmp_path / "t.csv").people == 3
    pd.DataFrame({"Nachname": names}).to_csv(tmp_path / "t.csv", index=False)
    assert profile_table(tmp_path / "t.csv").people is None


@pytest.mark.slow
def test_an_export_of_a_german_hospital_is_drafted_without_names_in_it(tmp_path):
    """Names and insurance numbers were published as sensitive, and free text was the only quasi-identifier."""
    rng = np.random.default_rng(5)
    rows = 400
    days = [date.fromordinal(date(1930, 1, 1).toordinal() + int(day)).strftime("%d.%m.%Y") for day in rng.integers(0, 30000, rows)]
    frame = pd.DataFrame(
        {
            "Nachname": rng.choice(["Müller", "Schmidt", "Öztürk", "Weiß", "Maier"], rows),
            "Vorname": rng.choice(["Jürgen", "Anna", "Petra"], rows),
            "Geburtsdatum": days,
            "PLZ": [f"{code:05d}" for code in rng.integers(1000, 99999, rows)],
            "Versichertennummer": [f"A{number}" for number in rng.choice(10**8, rows, replace=False) + 10**8],
            "Diagnose": rng.choice(["I10", "E11.9", "J45.0", "F32.1"], rows),
            "Kosten": [f"{cost:.2f}".replace(".", ",") for cost in rng.lognormal(8, 1.5, rows)],
            "Bemerkung": [f"Patient {row} klagt über Schmerzen und kommt wieder" for row in range(rows)],
            "Ward": rng.choice(["A", "B"], rows),
        }
    )
    frame.to_csv(tmp_path / "export.csv", index=False, sep=";", encoding="latin-1")
    text = draft_policy(profile_table(tmp_path / "export.csv"))
    attributes = parse_policy(text, "draft.yaml").attributes
    assert {name: (attribute.role, attribute.kind) for name, attribute in attributes.items()} == {
        "Nachname": (Role.DROPPED, None),
        "Vorname": (Role.DROPPED, None),
        "Geburtsdatum": (Role.QUASI, Kind.DATE),
        "PLZ": (Role.QUASI, Kind.CATEGORY),
        "Versichertennummer": (Role.IDENTIFIER, None),
        "Diagnose": (Role.SENSITIVE, Kind.CATEGORY),
        "Kosten": (Role.SENSITIVE, Kind.NUMBER),
        "Bemerkung": (Role.DROPPED, None),
        "Ward": (Role.DROPPED, None),
    }
    assert attributes["Geburtsdatum"].date == ("%d.%m.%Y",)
    assert attributes["Kosten"].decimal == ","
    assert not any(value in text for value in ("Müller", "Jürgen", days[0], "klagt", frame["Versichertennummer"][0]))
    assert profile_table(tmp_path / "export.csv").columns[0].meaning is Meaning.LAST_NAME


def test_people_of_whom_several_rows_have_one_day_are_counted_whatever_the_time(tmp_path):
    days = ["2024-03-01 08:00", "2024-03-01 17:30", "2024-03-02 09:00", "2024-03-01 08:00", "2024-03-05 08:00", "2024-03-01 08:00"]
    frame = pd.DataFrame({"Patientennummer": list("aaabbc"), "visit": days, "age": range(6), "dx": list("xyxyxy")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert profile_table(tmp_path / "t.csv").tied == {"visit": 1}


@pytest.mark.parametrize(
    ("cells", "grid"), [([0.25, 0.5, 2.75], 0.25), ([10, 30, 45], 5.0), ([0.1, 0.2], 0.1), ([1 / 3, 1.0], None), ([0, 0], None)]
)
def test_the_grid_of_numbers_is_seen(cells, grid, tmp_path):
    pd.DataFrame({"w": cells}).to_csv(tmp_path / "t.csv", index=False)
    (column,) = profile_table(tmp_path / "t.csv").columns
    assert column.grid == grid
