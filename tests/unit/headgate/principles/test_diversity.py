"""Distinct, frequency and entropy l-diversity against their definitions, with linkability and k of the same rows."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.counting.class_counts import count as counted
from headgate.principles.diversity import diversity
from headgate.principles.k_anonymity import k_anonymity
from headgate.principles.linkability import linkability
from tests.unit.headgate.principles.encoded_rows import HARMLESS, categories, split

ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([None, "a", "b", "c", "none"])), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_diversity_linkability_and_k_are_those_of_the_definition(rows: list[tuple[int, Any]]) -> None:
    groups, classes = split(rows)
    column = categories([cell for _, cell in rows])
    concerned = [one for one in classes if set(one) - HARMLESS]
    found = diversity(counted(column, [groups]))
    entropy = [math.exp(-sum(n / len(one) * math.log(n / len(one)) for n in Counter(one).values())) for one in classes]
    assert found.distinct.per_group.tolist() == [len(set(one)) if one in concerned else math.inf for one in classes]
    assert found.distinct_l_all == min(len(set(one)) for one in classes)
    assert found.frequency_l_all == pytest.approx(min(len(one) / max(Counter(one).values()) for one in classes))
    assert found.entropy.per_group.tolist() == pytest.approx(
        [e if one in concerned else math.inf for e, one in zip(entropy, classes, strict=True)]
    )
    assert found.entropy_l_all == pytest.approx(min(entropy))
    assert found.attainable == len({cell for _, cell in rows})
    assert found.distinct_l == min((len(set(one)) for one in concerned), default=found.attainable)
    assert found.entropy_l == pytest.approx(min((e for e, one in zip(entropy, classes, strict=True) if one in concerned), default=math.inf))
    top = [max((n for value, n in Counter(one).items() if value not in HARMLESS), default=0) / len(one) for one in classes]
    linked = linkability(counted(column, [groups]))
    assert linked.figure.per_group.tolist() == pytest.approx(top)
    assert linked.linkability == pytest.approx(max(top))
    assert linked.linkability_all == pytest.approx(max(max(Counter(one).values()) / len(one) for one in classes))
    assert found.frequency_l == pytest.approx(1 / max(top) if max(top) else math.inf)
    size = k_anonymity([groups])
    assert (size.k, size.groups, size.mean_group) == (min(map(len, classes)), len(classes), len(rows) / len(classes))
