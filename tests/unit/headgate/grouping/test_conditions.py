from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import InputRejected


def test_a_required_distinct_l_is_capped_at_what_the_table_has():
    frame = pd.DataFrame({"age": range(12), "illness": ["flu", "cold"] * 6})
    found = hg.mondrian(frame, ["age"], 2, ["illness"], distinct_l=5)
    assert found.reached
    assert found.partition.count == 4  # halves of 6 and 3: a smaller cut would leave one row alone


def test_frames_are_conditioned_by_one_bound_or_one_for_each_attribute():
    draw = np.random.default_rng(2)
    frame = pd.DataFrame({"age": draw.integers(0, 90, 600), "illness": draw.choice(list("abcde"), 600), "pay": draw.integers(0, 40, 600)})
    plain = hg.mondrian(frame, ["age"], 5, ["illness", "pay"])
    for condition in (
        {"distinct_l": 4},
        {"entropy_l": {"illness": 3}},
        {"recursive": (2, 3)},
        {"recursive": {"illness": (2, 3)}},
        {"closeness": {"pay": "0.15"}},
        {"frequency": {"illness": "2.5"}},
        {"epsilon": "0.1", "delta": "0.8"},
        {"closeness": "0.3", "strict": False},
    ):
        found = hg.mondrian(frame, ["age"], 5, ["illness", "pay"], **condition)
        assert found.reached
        assert found.partition.count > 1
        assert found.groups.tolist() != plain.groups.tolist(), condition
    figures = hg.check(
        hg.mondrian(frame, ["age"], 5, ["illness", "pay"], closeness="0.3", distinct_l={"illness": 3}).release(frame),
        quasi=["age"],
        sensitive=["illness", "pay"],
        group="group",
    )
    assert figures.sensitive["illness"].distinct_l >= 3
    assert max(one.closeness for one in figures.sensitive.values()) <= 0.3 + 1e-9


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"k": 41},
        {"quasi": []},
        {"sensitive": [], "closeness": "0.3"},
        {"distinct_l": 0.5},
        {"entropy_l": 0},
        {"frequency": "0.2"},
        {"recursive": 3},
        {"recursive": (0, 2)},
        {"recursive": (3, 1)},
        {"closeness": "-0.1"},
        {"closeness": {"age": "0.1"}},
        {"epsilon": "0.1"},
    ],
)
def test_what_cannot_be_meant_is_refused(wrong):
    frame = pd.DataFrame({"age": range(40), "illness": ["flu", "cold"] * 20})
    with pytest.raises(InputRejected) as refusal:
        hg.mondrian(frame, **{"quasi": ["age"], "k": 5, "sensitive": ["illness"], **wrong})
    assert refusal.value.cure
