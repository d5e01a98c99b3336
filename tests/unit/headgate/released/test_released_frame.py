"""Frames of two tables of a release cannot be joined row by row, whichever way somebody asks pandas for it."""

from __future__ import annotations

import pandas as pd
import pytest

from headgate.core.errors import InputRejected
from headgate.released.released_frame import ReleasedFrame
from tests.unit.headgate.released.tiny_releases import frame, of_tables


@pytest.fixture
def two() -> tuple[ReleasedFrame, ReleasedFrame]:
    tables = {"table-1": frame(age=["1", "2"], income=[1, 2]), "table-2": frame(age=["1", "2"], job=["x", "y"])}
    release = of_tables(tables)
    return release["table-1"].frame, release["table-2"].frame


@pytest.mark.parametrize(
    "join",
    [
        lambda a, b: a.merge(b, on="group"),
        lambda a, b: pd.merge(a, b),
        lambda a, b: pd.merge(a[["income", "group"]], b[["job", "group"]], how="outer"),
        lambda a, b: a.set_index("group")[["income"]].join(b.set_index("group")[["job"]]),
        lambda a, b: a[["income", "group"]].join(b.set_index("group")[["job"]], on="group"),
        lambda a, b: a.groupby("group")[["income"]].mean().join(b.groupby("group")[["job"]].first()),
        lambda a, b: a[a["income"] > 1].merge(b.head(1), on="group"),
        lambda a, b: a.merge(pd.DataFrame({"income": [1], "kind": ["k"]})).merge(b, on="group"),
    ],
)
def test_joining_tables_raises_with_the_reason(two: tuple[ReleasedFrame, ReleasedFrame], join) -> None:
    with pytest.raises(InputRejected, match="drawn anew for each: the same number in two tables is a coincidence") as caught:
        join(*two)
    assert "Answer each question from one table" in caught.value.cure


def test_a_table_is_joined_with_what_somebody_else_knows_and_with_itself(two: tuple[ReleasedFrame, ReleasedFrame]) -> None:
    first, _ = two
    known = pd.DataFrame({"income": [1, 2], "class": ["low", "high"]})
    assert list(first.merge(known)["class"]) == ["low", "high"]
    assert len(first.merge(first, on="group")) == 2


def test_figures_of_two_tables_can_be_compared(two: tuple[ReleasedFrame, ReleasedFrame]) -> None:
    first, second = two
    joined = first.groupby("age")[["income"]].mean().join(second.groupby("age")[["job"]].count())
    assert joined["income"].tolist() == [1, 2]
    assert joined["job"].tolist() == [1, 1]
