"""A release is let through only if something was judged and nothing spoke against it."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from policies.gates.verdict import Verdict
from tasks.reporting.measured_tables import MeasuredRelease, Outcome

ENDED = MeasuredRelease(dataset="d", title="D", release_id="r-1", created="", policy_digest="", rows=60, suppressed=0)
KEPT = Verdict(gate="k", table="table-1", comparison="at least", measured=10.0, required=10.0, passed=True)
MISSED = Verdict(gate="linkability", table="table-1", comparison="at most", measured=0.9, required=0.8, passed=False)
UNMEASURED = Verdict(gate="linkability", table="table-1", comparison="at most", measured=None, required=0.8, passed=False)
MET, FAILED = Outcome("in", "expect_column_to_exist", "age", True), Outcome("out", "expect_column_to_exist", "age", False, "table-1")


@pytest.mark.parametrize(
    ("changes", "passed"),
    [
        ({"verdicts": (KEPT,)}, True),
        ({"verdicts": (KEPT,), "outcomes": (MET,)}, True),
        ({}, False),
        ({"outcomes": (MET,)}, False),
        ({"verdicts": (KEPT, MISSED)}, False),
        ({"verdicts": (KEPT, UNMEASURED)}, False),
        ({"verdicts": (KEPT,), "outcomes": (MET, FAILED)}, False),
        ({"verdicts": (KEPT,), "refusal": "No plan passes."}, False),
    ],
)
def test_one_word_against_a_release_is_enough(changes: dict[str, Any], passed: bool) -> None:
    assert replace(ENDED, **changes).passed is passed


def test_the_verdicts_that_refuse_are_named_in_their_order() -> None:
    assert replace(ENDED, verdicts=(MISSED, KEPT, UNMEASURED)).refused_by == (MISSED, UNMEASURED)
    assert replace(ENDED, verdicts=(KEPT,)).refused_by == ()


@pytest.mark.parametrize(("rows", "suppressed", "share"), [(60, 0, 0.0), (60, 15, 0.25), (0, 0, 0.0)])
def test_the_suppressed_share_is_of_the_rows_read(rows: int, suppressed: int, share: float) -> None:
    assert replace(ENDED, rows=rows, suppressed=suppressed).suppressed_share == share


def test_what_was_measured_cannot_be_changed(release: MeasuredRelease) -> None:
    for measured, name in ((release, "verdicts"), (release.tables[0], "figures"), (release.limits, "loss"), (MET, "success")):
        with pytest.raises(FrozenInstanceError):
            setattr(measured, name, None)
    assert [table.name for table in release.tables] == [table.figures.name for table in release.tables] == ["table-1", "table-2"]
