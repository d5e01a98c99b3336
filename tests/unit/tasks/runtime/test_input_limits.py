"""What comes from outside has bounds, which the operator may set."""

from __future__ import annotations

import pytest

from headgate.core.errors import InputRejected
from tasks.runtime.input_limits import ATTRIBUTES, BYTES, CELLS, LIST_BYTES, Limit


def test_a_bound_that_is_exceeded_is_named_with_the_variable_that_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_MAX_CELLS", raising=False)
    CELLS.check(500_000_000, "The table t.csv")
    with pytest.raises(InputRejected, match=r"The table t\.csv has more than 500,000,000 cells") as refusal:
        CELLS.check(500_000_001, "The table t.csv")
    assert "HEADGATE_MAX_CELLS" in refusal.value.cure


@pytest.mark.parametrize("limit", [ATTRIBUTES, BYTES, LIST_BYTES, CELLS], ids=lambda limit: limit.variable)
def test_the_operator_sets_each_bound(limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(limit.variable, raising=False)
    assert limit.most == limit.usual
    monkeypatch.setenv(limit.variable, "7")
    limit.check(7, "It")
    with pytest.raises(InputRejected, match="more than 7"):
        limit.check(8, "It")


@pytest.mark.parametrize("text", ["0", "-1", "1e9", "many", "½", "²"])
def test_a_bound_that_is_not_a_number_is_refused_instead_of_none_holding(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_MAX_BYTES", text)
    with pytest.raises(InputRejected, match="HEADGATE_MAX_BYTES is not a number"):
        BYTES.check(1, "It")
