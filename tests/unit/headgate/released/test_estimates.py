"""Estimates against every way to complete the generalized cells of a tiny table, taken from the notation of cells alone."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec
from headgate.core.errors import InputRejected
from headgate.released.description import described
from headgate.released.released_tables import Release, release_of
from tests.unit.headgate.released.tiny_releases import frame as cells_of
from tests.unit.headgate.released.tiny_releases import manifest, of_tables, release

GRADES = ["low", "middle", "high"]
EYES = ["blue", "brown", "green"]
LEAVES = {"north": ["t1", "t2"], "south": ["t3", "t4"]}
CELLS = {  # what each cell may stand for; None is missing
    "age": {"3": [3], "[1..3]": [1, 2, 3], "[4..5]": [4, 5], "*": [*range(6), None], "": [None]},
    "grade": {"low": ["low"], "[low..middle]": GRADES[:2], "*": [*GRADES, None], "": [None]},
    "eye": {"blue": ["blue"], "{blue|green}": ["blue", "green"], "{|brown}": [None, "brown"], "*": [*EYES, None], "": [None]},
    "town": {"t1": ["t1"], "north": LEAVES["north"], "south": LEAVES["south"], "*": ["t1", "t2", "t3", "t4", None]},
}
CONDITIONS: dict[str, list[tuple[str, Any]]] = {
    "age": [
        ("age >= 3", lambda value: value is not None and value >= 3),
        ("age < 2", lambda value: value is not None and value < 2),
        ("age != 2", lambda value: value is not None and value != 2),
        ("age in (1, 4)", lambda value: value in (1, 4)),
        ("age not in (0, 3)", lambda value: value is not None and value not in (0, 3)),
        ("age is missing", lambda value: value is None),
        ("age is not missing", lambda value: value is not None),
    ],
    "grade": [
        ("grade > low", lambda value: value in ("middle", "high")),
        ("grade <= middle", lambda value: value in ("low", "middle")),
        ("grade == high", lambda value: value == "high"),
    ],
    "eye": [
        ("eye in (blue, brown)", lambda value: value in ("blue", "brown")),
        ("eye != green", lambda value: value is not None and value != "green"),
        ("eye is missing", lambda value: value is None),
    ],
    "town": [
        ("town == north", lambda value: value in LEAVES["north"]),
        ("town not in (south, t1)", lambda value: value == "t2"),
        ("town == t3", lambda value: value == "t3"),
    ],
    "income": [("income >= 20", lambda value: value is not None and value >= 20), ("income is missing", lambda value: value is None)],
}


def missing_counts(column: str, cells: list[str]) -> bool:
    return any(cell == "" or cell.startswith("{|") for cell in cells)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[str]]:
    rows = draw(st.integers(1, 4))
    named = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3, unique=True))
    columns = {name: draw(st.lists(st.sampled_from(sorted(CELLS[name])), min_size=rows, max_size=rows)) for name in named}
    columns["income"] = draw(st.lists(st.sampled_from(["10", "20", "40", ""]), min_size=rows, max_size=rows))
    return columns


def weights(column: str, cell: str, cells: list[str]) -> list[tuple[Any, Fraction]]:
    """Each value that a cell may stand for, evenly; a missing one only where the column shows missing cells."""
    if column == "income":
        return [(float(cell) if cell else None, Fraction(1))]
    values = CELLS[column][cell]
    counted = [value for value in values if value is not None or cell != "*" or missing_counts(column, cells)]
    return [(value, Fraction(int(value in counted), len(counted))) for value in values]


def completions(columns: dict[str, list[str]], row: int) -> list[tuple[dict[str, Any], Fraction]]:
    options = [[(name, *each) for each in weights(name, cells[row], cells)] for name, cells in columns.items()]
    return [
        ({name: value for name, value, _ in chosen}, math.prod((weight for *_, weight in chosen), start=Fraction(1)))
        for chosen in itertools.product(*options)
    ]


def asked(data: st.DataObject, columns: dict[str, list[str]]) -> tuple[str, Any]:
    texts, tests = [], []
    for name in data.draw(st.lists(st.sampled_from(sorted(columns)), max_size=4)):
        text, test = data.draw(st.sampled_from(CONDITIONS[name]))
        texts.append(text)
        tests.append((name, test))
    return " and ".join(texts), lambda person: all(test(person[name]) for name, test in tests)


@given(tables(), st.data())
def test_a_count_and_a_share_are_those_of_all_completions(columns: dict[str, list[str]], data: st.DataObject) -> None:
    where, meets = asked(data, columns)
    people = [completions(columns, row) for row in range(len(columns["income"]))]
    certain = [[meets(person) for person, _ in row] for row in people]
    expected = sum((weight for row in people for person, weight in row if meets(person)), Fraction(0))
    found = release(**columns).estimate("count", where=where)
    assert (found.lowest, found.highest) == (sum(all(row) for row in certain), sum(any(row) for row in certain))
    assert found.expected == pytest.approx(float(expected))
    assert found.lowest <= (found.expected or 0) + 1e-12 <= found.highest + 1e-11
    share = release(**columns).estimate("share", where=where)
    assert (share.lowest * len(people), share.highest * len(people)) == pytest.approx((found.lowest, found.highest))


@given(tables(), st.data())
def test_a_mean_lies_where_that_of_every_completion_does(columns: dict[str, list[str]], data: st.DataObject) -> None:
    where, meets = asked(data, columns)
    of = data.draw(st.sampled_from([name for name in ("age", "income") if name in columns]))
    people = [completions(columns, row) for row in range(len(columns["income"]))]
    values = [{person[of] if meets(person) else None for person, _ in row} for row in people]
    means = [sum(kept) / len(kept) for chosen in itertools.product(*values) if (kept := [value for value in chosen if value is not None])]
    if not means:
        with pytest.raises(InputRejected, match="No published row can have a number"):
            release(**columns).estimate("mean", of, where)
        return
    found = release(**columns).estimate("mean", of, where)
    assert (found.lowest, found.highest) == pytest.approx((min(means), max(means)))
    counted = [(person[of], weight) for row in people for person, weight in row if meets(person) and person[of] is not None]
    total = sum((weight for _, weight in counted), Fraction(0))
    if not total:
        assert found.expected is None
    else:
        assert found.expected == pytest.approx(float(sum(value * float(weight) for value, weight in counted) / float(total)))


def test_a_row_that_only_may_count_is_taken_where_it_moves_the_mean() -> None:
    found = release(age=["5", "[1..3]"], income=[10, 40]).estimate("mean", "income", "age >= 3")
    assert (found.lowest, found.highest) == (10, 25)
    assert found.expected == pytest.approx((10 + 40 / 3) / (1 + 1 / 3))


def test_an_interval_of_numbers_is_spread_over_its_length() -> None:
    found = release(weight=["[2..6]", "4", "*"], income=[1, 2, 3])
    assert vars(found.estimate("count", where="weight > 3"))["expected"] == pytest.approx(0.75 + 1 + 5 / 8)
    exactly = found.estimate("count", where="weight == 3")
    assert (exactly.lowest, exactly.expected, exactly.highest) == (0, 0, 2)
    mean = found.estimate("mean", "weight", "weight >= 4")
    assert (mean.lowest, mean.highest) == (4, pytest.approx((6 + 4 + 8) / 3))
    assert mean.expected == pytest.approx((0.5 * 5 + 4 + 0.5 * 6) / 2)


def test_dates_are_days_and_a_part_of_the_calendar_reaches_to_the_end_of_the_domain() -> None:
    found = release(seen=["2024-01-31", "2024-02", "2024", "2024-Q1"], income=[1, 2, 3, 4])
    counted = found.estimate("count", where="seen >= 2024-02")
    assert (counted.lowest, counted.highest) == (1, 3)
    assert counted.expected == pytest.approx(1 + 30 / 61 + 30 / 61)  # 29 days of February and 1 March, of 61 days
    assert found.estimate("count", where="seen == 2024-01").lowest == 1
    assert found.estimate("count", where="seen > 2024-02 and seen <= 2024").expected == pytest.approx(2 / 61)
    assert found.estimate("count", where="seen in (2024-01, 2024-03-01)").highest == 3


def test_a_node_that_is_a_name_stands_for_the_numbers_under_it() -> None:
    found = release(era=["young", "old", "20", "*"], income=[1, 2, 3, 4])
    counted = found.estimate("count", where="era >= 30")
    assert (counted.lowest, counted.highest) == (1, 3)
    assert counted.expected == pytest.approx(0.5 + 1 + 41 / 51)
    assert found.estimate("count", where="era == young").lowest == 2
    assert found.estimate("mean", "era", "era == young").lowest == 20


def test_a_masked_column_tells_how_many_values_lie_under_a_mask_and_not_which() -> None:
    found = release(zip=["201", "20*", "2**", "*", "315"], income=[1, 2, 3, 4, 5])
    named = found.estimate("count", where="zip == 201")
    assert (named.lowest, named.expected, named.highest) == (1, pytest.approx(1 + 1 / 2 + 1 / 3 + 1 / 4), 4)
    others = found.estimate("count", where="zip != 201")
    assert (others.lowest, others.expected, others.highest) == (1, pytest.approx(1 / 2 + 2 / 3 + 3 / 4 + 1), 4)
    under = found.estimate("count", where="zip == '20*'")
    assert (under.lowest, under.expected, under.highest) == (2, pytest.approx(2 + 2 / 3 + 2 / 4), 4)
    with pytest.raises(InputRejected, match="several conditions"):
        found.estimate("count", where="zip != 201 and zip != 202")
    with pytest.raises(InputRejected, match="does not know"):
        found.estimate("count", where="zip == 999")


def test_sensitive_columns_are_as_they_were_published() -> None:
    columns = {
        "age": ["1", "2", "3"],
        "ill=flu": ["1", "0", None],
        "school": ["primary", "secondary", None],
        "m1": [0.5, 1.5, None],
        "m2": [1, 2, None],
        "born": ["2024-01-01", "2024-02-01", "2024-03-01"],
        "job": ["a b", 'c"d', "x|y"],
    }
    found = release(**columns)
    for where, rows in {
        "ill has flu": 1,
        '"ill=flu" == 0': 1,
        '"ill=flu" is missing': 1,
        "school >= secondary": 1,
        "m1 > 1 and m2 == 2": 1,
        "born < 2024-02": 1,
        'job in ("a b", \'c"d\')': 2,
        "job == x|y": 1,
        "": 3,
    }.items():
        counted = found.estimate("count", where=where)
        assert (counted.lowest, counted.expected, counted.highest) == (rows, rows, rows), where
    assert found.estimate("mean", "m1").expected == 1
    assert found.estimate("mean", "ill=flu").expected == 0.5


def test_a_mean_that_nobody_is_expected_to_count_for_has_no_expected_value() -> None:
    found = release(weight=["[2..6]"], income=[7]).estimate("mean", "income", "weight == 3")
    assert (found.lowest, found.expected, found.highest) == (7, None, 7)


def test_suppressed_rows_are_said_and_not_guessed() -> None:
    columns = {"age": ["1", "2"], "income": [1, 2]}
    found = release(suppressed=3, **columns).estimate("count")
    assert (found.lowest, found.highest, found.rows, found.suppressed) == (2, 2, 2, 3)
    assert found.notes == ("3 rows were suppressed and are in no table; these figures leave them out.",)
    assert release(suppressed=1, **columns).estimate("count").notes[0].startswith("1 row was suppressed and is in no table")
    assert "nobody checked that a row is a person" in release(people=False, **columns).estimate("count").notes[0]
    assert release(**columns).estimate("count").notes == ()


@pytest.mark.parametrize(
    ("measure", "of", "where", "message"),
    [
        ("median", None, "", "cannot be estimated"),
        ("mean", None, "", "A mean is of a column"),
        ("count", "income", "", "is of rows, not of a column"),
        ("mean", "town", "", "does not hold numbers"),
        ("mean", "seen", "", "does not hold numbers"),
        ("count", None, "town < north", "have no order"),
        ("count", None, "town == north-pole", "does not know"),
        ("count", None, "grade >= highest", "does not know"),
        ("count", None, "age >= old", "does not name a number"),
        ("count", None, "seen >= 3", "does not name a day"),
        ("count", None, "group == 1", "numbers are random"),
        ("count", None, "Age == 1", "Column 'Age' is not in"),
        ("mean", "income", "income is missing", "No published row"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_a_cure(measure: str, of: str | None, where: str, message: str) -> None:
    found = release(age=["1"], town=["north"], grade=["low"], seen=["2024"], income=["3"])
    with pytest.raises(InputRejected, match=message) as caught:
        found.estimate(measure, of, where, table="table-1")
    assert caught.value.cure
    assert "north-pole" not in str(caught.value)


def test_two_tables_are_never_asked_at_once() -> None:
    both = of_tables({"table-1": cells_of(age=["1"], income=[1]), "table-2": cells_of(age=["1"], job=["x"])})
    assert both.estimate("count", where="job == x and age == 1").table == "table-2"
    assert both.estimate("count", where="age == 1").table == "table-1"
    with pytest.raises(InputRejected, match="tables cannot be joined"):
        both.estimate("count", where="income == 1 and job == x")
    with pytest.raises(InputRejected, match="Column 'jab' is not in the release"):
        both.estimate("count", where="jab == x")
    with pytest.raises(InputRejected, match="no table 'table-3'"):
        both.estimate("count", table="table-3")


def weighted(columns: dict[str, list[str]], people: list[int]) -> Release:
    """A table with an insensitive column that says how many people each row stands for; and one without it."""
    quasi = {name: cells for name, cells in columns.items() if name in CELLS}
    tables = {"table-1": cells_of(**columns, wgt=people), "table-2": cells_of(**quasi, job=["x"] * len(people))}
    said = manifest(tables)
    said["promise"]["weight"] = {"name": "wgt", "published_as": None}
    said["tables"][0]["insensitive"] = ["wgt"]
    kinds = {"wgt": ColumnSpec("wgt", Kind.INTEGER, Role.INSENSITIVE)}
    return release_of(described(said), lambda table: tables[table.name], kinds)


@given(tables(), st.data())
def test_a_row_that_stands_for_three_people_counts_like_three_rows(columns: dict[str, list[str]], data: st.DataObject) -> None:
    where, _ = asked(data, columns)
    rows = len(columns["income"])
    people = data.draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows))
    repeated = {name: [cell for cell, times in zip(cells, people, strict=True) for _ in range(times)] for name, cells in columns.items()}
    each, all_of_them = weighted(columns, people), release(**repeated)
    for measure, of in (("count", None), ("share", None), ("mean", "income")):
        try:
            expected = all_of_them.estimate(measure, of, where)
        except InputRejected as refused:
            with pytest.raises(InputRejected, match=refused.message[:30]):
                each.estimate(measure, of, where, table="table-1")
            continue
        found = each.estimate(measure, of, where, table="table-1")
        assert (found.lowest, found.highest) == pytest.approx((expected.lowest, expected.highest))
        assert found.expected == (None if expected.expected is None else pytest.approx(expected.expected))


def test_an_estimate_says_whether_it_is_of_the_population_or_of_rows() -> None:
    found = weighted({"age": ["1", "2"], "income": ["10", "40"]}, [100, 20])
    here, elsewhere = found.estimate("count", where="income >= 20"), found.estimate("count", where="job == x")
    assert (here.expected, here.weight, here.table) == (20, "wgt", "table-1")
    assert (elsewhere.expected, elsewhere.weight, elsewhere.table) == (2, None, "table-2")
    assert any("as many people of the population as its weight says" in note for note in here.notes)
    assert any("Not weighted" in note for note in elsewhere.notes)


def test_the_mean_of_the_weights_counts_each_row_once() -> None:
    """It was weighted by itself: of 100 and 20 people it said 86.7, which is nobody's mean."""
    found = weighted({"age": ["1", "2"], "income": ["10", "40"]}, [100, 20])
    mean = found.estimate("mean", "wgt", table="table-1")
    assert (mean.lowest, mean.expected, mean.highest, mean.weight) == (60, 60, 60, None)
    assert any("each row counts once here" in note for note in mean.notes)
    assert found.estimate("mean", "income", table="table-1").expected == 15


def test_a_mean_without_a_column_names_those_that_the_release_has() -> None:
    """It named an income, whatever the columns were."""
    for table in (None, "table-1"):
        with pytest.raises(InputRejected) as caught:
            release(age=["1"], kids=["3"], town=["north"]).estimate("mean", table=table)
        assert caught.value.cure == "Name the column whose mean you want as `of`: 'age' or 'kids'."
    with pytest.raises(InputRejected) as caught:
        release(town=["north"], job=["x"]).estimate("mean")
    assert "No column holds numbers" in caught.value.cure
