"""What a frame says of its own columns."""

from __future__ import annotations

import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column, check_text_names, given_hierarchy, inferred_kind, inferred_spec


def test_numbers_are_numbers_and_all_else_is_a_category_unless_said_otherwise() -> None:
    assert inferred_kind(pd.Series([1, 2]), "x", {}) is Kind.NUMBER
    assert inferred_kind(pd.Series([True, False]), "x", {}) is Kind.CATEGORY
    assert inferred_kind(pd.Series(["a"]), "x", {}) is Kind.CATEGORY
    assert inferred_kind(pd.Series([1, 2]), "x", {"x": "category"}) is Kind.CATEGORY
    with pytest.raises(InputRejected, match="kind of 'x' is unknown"):
        inferred_kind(pd.Series([1]), "x", {"x": "colour"})


def test_the_levels_of_an_ordinal_are_those_of_an_ordered_categorical() -> None:
    cells = pd.Series(pd.Categorical(["low", "high"], categories=["low", "middle", "high"], ordered=True))
    assert inferred_spec(cells, "x", Role.SENSITIVE, {"x": "ordinal"}, {}).levels == ("low", "middle", "high")
    with pytest.raises(InputRejected, match="levels of 'x' are not known"):
        inferred_spec(pd.Series(["low"]), "x", Role.SENSITIVE, {"x": "ordinal"}, {})


def test_a_harmless_value_is_written_as_the_encoder_writes_it() -> None:
    assert inferred_spec(pd.Series([1, 2]), "x", Role.SENSITIVE, {}, {}, [2.0, None]).nonsensitive == {"2", None}


def test_a_hierarchy_comes_as_rows_or_as_a_frame_and_nothing_else() -> None:
    rows = [["a", "A", "*"], ["b", "A", "*"]]
    cells = pd.Series(["a", "b"])
    for given in (rows, pd.DataFrame(rows)):
        hierarchy = given_hierarchy(given, cells, Kind.CATEGORY, "x")
        assert hierarchy is not None
        assert hierarchy.leaves.tolist() == ["a", "b"]
    with pytest.raises(InputRejected, match="hierarchy of 'x'"):
        given_hierarchy("a;A;*", cells, Kind.CATEGORY, "x")


def test_a_name_that_is_absent_is_cured_by_the_one_that_is_near() -> None:
    assert "Did you mean 'age'?" in str(absent_column("agee", ["age", "sex"], "the frame"))
    with pytest.raises(InputRejected, match="name"):
        check_text_names(["0"], [0, 1])


def test_a_name_in_the_wrong_case_is_named_rightly() -> None:
    assert absent_column("age", ["AGE", "aged"], "the table").cure == "Did you mean 'AGE'? Names are case-sensitive."
    assert absent_column("age", ["aged"], "the table").cure == "Did you mean 'aged'?"


def test_widths_of_a_date_are_years_and_no_listed_hierarchy() -> None:
    cells = pd.Series(["1983-05-01", "1984-02-03"])
    spec = inferred_spec(cells, "born", Role.QUASI, {"born": "date"}, {"born": {"widths": [4, 8]}})
    assert (spec.hierarchy, spec.year_bands) == (None, (4, 8))
    assert inferred_spec(cells, "born", Role.QUASI, {"born": "date"}, {}).year_bands == (5, 10, 20)
    for wrong in ({"widths": [4, 6]}, {"widths": []}, {"mask": 2}):
        with pytest.raises(InputRejected, match="how many years"):
            inferred_spec(cells, "born", Role.QUASI, {"born": "date"}, {"born": wrong})
