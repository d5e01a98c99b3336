"""Texts that are nearly the same."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.errors import InputRejected
from headgate.risk.candidates import similar
from headgate.risk.candidates.consistency import consistent_individuals, encode_dictionary
from tests.unit.headgate.risk.candidates.release_and_register import BY, DOMAINS, counted, published


def jaro(one: str, other: str) -> float:
    """Jaro 1989: characters agree within half the longer text, each once; two that agree in another order are a transposition."""
    reach = max(max(len(one), len(other)) // 2 - 1, 0)
    free = [True] * len(other)
    left = []
    for i, sign in enumerate(one):
        for j in range(max(0, i - reach), min(len(other), i + reach + 1)):
            if free[j] and other[j] == sign:
                free[j] = False
                left.append(sign)
                break
    if not left:
        return 0.0
    right = [sign for sign, unmatched in zip(other, free, strict=True) if not unmatched]
    transposed = sum(a != b for a, b in zip(left, right, strict=True)) // 2
    return (len(left) / len(one) + len(left) / len(other) + (len(left) - transposed) / len(left)) / 3


def test_golden_jaro_similarities_of_winkler_1990() -> None:
    assert round(jaro("MARTHA", "MARHTA"), 3) == 0.944
    assert round(jaro("DWAYNE", "DUANE"), 3) == 0.822
    assert round(jaro("DIXON", "DICKSONX"), 3) == 0.767


NAMES = st.text("abAé", min_size=1, max_size=7)


NAMED = ColumnSpec("name", Kind.CATEGORY, Role.QUASI)


def named(names: Sequence[str | None]) -> dict[str, Column]:
    return {"name": encode_column(pd.Series(names, dtype=object), NAMED)}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(NAMES, min_size=0, max_size=3, unique=True), min_size=1, max_size=6),
    st.lists(st.none() | NAMES, min_size=1, max_size=12),
    st.sampled_from([0.5, 0.7, 0.8, 0.9, 1.0, 11 / 12, 7 / 9]),
    st.sampled_from([1, 20, 10**6]),
)
@example([["ab"]], ["Ab", "ab", None], 1.0, 1)
@example([["ab"]], [None], 0.8, 1)
def test_a_text_matches_what_is_similar_enough_and_a_set_what_any_member_matches(
    released: list[list[str]], people: list[str | None], threshold: float, at_once: int
) -> None:
    texts = ["*" if not own else own[0] if len(own) == 1 else "{" + "|".join(own) + "}" for own in released]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similar, "_PAIRS_AT_ONCE", at_once)
        found = consistent_individuals({"name": published(texts)}, named(people), ["name"], {"name": threshold})
    for own, count in zip(released, found, strict=True):
        wanted = [person is None or not own or any(jaro(text, person) >= threshold - 1e-9 for text in own) for person in people]
        assert count == sum(wanted)


@pytest.mark.parametrize("by", BY)
def test_similarity_in_one_field_narrows_the_others(by: str) -> None:
    cells = {"name": published(["martha", "{dwayne|zoe}", "*"]), "age": published(["5", "[1..5]", "9"])}
    people = pd.DataFrame({"name": ["marhta", "martha", "duane", None, "dixon"], "age": [5, 9, 2, 5, 9]})
    dictionary = {**named(list(people["name"])), **encode_dictionary(people, DOMAINS, ["age"])}
    with counted(by):
        assert consistent_individuals(cells, dictionary, ["name", "age"], {"name": 0.8}).tolist() == [2, 2, 2]


def test_similarity_is_compared_with_the_tolerance() -> None:
    cells, people = {"name": published(["MARTHA"])}, named(["MARHTA"])
    exactly = 17 / 18
    assert consistent_individuals(cells, people, ["name"], {"name": exactly + 0.9e-9}).tolist() == [1]
    assert consistent_individuals(cells, people, ["name"], {"name": exactly + 1.1e-9}).tolist() == [0]


def test_a_similarity_that_cannot_be_measured_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    cells, people = {"name": published(["ab"]), "age": published(["1"])}, pd.DataFrame({"name": ["ab"], "age": [1]})
    dictionary = {**named(["ab"]), **encode_dictionary(people, DOMAINS, ["age"])}
    for threshold in (0.0, -1.0, 1.01, float("nan")):
        with pytest.raises(InputRejected, match="must be above 0 and at most 1"):
            consistent_individuals(cells, dictionary, ["name"], {"name": threshold})
    with pytest.raises(InputRejected, match="'age' is compared by similarity but is not a category"):
        consistent_individuals(cells, dictionary, ["name", "age"], {"age": 0.8})
    with pytest.raises(InputRejected, match="'age' is compared by similarity but is not shared"):
        consistent_individuals(cells, dictionary, ["name"], {"age": 0.8})
    town = encode_dictionary(pd.DataFrame({"town": ["Rome"]}), DOMAINS, ["town"])
    with pytest.raises(InputRejected, match="not a category without a hierarchy"):
        consistent_individuals({"town": published(["Rome"])}, town, ["town"], {"town": 0.8})
    with pytest.raises(InputRejected, match="released as intervals"):
        consistent_individuals({"name": published(["[a..b]"])}, dictionary, ["name"], {"name": 0.8})
    monkeypatch.setattr(similar, "MOST_PAIRS", 0)
    with pytest.raises(InputRejected, match="too many texts to compare all pairs: 1 and 1 distinct"):
        consistent_individuals(cells, dictionary, ["name"], {"name": 0.8})
