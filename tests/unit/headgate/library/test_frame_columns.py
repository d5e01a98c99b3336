"""Frames as the measures take them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import headgate as hg
from headgate.core.errors import InputRejected

FRAME = pd.DataFrame({"age": [1, 1, 2, 2], "sex": ["f", "f", "m", None], "group": [7, 7, 7, 9], "ill": ["a", "b", "a", "a"]})


def test_rows_with_equal_quasi_identifiers_are_one_class_and_missing_is_a_value() -> None:
    (codes,) = hg.classes(FRAME, ["age", "sex"])
    assert len(np.unique(codes)) == 3
    assert codes[0] == codes[1]


def test_groups_by_number_stand_beside_those_by_values_only_where_each_has_one_combination() -> None:
    by_number = hg.classes(FRAME, ["age", "sex"], group="group")
    assert [codes.tolist() for codes in by_number] == [[0, 0, 0, 1]]
    published = FRAME.assign(age=1, sex="*")
    assert [codes.tolist() for codes in hg.classes(published, ["age", "sex"], group="group")] == [[0, 0, 0, 1], [0, 0, 0, 0]]


def test_a_table_has_the_roles_and_the_harmless_values_that_are_named() -> None:
    table = hg.table(FRAME, quasi=["age"], sensitive=["ill"], kinds={"age": "integer"}, nonsensitive={"ill": ["a"]})
    assert (table.quasi, table.sensitive) == (("age",), ("ill",))
    assert table["age"].kind is hg.Kind.INTEGER
    assert table["ill"].sensitive.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: hg.encode(FRAME, "agee"), "Did you mean 'age'"),
        (lambda: hg.classes(FRAME, ["seks"]), "not in the table"),
        (lambda: hg.table(FRAME, quasi=["age"], kinds={"ill": "category"}), "neither a quasi-identifier nor sensitive"),
        (lambda: hg.table(FRAME, quasi=["age", "age"]), "named twice"),
        (lambda: hg.encode(FRAME, "age", kinds={"age": "vector"}), "one column, not a vector"),
    ],
)
def test_names_that_are_not_there_are_refused(call, reason: str) -> None:
    with pytest.raises(InputRejected, match=reason):
        call()


PEOPLE = 6
ZONED = pd.date_range("2024-01-01", periods=PEOPLE, tz="Europe/Berlin")
NESTED = {"list": [["a"], ["b"]] * 3, "struct": [{"a": 1}, {"a": 2}] * 3, "map": [[("a", 1)], [("b", 2)]] * 3}
ARROW = {"list": pa.list_(pa.string()), "struct": pa.struct([("a", pa.int64())]), "map": pa.map_(pa.string(), pa.int64())}
REFUSED = {
    **{f"Arrow {name}": (pd.Series(cells, dtype=pd.ArrowDtype(ARROW[name])), "lists or other objects") for name, cells in NESTED.items()},
    "tuples": (pd.Series([(1, 2), (2, 3)] * 3), "lists or other objects"),
    "bytes": (pd.Series([b"a", b"b"] * 3), "bytes instead of text"),
    "Arrow bytes": (pd.Series([b"a", b"b"] * 3, dtype=pd.ArrowDtype(pa.binary())), "bytes instead of text"),
    "NUL": (pd.Series(["a\0", "a"] * 3), "a NUL character"),
    "complex": (pd.Series(np.arange(PEOPLE) + 1j), "complex numbers"),
    "complex objects": (pd.Series([1 + 2j, 1 + 3j] * 3, dtype=object), "complex numbers"),
    "zoned": (pd.Series(ZONED), "timestamps with a time zone"),
    "zoned objects": (pd.Series([ZONED[0], ZONED[1].tz_convert("UTC")] * 3, dtype=object), "timestamps with a time zone"),
    "zoned Arrow": (pd.Series(ZONED).astype(pd.ArrowDtype(pa.timestamp("ns", "Europe/Berlin"))), "timestamps with a time zone"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_cells_that_would_be_changed_in_silence_are_refused_in_one_sentence(what: str) -> None:
    """Some ended in a traceback; of others a part was dropped: the imaginary part, what follows a NUL, the zone in which a day is a day."""
    cells, said = REFUSED[what]
    others = pd.Series(list("abcabc"))
    for frame in (pd.DataFrame({"age": cells, "s": others}), pd.DataFrame({"age": others, "s": cells})):
        for call in (lambda: hg.check(frame, ["age"], ["s"]), lambda: hg.xcolor(frame, ["age"], ["s"], k=2, epsilon=0, delta=0)):  # noqa: B023
            with pytest.raises(InputRejected, match=said) as refused:
                call()
            assert refused.value.cure


def test_a_domain_wider_than_the_largest_float_is_refused() -> None:
    """Its width was infinite, and so no two numbers were ever apart."""
    frame = pd.DataFrame({"age": range(4), "pay": [-1.7e308, 0.0, 1.0, 1.7e308]})
    for call in (lambda: hg.check(frame, ["age"], ["pay"], epsilon=0.1), lambda: hg.mondrian(frame, ["pay"], k=2)):
        with pytest.raises(InputRejected, match="wider than the largest number") as refused:
            call()
        assert "Divide" in refused.value.cure


@pytest.mark.parametrize(("cells", "ways"), [([" ", "\t", "", None], 4), ([" ", None, None, "a"], 2), ([" ", "", "a", "b"], 2)])
def test_empty_cells_of_a_quasi_identifier_have_one_spelling(cells: list[str | None], ways: int) -> None:
    """Groups that only blanks, tabs and missing cells kept apart were counted as several, and by the methods as one."""
    frame = pd.DataFrame({"job": cells, "s": list("abab")})
    with pytest.raises(InputRejected, match=f"Empty cells of 'job' are spelled in {ways} ways"):
        hg.check(frame, ["job"], ["s"])
    cured = frame.assign(job=frame["job"].replace(r"^\s*$", None, regex=True))
    assert hg.check(cured, ["job"], ["s"]).groups == cured["job"].nunique(dropna=False)
