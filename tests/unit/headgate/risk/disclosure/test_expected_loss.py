"""Disclosure risk against brute force over record × individual pairs, and the paper's theorems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import publish_form
from headgate.risk.candidates import consistency
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.disclosure.expected_loss import disclosure, disclosure_risk
from headgate.risk.disclosure.sensitivity import Sensitivity

TREE = [["Rome", "Italy", "*"], ["Milan", "Italy", "*"], ["Lyon", "France", "*"]]


SPECS = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 100)),
    "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(TREE, "town")),
    "born": ColumnSpec("born", Kind.DATE, Role.QUASI),
    "eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI),
    "level": ColumnSpec("level", Kind.ORDINAL, Role.QUASI, levels=("low", "middle", "high")),
    "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE),
}


PEOPLE = st.lists(
    st.tuples(
        st.sampled_from([None, 20, 21, 30, 45]),
        st.sampled_from([None, "Rome", "Milan", "Lyon"]),
        st.sampled_from([None, "2025-01-01", "2025-01-20", "2025-03-01", "2024-05-05"]),
        st.sampled_from([None, "blue", "brown", "green"]),
        st.sampled_from([None, "low", "middle", "high"]),
        st.sampled_from([None, "flu", "cold"]),
    ),
    min_size=1,
    max_size=14,
)


def consistent_by_hand(text: str, cell: Any, name: str) -> bool:
    """Whether an individual's cell fits a published text, for this test's values only."""
    if text in ("", "*") or cell is None:
        return True
    if text.startswith("["):
        low, high = text[1:-1].split("..")
        if name == "level":
            levels = ["low", "middle", "high"]
            return cell in levels and levels.index(low) <= levels.index(cell) <= levels.index(high)
        return int(low) <= int(str(cell)[:4] if name == "born" else cell) <= int(high)
    if text.startswith("{"):
        return text.startswith("{|") or str(cell) in text[1:-1].split("|")
    if name == "town":
        return any(row[0] == cell and text in row for row in TREE) or text == cell
    if name == "born":
        return cell.startswith(text) or text == f"{cell[:4]}-Q{(int(cell[5:7]) + 2) // 3}"
    return str(cell) == text


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(PEOPLE, PEOPLE, st.integers(1, 4), st.sampled_from([("age", "town"), ("born", "eye"), tuple(list(SPECS)[:5]), ("town",)]))
def test_consistent_individuals_are_those_of_the_definition(
    rows: list[tuple[Any, ...]], others: list[tuple[Any, ...]], count: int, fields: tuple[str, ...]
) -> None:
    table = encode_table(pd.DataFrame(rows, columns=list(SPECS), dtype=object), SPECS)
    groups = np.unique(np.arange(len(rows)) % count, return_inverse=True)[1]
    published = publish_form(table, groups, "one", ("ill",))
    people = pd.DataFrame([*others, (99, "Atlantis", "1999-01-01", "red", "odd", None)], columns=list(SPECS), dtype=object)
    dictionary = encode_dictionary(people, {name: table[name] for name in fields}, fields)
    found = disclosure(published, dictionary, fields, Sensitivity.multiplicative({"ill": 1.5, "age": 0.5}))
    for row in range(published.rows):
        texts = {name: published.cells[name].texts[published.cells[name].codes[row]] for name in fields}
        wanted = sum(all(consistent_by_hand(texts[name], person[name], name) for name in fields) for person in people.to_dict("records"))
        assert found.consistent[row] == wanted
        age = published.cells["age"].texts[published.cells["age"].codes[row]]
        weight = (1.5 if rows[row][5] is not None else 0) + (0.5 if age not in ("", "*") else 0)
        assert found.per_record[row] == pytest.approx(math.exp(weight) / wanted if wanted else 0.0)
    assert found.mean == pytest.approx(np.mean(found.per_record))
    assert found.max == found.per_record.max()
    assert found.unmatched == (found.consistent == 0).mean()


@settings(max_examples=30, deadline=None)
@given(PEOPLE, st.integers(1, 5))
def test_theorem_three_k_anonymity_bounds_the_loss_by_c_over_k(rows: list[tuple[Any, ...]], k: int) -> None:
    """Φ ≡ c, θ = T: |ρ| ≥ k ⇒ ℓ ≤ c/k, |ρ| < k ⇒ ℓ > c/k."""
    table = encode_table(pd.DataFrame(rows, columns=list(SPECS), dtype=object), SPECS)
    published = publish_form(table, np.arange(len(rows)) // k, "one", ("ill",))
    found = disclosure(published, table.columns, table.quasi, Sensitivity.fixed(3.0))
    assert (found.consistent >= np.bincount(published.group)[published.group]).all()
    assert ((found.consistent >= k) == (found.per_record <= 3.0 / k + 1e-12)).all()


CELLS = st.sampled_from([None, "a", "b", "c"])


FRAMES = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8)


def frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["x", "y", "z"], dtype=object)


@settings(max_examples=40, deadline=None)
@given(FRAMES, FRAMES, st.integers(0, 2), st.integers(0, 7))
def test_suppressing_a_cell_never_raises_the_loss_unless_nobody_was_consistent(
    rows: list[tuple[Any, ...]], people: list[tuple[Any, ...]], column: int, row: int
) -> None:
    weights = Sensitivity.additive({"x": 1, "y": 2, "z": 3})
    before = disclosure_risk(frame(rows), frame(people), ["x", "y", "z"], weights)
    less = [list(cells) for cells in rows]
    less[row % len(rows)][column] = None
    after = disclosure_risk(frame([tuple(cells) for cells in less]), frame(people), ["x", "y", "z"], weights)
    assert ((after.per_record <= before.per_record + 1e-12) | (before.consistent == 0)).all()


@settings(max_examples=40, deadline=None)
@given(FRAMES, FRAMES, st.data())
def test_theorem_one_the_estimated_risk_bounds_the_true_one(
    rows: list[tuple[Any, ...]], more: list[tuple[Any, ...]], draw: st.DataObject
) -> None:
    """θ̂ holds everyone in T exactly; θ_true has fewer attributes of them, and more people."""
    full = [tuple(cell or "c" for cell in cells) for cells in rows]
    gaps = [tuple(draw.draw(st.sampled_from([cell, None])) for cell in cells) for cells in full]
    released = frame(rows)
    sensitivity = Sensitivity.multiplicative({"x": 0.5})
    estimated = disclosure_risk(released, frame(full), ["x", "y", "z"], sensitivity)
    true = disclosure_risk(released, frame(gaps + more), ["x", "y", "z"], sensitivity)
    assert (true.per_record <= estimated.per_record + 1e-12).all()


def test_a_released_frame_may_hold_plain_and_generalized_cells() -> None:
    released = pd.DataFrame(
        {"age": ["[20..29]", "30", None, "*"], "sex": ["f", "m", "f", "{f|m}"], "ill": ["flu", None, "*", "cold"]}, index=list("dcba")
    )
    people = pd.DataFrame({"age": [20, 25, 30, None], "sex": ["f", "m", "m", "f"], "name": list("abcd")})
    found = disclosure_risk(released, people, ["age", "sex"], Sensitivity.multiplicative({"ill": math.log(8)}), key="name")
    assert found.consistent.tolist() == [2, 1, 2, 4]
    assert found.per_record.tolist() == pytest.approx([4, 1, 0.5, 2])
    assert (found.mean, found.max) == pytest.approx((7.5 / 4, 4))


def test_a_node_needs_its_hierarchy_to_be_matched() -> None:
    released, towns = pd.DataFrame({"town": ["Italy", "Lyon", "*"]}), pd.DataFrame({"town": ["Rome", "Milan", "Lyon", "Oslo"]})
    tree = Hierarchy.from_rows(TREE, "town")
    found = disclosure_risk(released, towns, ["town"], Sensitivity.fixed(), hierarchies={"town": tree})
    assert found.consistent.tolist() == [2, 1, 4]
    blind = disclosure_risk(released, towns, ["town"], Sensitivity.fixed())
    assert (blind.consistent.tolist(), blind.unmatched) == ([0, 1, 4], pytest.approx(1 / 3))
    ages = Hierarchy.from_rows([[str(age), "young" if age < 3 else "old", "*"] for age in range(6)], "age")
    people = pd.DataFrame({"age": [1, 2, 4, 77]})
    grown = disclosure_risk(pd.DataFrame({"age": ["young", "4", "*"]}), people, ["age"], Sensitivity.fixed(), hierarchies={"age": ages})
    assert grown.consistent.tolist() == [2, 1, 4]


def test_numbers_match_by_value_and_index_labels_mean_nothing() -> None:
    released = pd.DataFrame({"age": [20.0, 30.5]}, index=[5, 5])
    people = pd.DataFrame({"age": [30.5, 20, 20]}, index=[1, 1, 0])
    assert disclosure_risk(released, people, ["age"], Sensitivity.fixed()).consistent.tolist() == [2, 1]


def test_blanks_around_a_released_text_hide_nobody() -> None:
    """A dictionary's texts are read without them; a release whose ' a' fitted nobody seemed to be no risk at all."""
    people = pd.DataFrame({"x": [" a", "b"]})
    assert disclosure_risk(pd.DataFrame({"x": [" a", "b ", " "]}), people, ["x"], Sensitivity.fixed()).consistent.tolist() == [1, 1, 2]


