"""What counts as the same value in two versions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.encode import ColumnSpec, Kind, Role, encode_table
from headgate.core.errors import CellsRejected, InputRejected
from headgate.core.published_form.published_table import publish_form
from headgate.series.kept_version import KeptVersion, kept_version
from headgate.series.series_risk import SeriesRisk
from headgate.series.with_earlier import Encode, with_earlier
from policies.gates.series import SeriesKey
from policies.sealed.promise import Promise, PublishedAs, SensitiveAttribute
from tasks.series.value_coding import coding_of, nearness_of
from tests.unit.claimed import proximity, required

PAY = [30120, 30480, 41200, 30120.5, 41900, 52200]


def promise_of(declared: dict[str, str] | None, *more: object, **ends: float) -> Promise:
    rounded = None if declared is None else PublishedAs(declared=declared, **ends)
    pay = SensitiveAttribute(name="pay", kind="number", domain=(0, 100000), published_as=rounded)
    return Promise(requirements=(required("k", 2), *more), quasi=(), sensitive=(pay,))  # type: ignore[arg-type]


def version(pay: Sequence[object], kind: Kind = Kind.NUMBER) -> tuple[KeptVersion, object]:
    frame = pd.DataFrame({"age": [1] * len(pay), "pay": pay})
    specs = [ColumnSpec("age", Kind.INTEGER, Role.QUASI), ColumnSpec("pay", kind, Role.SENSITIVE)]
    table = encode_table(frame, {spec.name: spec for spec in specs})
    published = publish_form(table, np.arange(len(pay), dtype=np.int32) // 3, "t", ["pay"])
    return kept_version(np.array([b"%d" % who for who in range(len(pay))]), [(published, np.arange(len(pay)))])


def compared(before: Sequence[object], now: Sequence[float], encode: Encode | None, kind: Kind = Kind.NUMBER) -> SeriesRisk:
    (earlier, _), (new, own) = version(before, kind), version(now)
    risk = with_earlier([earlier], new, own, ["pay"], encode=encode)  # type: ignore[arg-type]
    assert risk is not None
    return risk


def test_numbers_that_were_exact_before_are_compared_as_they_are_rounded_now() -> None:
    """Rounding is what the gate on series advises. The first version that followed it was refused: every number was read as another one, so
    that everybody seemed to have changed."""
    now = [30000, 30000, 41000, 30000, 42000, 52000]
    assert compared(PAY, now, None).told == 6
    risk = compared(PAY, now, coding_of(promise_of({"round": "1000"}), None))
    assert risk.told == 0
    assert risk.measures[0].linkability.value == 2 / 3  # 30000 twice of three, in both
    assert compared(now, now, coding_of(promise_of({"round": "1000"}), None)).told == 0


def test_numbers_beyond_a_bound_are_compared_as_the_bound() -> None:
    now = [30120, 30480, 41200, 30120.5, 41500, 41500]
    assert compared(PAY, now, coding_of(promise_of({"top": "41500"}, top=41500.0), None)).told == 0


def test_what_was_no_number_before_stays_what_it_was() -> None:
    """An attribute may have been of another kind in an earlier version; its cells are in no message."""
    risk = compared(["low", "low", "high", "low", "nan", "low"], PAY, coding_of(promise_of({"round": "1"}), None), Kind.CATEGORY)
    assert risk.told == 6


def test_only_a_bound_on_risk_reads_values_by_a_distance() -> None:
    promise = promise_of({"round": "1000"}, proximity("0.01", "0.5"))
    assert nearness_of(None, promise) is None
    assert nearness_of(SeriesKey.model_validate({"linkability": "0.5"}), promise) is None
    asked = nearness_of(SeriesKey.model_validate({"risk": "0.5"}), promise)
    assert asked is not None
    assert asked[1] == "0.01"
    column = coding_of(promise, asked)("pay", ["30120", "30480", "41200"])
    assert column.kind is Kind.NUMBER
    assert column.values[column.codes].tolist() == [30000, 30000, 41000]
    assert nearness_of(SeriesKey.model_validate({"risk": "0.5"}), promise_of(None)) is None


@pytest.mark.parametrize(("kind", "more"), [("number", {"domain": (0, 100000)}), ("ordinal", {"levels": ("1", "2")})])
def test_what_earlier_versions_held_and_the_policy_no_longer_allows_is_not_looked_for_in_the_source(
    kind: str, more: dict[str, Any]
) -> None:
    """The refusal named a row of the data, which has no such cell."""
    pay = SensitiveAttribute(name="pay", kind=kind, **more)
    promise = promise_of(None, proximity("0.01", "0.5")).model_copy(update={"sensitive": (pay,)})
    with pytest.raises(InputRejected) as refused:
        coding_of(promise, nearness_of(SeriesKey.model_validate({"risk": "0.5"}), promise))("pay", ["1", "733333"])
    assert not isinstance(refused.value, CellsRejected)
    assert refused.value.message.startswith("An earlier version holds values of 'pay' that this policy does not allow")
    assert "733333" not in f"{refused.value.message} {refused.value.cure} {refused.value.__dict__}"
