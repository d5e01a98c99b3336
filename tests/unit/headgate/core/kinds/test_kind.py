"""A kind from outside the tree works everywhere once it is in the list; and no other file decides by kind without a reason."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.cells import Interval, Single, format_interval
from headgate.core.kinds.kind import RULES, Kind
from headgate.core.kinds.kind_rules import LINE, SPAN, Coded, KindRules
from headgate.core.spelling import sorted_unique

ROOT = Path(__file__).resolve().parents[5]
# Files that name a kind, beside headgate/core/kinds. A new kind changes tasks/tables/published_cells.py, which by design shares no code
# with the rules, and tasks/reading/identifiers.py if a file does not write its values plainly.
IMPORTS_KIND = re.compile(r"from headgate\.core\.[\w.]+ import (\([^)]*|[^\n(]*)\bKind\b")
NAME_A_KIND = {
    "headgate/core/household_column.py": "numbers of households are whole numbers",
    "headgate/core/frame_specs.py": "numbers are NUMBER, all else CATEGORY, where nobody says more",
    "headgate/principles/n_t_closeness.py": "numbers become the levels of an ordinal",
    "headgate/projection/bitmap.py": "sets become binary categories",
    "headgate/released/released_tables.py": "components are numbers; insensitive columns are texts where nobody says more",
    "headgate/risk/candidates/consistency.py": "levels with a hierarchy are read as its leaves",
    "headgate/risk/disclosure/expected_loss.py": "stamps are dates",
    "headgate/risk/suppression/min_risk.py": "a column of no dictionary is a category",
    "headgate/series/kept_version.py": "days are written as days",
    "headgate/series/with_earlier.py": "values of several versions are categories, where no distance compares them",
    "policies/changes/reader_changes.py": "levels are in an order, values are not",
    "policies/drafting/column_roles.py": "what a draft guesses from a profile",
    "policies/drafting/policy_draft.py": "what a draft says of a guess",
    "policies/drafting/drafted_coding.py": "numbers are drafted rounded",
    "policies/drafting/draft_rows.py": "numbers and days are ordered, whatever they are sorted by",
    "policies/gates/uniqueness.py": "numbers are told apart by their last digit",
    "policies/schema/attribute.py": "a sensitive set must list its values",
    "policies/schema/coherence.py": "similarity is of categories; a set stands for its bits",
    "policies/schema/policy.py": "the sets of a policy",
    "policies/schema/rows_key.py": "which rule can make one cell of several of a kind",
    "policies/sealed/specs.py": "a set is published as bits; what is dropped is never encoded",
    "tasks/reading/identifiers.py": "how sets and dates are written in a file",
    "tasks/reading/one_row_per_person.py": "a set is made of its members",
    "tasks/reporting/data_dictionary.py": "an attribute without a kind is a category",
    "tasks/tables/published_cells.py": "the reader's side of generalization",
    "tasks/tables/published_ends.py": "the reader's side of the ends of cells",
    "tasks/tables/read_published.py": "insensitive columns are read again as texts",
    "tasks/verification/claims.py": "insensitive columns are read again as texts",
}


class Letter(KindRules):
    """One of a to z, in the order of the alphabet."""

    ordered = True
    compared_as = "letter"

    def code(self, codes: Any, distinct: Any, spec: Any) -> Coded:
        return Coded(*sorted_unique(*self.as_texts(codes, distinct)))

    def domain(self, codes: Any, values: Any, spec: Any) -> tuple[float, float]:
        return 0.0, 25.0

    def points(self, column: Any) -> Any:
        return np.array([float(ord(value) - ord("a")) for value in column.values])

    def shares_of_line(self, column: Any) -> Any:
        return self.points(column) / 25

    def component(self, column: Any, power: float) -> Any:
        return LINE, self.points(column) / 25

    def shape(self, column: Any) -> int:
        return SPAN

    def between(self, column: Any, low: int, high: int) -> tuple[str, float]:
        ends = str(column.values[low]), str(column.values[high])
        return (ends[0], 0.0) if low == high else (format_interval(*ends), (ord(ends[1]) - ord(ends[0])) / 25)

    def stretch(self, cell: Single | Interval, reader: Any) -> tuple[float, float]:
        ends = (cell.label, cell.label) if isinstance(cell, Single) else (cell.low, cell.high)
        return float(ord(ends[0]) - ord("a")), float(ord(ends[1]) - ord("a"))

    def cell_loss(self, cell: Single | Interval, reader: Any) -> float:
        low, high = self.stretch(cell, reader)
        return (high - low) / 25


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The word "letter" beside the others, as a line in `kind.py` would put it."""
    word = str.__new__(Kind, "letter")
    word._value_, word._name_ = "letter", "LETTER"
    monkeypatch.setitem(Kind._value2member_map_, "letter", word)
    monkeypatch.setitem(RULES, word, Letter())


