from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tasks.reading.identifiers as room
from headgate.core.columns import Column, Kind, Table
from headgate.core.errors import CellsRejected, InputRejected
from tasks.reading.identifiers import IdentifierValues, check_copies, check_identifiers, texts_of_values

NAMES = st.lists(st.sampled_from(["a", " a", "a ", "b", "ab", "", None, "c", "d", "e"]), min_size=1, max_size=9)


def refused_rows(texts: list[str | None]) -> tuple[list[int], list[int]]:
    """Without an identifier, and with one that a row above has."""
    keys = [(text or "").strip() for text in texts]
    return [row for row, key in enumerate(keys) if not key], [row for row, key in enumerate(keys) if key in keys[:row]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, st.booleans())
def test_a_row_without_an_identifier_or_with_that_of_a_row_above_is_refused(monkeypatch, texts, same_hash) -> None:
    """Also where all hashes are equal: they only say which texts are compared."""
    monkeypatch.setattr(room, "AT_ONCE", 2)
    if same_hash:
        monkeypatch.setattr(room, "text_hashes", lambda ends, letters: np.zeros(len(ends) - 1, np.uint64))
    blank, again = refused_rows(texts)
    cells = {"person": pa.chunked_array([texts[:3], texts[3:]], pa.string())}
    if not blank and not again:
        check_identifiers(cells)
        return
    with pytest.raises(CellsRejected) as refusal:
        check_identifiers(cells)
    assert list(refusal.value.rows) == (blank or again)
    assert ("is missing" if blank else "is repeated") in refusal.value.message


def test_texts_that_are_identifiers_are_found_among_others_whichever_are_more() -> None:
    names = IdentifierValues({"person": pa.chunked_array([["p1", "p2"], ["p3"]]), "card": pa.chunked_array([["7", "8", "9"]])})
    assert names.among(["p3", "8", "x", "p"]) == {"p3", "8"}
    assert names.among([f"p{number}" for number in range(100)]) == {"p1", "p2", "p3"}
    assert names.among([]) == set()
    assert "person" in names
    assert "other" not in names
    assert "p1" not in repr(names)


def test_identifiers_are_told_some_at_a_time_and_without_blanks(monkeypatch) -> None:
    monkeypatch.setattr(room, "AT_ONCE", 2)
    names = IdentifierValues({"person": pa.chunked_array([[" p1"], ["p2 ", "p3"]])})
    assert list(names.some_at_a_time("person")) == [["p1", "p2"], ["p3"]]
    found = names.of("person")
    assert found is not None
    assert found.tolist() == ["p1", "p2", "p3"]


def column(kind: Kind, values: list[object], codes: list[int]) -> Column:
    made = np.array(values, dtype=None if kind.numeric else object)
    return Column("x", kind, np.array(codes, dtype=np.int32), made, np.ones(len(values) + 1, dtype=bool))


@pytest.mark.parametrize(
    ("kind", "values", "texts"),
    [
        (Kind.INTEGER, [-2, 0, 10**15], ["-2", "0", "1000000000000000"]),
        (Kind.NUMBER, [-0.5, 1e-07, 0.1, 7.0, 1e16], ["-0.5", "1e-07", "0.1", "7", "10000000000000000"]),
        (Kind.DATE, [0, 19723], ["1970-01-01", "2024-01-01"]),
        (Kind.CATEGORY, ["a", "p1"], ["a", "p1"]),
    ],
)
def test_a_column_is_compared_with_identifiers_by_what_it_says_in_a_file(monkeypatch, kind, values, texts) -> None:
    monkeypatch.setattr(room, "AT_ONCE", 3)
    monkeypatch.setattr(room, "COINCIDENCE", 4)
    rows = np.arange(8) % len(values)
    known = [texts[code] for code in rows]
    same = column(kind, values, rows.tolist())
    table = Table({"x": same}, ("x",), ())
    with pytest.raises(InputRejected, match="'x' equals identifier 'person' in 8 rows"):
        check_copies({"person": pa.chunked_array([known])}, table)
    others = [f"{text}.0" if row > 2 else text for row, text in enumerate(known)]  # another text for the same number is none
    check_copies({"person": pa.chunked_array([others])}, table)
    assert texts_of_values(same) == texts
