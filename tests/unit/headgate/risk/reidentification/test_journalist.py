"""The journalist against a population table, by comparing every record with every individual."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import publish_form
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.reidentification.journalist import journalist_frames, journalist_risk
from headgate.risk.reidentification.prosecutor import reidentification

PEOPLE = st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.sampled_from([None, "x", "y"])), min_size=1, max_size=12)
AGES = st.lists(st.integers(0, 9), min_size=1, max_size=12)


@settings(max_examples=50, deadline=None)
@given(PEOPLE, PEOPLE)
def test_a_record_hides_among_all_who_fit(released: list[tuple[Any, ...]], population: list[tuple[Any, ...]]) -> None:
    found = journalist_frames(
        pd.DataFrame(released, columns=["q", "r"], dtype=object), pd.DataFrame(population, columns=["q", "r"], dtype=object), ["q", "r"]
    )
    fits = [
        sum(all(a is None or b is None or a == b for a, b in zip(row, person, strict=True)) for person in population) for row in released
    ]
    risks = [1 / fit if fit else 0.0 for fit in fits]
    assert found.consistent.tolist() == fits
    assert found.risk.per_row.tolist() == risks
    assert found.risk.max == max(risks)
    assert found.risk.mean == pytest.approx(sum(risks) / len(risks))
    assert found.unmatched == pytest.approx(fits.count(0) / len(fits))
    assert found.smaller == pytest.approx(sum(fit < released.count(row) for fit, row in zip(fits, released, strict=True)) / len(released))


@settings(max_examples=30, deadline=None)
@given(AGES, AGES, st.integers(1, 4))
def test_a_generalized_record_hides_among_the_people_of_its_interval(ages: list[int], others: list[int], k: int) -> None:
    """The population holds everyone who was released and others: nobody is easier to find than for a prosecutor."""
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 9)), "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"age": ages, "ill": "flu"}), specs)
    groups = np.argsort(np.argsort(ages, kind="stable"), kind="stable") // k
    published = publish_form(table, groups, "one", ("ill",))
    everyone = encode_dictionary(pd.DataFrame({"age": ages + others}), {"age": table["age"]}, ["age"])
    found = journalist_risk(published, everyone, threshold="0.4")
    spans = [(min(inside), max(inside)) for inside in ([a for a, g in zip(ages, groups, strict=True) if g == group] for group in groups)]
    fits = [sum(low <= age <= high for age in ages + others) for low, high in spans]
    assert found.consistent.tolist() == fits
    assert found.risk.max == 1 / min(fits)
    assert found.risk.at_risk == pytest.approx(sum(1 / fit > 0.4 for fit in fits) / len(fits))
    assert (found.unmatched, found.smaller) == (0.0, 0.0)
    assert (found.risk.per_row <= reidentification(published.classes()).per_row + 1e-12).all()
    assert found.risk.short_of(0.4).met == all(1 / fit <= 0.4 for fit in fits)


def test_a_population_without_the_released_people_is_told() -> None:
    released = pd.DataFrame({"q": ["a", "a", "b"]}, index=[7, 7, 1])
    found = journalist_frames(released, pd.DataFrame({"q": ["a", "c"], "name": ["x", "y"]}), ["q"], key="name")
    assert (found.unmatched, found.smaller) == (pytest.approx(1 / 3), 1.0)


def test_fields_that_the_population_lacks_and_a_repeated_key_are_refused() -> None:
    released = pd.DataFrame({"q": ["a"], "r": ["b"]})
    with pytest.raises(InputRejected, match="'r' is not in the dictionary"):
        journalist_frames(released, pd.DataFrame({"q": ["a"]}), ["q", "r"])
    with pytest.raises(InputRejected, match="missing or repeated"):
        journalist_frames(released, pd.DataFrame({"q": ["a", "a"], "name": ["x", "x"]}), ["q"], key="name")
    with pytest.raises(InputRejected, match="no rows"):
        journalist_frames(released, pd.DataFrame({"q": []}), ["q"])
    with pytest.raises(InputRejected, match="at least one field"):
        journalist_frames(released, pd.DataFrame({"q": ["a"]}), [])


def test_an_empty_text_is_a_missing_cell_and_one_group_with_the_others() -> None:
    released = pd.DataFrame({"q": ["a", "", None, ""]}, dtype=object)
    found = journalist_frames(released, pd.DataFrame({"q": ["a", "b"]}), ["q"])
    assert sorted(found.risk.figure.sizes[0].tolist()) == [1, 3]
    assert found.smaller == 0.75  # three records without a value, and two people
