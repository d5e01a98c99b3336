"""What ε amounts to: the words, and that they are true of the distance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.alike import Ruler, alike, alike_alone
from headgate.core.columns import Column, Kind
from headgate.core.distance import Distance
from headgate.core.hierarchy import Hierarchy
from headgate.core.scale import Scale

PAY = Ruler("income", Kind.NUMBER, (0.0, 240_000.0))
AGE = Ruler("age", Kind.INTEGER, (0.0, 115.0))
DAY = Ruler("admitted", Kind.DATE, (19_358.0, 19_722.0))  # 2023
SCHOOL = Ruler("school", Kind.ORDINAL, (0.0, 4.0), steps=4)
JOB = Ruler("job", Kind.CATEGORY, steps=3)
LOG = Ruler("income", Kind.NUMBER, (1000.0, 100_000.0), scale=Scale.LOG)
ON_LOG = "(ε 0.5 of the domain 1,000 to 100,000, on the log scale)"
SHARED = "if, of the values that either has, at most 10 % are not shared"
PARTS = "(the mean difference of components)"


@pytest.mark.parametrize(
    ("ruler", "share", "sentence"),
    [
        (PAY, 0.1, "values of income are alike within 24,000 of each other (ε 0.1 of the domain 0 to 240,000)"),
        (PAY, 0.0, "values of income are alike only if they are equal (ε 0.0 of the domain 0 to 240,000)"),
        (PAY, 1.0, "values of income are alike whatever they are (ε 1.0 of the domain 0 to 240,000)"),
        (AGE, 0.1, "values of age are alike within 11 of each other (ε 0.1 of the domain 0 to 115)"),
        (DAY, 0.1, "values of admitted are alike within 36 days of each other (ε 0.1 of the domain 2023-01-01 to 2023-12-31)"),
        (DAY, 0.003, "values of admitted are alike within 1 day of each other (ε 0.003 of the domain 2023-01-01 to 2023-12-31)"),
        (DAY, 0.001, "values of admitted are alike only if they are the same day (ε 0.001 of the domain 2023-01-01 to 2023-12-31)"),
        (SCHOOL, 0.25, "values of school are alike within 1 level of each other (ε 0.25 of the 4 steps between its levels)"),
        (SCHOOL, 0.2, "values of school are alike only if they are equal (ε 0.2 of the 4 steps between its levels)"),
        (JOB, 0.4, "values of job are alike under the same node, at most 1 level up (ε 0.4 of the 3 levels of its hierarchy)"),
        (Ruler("sex", Kind.CATEGORY), 0.5, "values of sex are alike only if they are equal (ε 0.5)"),
        (LOG, 0.5, f"values of income are alike within a factor of 10 of each other {ON_LOG}"),
        (Ruler("ill", Kind.SET), 0.1, f"values of ill are alike {SHARED} (ε 0.1)"),
        (Ruler("mix", Kind.VECTOR, metric="lp"), 0.1, f"values of mix are alike up to 0.1 apart {PARTS} (ε 0.1)"),
    ],
)  # fmt: skip
def test_one_attribute_is_said_in_its_units(ruler: Ruler, share: float, sentence: str) -> None:
    assert alike([ruler], str(share), share) == sentence


def test_an_observed_range_is_said_by_its_width_since_its_ends_are_values() -> None:
    assert alike([Ruler("income", Kind.NUMBER, (812.0, 240_812.0), observed=True)], "0.1", 0.1).endswith(
        "within 24,000 of each other (ε 0.1 of the observed range, which is 240,000 wide)"
    )


def test_of_several_attributes_what_one_alone_may_differ_by_is_said() -> None:
    """Weights 2, 1 and a set of weight 1 in four bits: half, a quarter, and a sixteenth for each bit. ε 0.1 is 0.2 and 0.4 of a domain."""
    bits = Ruler("ill", Kind.CATEGORY, bits=4, weight=0.25)
    rulers = [Ruler("income", Kind.NUMBER, (0.0, 240_000.0), weight=2.0), SCHOOL, bits]
    assert alike(rulers, "0.1", 0.1) == (
        "people who differ in one attribute alone are alike (ε 0.1 of all attributes together): income, within 48,000 of each other; "
        "school, within 1 level of each other; ill, if at most 1 of its 4 values differ"
    )
    assert alike([bits], "0.1", 0.1).endswith("ill, only if they are equal")
    assert "income, within 24,000 of each other; school, only if they are equal" in alike(rulers[:2], "0.1", 0.1, least=True)
    square = alike(rulers[:2], "0.1", 0.1, power=2.0)  # 0.1 / sqrt(2/3) and 0.1 / sqrt(1/3)
    assert "income, within 29,393.9 of each other" in square


@pytest.mark.parametrize(
    ("ruler", "width", "sentence"),
    [
        (PAY, 5000, "values of income are alike within 5,000 of each other (ε 5000, in its own units)"),
        (LOG, 0.1, "values of income are alike within 10 % of each other (ε 0.1, in its own units)"),
        (DAY, 30, "values of admitted are alike within 30 days of each other (ε 30, in its own units)"),
        (SCHOOL, 1, "values of school are alike within 1 level of each other (ε 1, in its own units)"),
        (JOB, 0, "values of job are alike only if they are equal (ε 0, in its own units)"),
    ],
)
def test_an_epsilon_in_own_units_is_said_as_it_is(ruler: Ruler, width: float, sentence: str) -> None:
    assert alike_alone(ruler, str(width), width) == sentence


@settings(deadline=None)  # loops are loaded at the first call
@given(st.integers(1, 10**6), st.floats(0.001, 0.999), st.sampled_from(Scale))
def test_what_the_words_call_alike_is_near_and_what_lies_beyond_is_not(width: int, share: float, scale: Scale) -> None:
    """The oracle is the distance itself: two numbers as far apart as the words allow, and two that are a hundredth further."""
    low, high = 10.0, 10.0 + width
    ruler = Ruler("x", Kind.NUMBER, (low, high), scale=scale)
    reach = ruler.kind.rules.own_width(ruler, share)
    other, beyond = ((low * (1 + reach * f) if scale is Scale.LOG else low + reach * f) for f in (1.0, 1.01))
    column = Column(
        "x", Kind.NUMBER, np.arange(3, dtype=np.int32), np.array([low, other, beyond]), np.ones(4, bool), (low, high), scale=scale
    )
    far = Distance().over([column]).matrix(np.arange(3, dtype=np.int32).reshape(-1, 1))
    assert far[0, 1] <= share + 1e-9
    assert far[0, 2] > share


def test_a_ruler_of_a_column_knows_its_levels_and_its_hierarchy() -> None:
    none, flags = np.zeros(0, dtype=np.int32), np.ones(4, dtype=bool)
    levels = Column("s", Kind.ORDINAL, none, np.array(["a", "b", "c"], dtype=object), flags, (0.0, 2.0))
    assert (Ruler.of(levels).steps, Ruler.of(levels).domain) == (2, None)
    tree = Hierarchy.from_rows([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]], "j")
    assert Ruler.of(Column("j", Kind.CATEGORY, none, tree.leaves, flags, hierarchy=tree)).steps == 2
