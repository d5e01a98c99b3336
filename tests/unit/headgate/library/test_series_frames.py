"""The figures are tested in tests/unit/headgate/series/test_series_risk.py."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headgate as hg
from headgate.core.errors import InputRejected

FRAME = pd.DataFrame({"id": list("pqrs"), "illness": ["flu", "cold", "flu", None], "pay": [1, 2, 3, 3]})
NAMES = ["illness", "pay"]


def test_a_person_is_known_by_the_cell_whatever_the_order() -> None:
    found = hg.series([(FRAME, [0, 0, 1, 1]), (FRAME.iloc[::-1], [4, 4, 9, 9])], person="id", sensitive=NAMES)
    assert found.per_person.index.tolist() == list("pqrs")
    assert found.per_person.index.name == "id"
    assert found.per_person["versions"].tolist() == [2] * 4
    assert [measure.names for measure in found.measures] == [("illness", "pay"), ("illness",), ("pay",)]


def test_groups_may_be_given_by_table() -> None:
    tables = {"illness": [0, 0, 1, 1], ("pay",): [0, 1, 0, 1]}
    found = hg.series([(FRAME, tables), (FRAME, [0, 0, 0, 0])], person="id", sensitive=NAMES)
    assert [(measure.names, measure.versions) for measure in found.measures] == [
        (("illness", "pay"), (1,)),
        (("illness",), (0, 1)),
        (("pay",), (0, 1)),
    ]


def test_groups_of_a_partition_are_taken_as_they_are() -> None:
    frame = pd.DataFrame({"id": range(60), "age": range(60), "illness": list("abcdef") * 10})
    groups = hg.mondrian(frame, quasi=["age"], sensitive=["illness"], k=6).groups
    assert hg.series([(frame, groups)] * 2, person="id", sensitive=["illness"]).linkability == pytest.approx(1 / 6, abs=0.2)


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        ([], "There is nothing to measure"),
        ([(FRAME.drop(columns="id"), [0] * 4)], "Column 'id' is not in every version"),
        ([(FRAME.assign(id=["p", "q", "r", None]), [0] * 4)], "1 rows have no 'id'"),
        ([(FRAME.assign(id=["p", "q", "r", "r"]), [0] * 4)], "A person is in version 1 twice"),
        ([(FRAME, [0] * 3)], "not one integer per row"),
        ([(FRAME, [0.5] * 4)], "not one integer per row"),
        ([(FRAME, {"illness": [0, 0, 0, -1], "pay": [0] * 4})], "published in one table of a version and not in another"),
        ([(FRAME, {"age": [0] * 4})], "not among `sensitive`"),
        ([(FRAME, [-1] * 4), (FRAME, [0] * 4)], "There is nobody in version 1"),
    ],
)
def test_what_is_not_a_series_is_refused_with_its_cure(versions: Any, message: str) -> None:
    with pytest.raises(InputRejected, match=message):
        hg.series(versions, person="id", sensitive=NAMES)


def test_suppressed_rows_are_in_no_version() -> None:
    found = hg.series([(FRAME, [0, 0, 0, -1]), (FRAME, np.array([0, 0, 0, 0]))], person="id", sensitive=["pay"])
    assert found.per_person["versions"].tolist() == [2, 2, 2, 1]


@pytest.mark.slow
def test_the_function_is_there_after_the_room_of_the_same_name_was_imported() -> None:
    """`headgate.series` is a room, and `hg.series` a function: importing the room hid the function."""
    code = "import headgate as hg, headgate.series.chains; from headgate import series; print(callable(hg.series), callable(series))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True", "True"]