def test_a_dictionary_with_a_repeated_key_is_refused() -> None:
    released, people = pd.DataFrame({"x": ["a"]}), pd.DataFrame({"x": ["a", "b"], "id": [1, 1]})
    with pytest.raises(InputRejected, match="repeated"):
        disclosure_risk(released, people, ["x"], Sensitivity.fixed(), key="id")
    with pytest.raises(InputRejected, match="Did you mean 'x'|not in the"):
        disclosure_risk(released, people, ["xx"], Sensitivity.fixed())


def test_counts_do_not_depend_on_how_many_individuals_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    people = pd.DataFrame({"x": rng.integers(0, 5, 1000), "y": rng.integers(0, 3, 1000)})
    released = people.drop_duplicates()
    at_once = disclosure_risk(released, people, ["x", "y"], Sensitivity.fixed()).consistent
    monkeypatch.setattr(consistency, "_BITS_AT_ONCE", 1)
    assert disclosure_risk(released, people, ["x", "y"], Sensitivity.fixed()).consistent.tolist() == at_once.tolist()
    assert at_once.tolist() == [int(((people.x == row.x) & (people.y == row.y)).sum()) for row in released.itertuples()]


def test_a_register_finds_values_with_blanks_around_them() -> None:
    """A flat category is published as it is, blanks and all, but the register's cells were stripped: nobody in it fitted ' blue', so the
    rows that are ' blue' and easily found counted as no risk at all."""
    specs = {"eye": ColumnSpec("eye", Kind.CATEGORY, Role.QUASI)}
    table = encode_table(pd.DataFrame({"eye": [" blue", " blue", "brown"]}), specs)
    register = encode_dictionary(pd.DataFrame({"eye": [" blue", "brown", "brown ", "grey "]}), table.columns, ["eye"])
    risk = disclosure(publish_form(table, np.array([0, 0, 1]), "t", ()), register, ["eye"], Sensitivity.fixed())
    assert risk.consistent.tolist() == [1, 1, 2]