@pytest.mark.usefixtures("letters")
def test_a_new_kind_is_grouped_published_measured_and_read_again() -> None:
    draw = np.random.default_rng(3)
    frame = pd.DataFrame({"initial": draw.choice(list("abcdefghwxyz"), 200), "grade": draw.choice(list("abcz"), 200)})
    kinds = {"initial": "letter", "grade": "letter"}
    partition = hg.mondrian(frame, quasi=["initial"], sensitive=["grade"], k=20, epsilon=0.1, delta=0.2, kinds=kinds)
    released = partition.release(frame)
    cells = set(released["initial"])
    assert all(re.fullmatch(r"[a-z]|\[[a-z]\.\.[a-z]\]", cell) for cell in cells)
    assert len(cells) > 1

    table = hg.table(frame, quasi=["initial"], sensitive=["grade"], kinds=kinds)
    published = hg.publish_form(table, partition.groups, "t", ["grade"])
    ends = {cell: (cell[1], cell[4]) if cell.startswith("[") else (cell, cell) for cell in cells}
    widths = [(ord(ends[cell][1]) - ord(ends[cell][0])) / 25 for cell in released["initial"]]
    assert hg.information_loss(published, table.columns).ncp == pytest.approx(np.mean(widths))

    register = pd.DataFrame({"initial": list("aabbcdeghxyz")})
    found = hg.disclosure_risk(released, register, ["initial"], hg.Sensitivity.fixed(), kinds={"initial": "letter"})
    held = [sum(low <= letter <= high for letter in register["initial"]) for low, high in (ends[cell] for cell in released["initial"])]
    assert found.consistent.tolist() == held


@pytest.mark.usefixtures("letters")
def test_a_new_kind_is_measured_as_numbers_at_the_same_places_are() -> None:
    draw = np.random.default_rng(4)
    frame = pd.DataFrame({"q": draw.integers(0, 4, 60), "grade": ["a", "z", *draw.choice(list("acdyz"), 58)]})
    places = frame.assign(grade=[ord(letter) - ord("a") for letter in frame["grade"]])
    as_letters = hg.check(frame, quasi=["q"], sensitive=["grade"], epsilon=0.1, kinds={"grade": "letter"})
    as_numbers = hg.check(places, quasi=["q"], sensitive=["grade"], epsilon=0.1)
    assert as_letters.sensitive["grade"].closeness == pytest.approx(as_numbers.sensitive["grade"].closeness)
    assert as_letters.proximity == as_numbers.proximity


def test_every_kind_has_rules_of_its_own() -> None:
    assert set(RULES) == set(Kind)
    assert len({type(rules) for rules in RULES.values()}) == len(Kind)


def test_nothing_else_decides_by_kind_without_a_reason() -> None:
    """A new kind is a file beside the others and a line in `kind.py`."""
    naming = {
        str(path.relative_to(ROOT))
        for room in ("headgate", "policies", "tasks", "flows")
        for path in (ROOT / room).rglob("*.py")
        if IMPORTS_KIND.search(text := path.read_text("utf-8")) and re.search(r"\bKind\.[A-Z]", text)
    }
    assert {path for path in naming if not path.startswith("headgate/core/kinds/")} == set(NAME_A_KIND)
