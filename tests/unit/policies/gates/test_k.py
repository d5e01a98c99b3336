"""The gate on k."""

from __future__ import annotations

import pytest

from policies.gates.k import K
from tests.unit.claimed import required


def test_the_smallest_group_is_measured(gated) -> None:
    assert [(one.figure, one.value) for one in K().measure((), gated())] == [("k", 3.0)]
    assert [one.value for one in K().measure((), gated([0, 0, 0, 1, 1, 1, 2, 2, 2, 3]))] == [1.0]


def test_the_policy_requires_its_k(asked, table) -> None:
    assert list(K().requirements(asked().anonymize, table)) == [required("k", 3)]


@pytest.mark.parametrize(("rows", "said"), [(1, "1 row"), (2, "2 rows"), (1234, "1,234 rows")])
def test_a_refusal_counts_rows(rows: int, said: str, verdict) -> None:
    assert K().refusal(verdict(K(), rows, "2000")) == f"In table-1, the smallest group has {said}; at least 2,000 are required."
    assert K().refusal(verdict(K(), rows, "2000"), "in every plan tried").startswith("In every plan tried, the smallest group")
