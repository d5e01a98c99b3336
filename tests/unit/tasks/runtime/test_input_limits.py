"""What comes from outside has bounds, which the operator may set."""

from __future__ import annotations

import pytest

from headgate.core.errors import InputRejected
from policies.schema.operator_file import Limits
from tasks.runtime.input_limits import ATTRIBUTES, BYTES, CELLS, DICTIONARY, LIST_BYTES, SET_VALUES, Limit, take_limits

EACH = [ATTRIBUTES, BYTES, LIST_BYTES, CELLS, DICTIONARY, SET_VALUES]


def test_a_bound_that_is_exceeded_is_named_with_the_variable_that_sets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADGATE_MAX_CELLS", raising=False)
    CELLS.check(500_000_000, "The table t.csv")
    with pytest.raises(InputRejected, match=r"The table t\.csv has more than 500,000,000 cells") as refusal:
        CELLS.check(500_000_001, "The table t.csv")
    assert "limits.cells in operator.yaml, or HEADGATE_MAX_CELLS" in refusal.value.cure


@pytest.mark.parametrize("limit", EACH, ids=lambda limit: limit.variable)
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


@pytest.mark.parametrize("limit", EACH, ids=lambda limit: limit.key)
def test_what_operator_yaml_says_counts_until_another_speaks_and_the_environment_goes_first(
    limit: Limit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(limit.variable, raising=False)
    take_limits(Limits.model_validate({limit.key: 9}).said)
    try:
        assert [each.most for each in EACH] == [9 if each is limit else each.usual for each in EACH]
        monkeypatch.setenv(limit.variable, "7")
        assert limit.most == 7
        monkeypatch.delenv(limit.variable)
    finally:
        take_limits({})
    assert limit.most == limit.usual
