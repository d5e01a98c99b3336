"""Every refusal has an exit code and says in one line what is wrong and what to do."""

from __future__ import annotations

import pickle

import pytest

from headgate.core.errors import (
    LINE,
    CellsRejected,
    Defect,
    HeadgateError,
    InputRejected,
    IntegrityBroken,
    PolicyInvalid,
    PublicationFailed,
    Refusal,
    StoreUnavailable,
    TransitionRefused,
)

CODES = {
    HeadgateError: 1,
    Defect: 1,
    PolicyInvalid: 2,
    InputRejected: 2,
    IntegrityBroken: 5,
    StoreUnavailable: 6,
    PublicationFailed: 6,
}


@pytest.mark.parametrize("error", CODES, ids=lambda error: error.__name__)
def test_each_has_the_exit_code_of_the_command_line(error: type[HeadgateError]) -> None:
    assert error("This went wrong.", "Do that.").code == CODES[error]
    assert str(error("This went wrong.", "Do that.")) == "This went wrong. Do that."


def test_values_are_carried_beside_the_message_and_never_in_it() -> None:
    error = InputRejected("A value is unknown.", "Correct it.", ["secret"])
    assert error.values == ("secret",)
    assert "secret" not in str(error)


def test_all_reasons_of_a_refused_transition_are_told() -> None:
    error = TransitionRefused([Refusal("approvals", "1 approval is missing"), Refusal("moment", "it is too early")], "Wait.")
    assert error.code == 4
    assert "1 approval is missing" in str(error)
    assert "it is too early" in str(error)
    assert pickle.loads(pickle.dumps(error)).refusals == error.refusals


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([4], "1 cell of 'age' is not a number (in row 5 of the data)."),
        ([0, 4], "2 cells of 'age' are not numbers (in rows 1 and 5 of the data)."),
        ([0, 4, 1999], "3 cells of 'age' are not numbers (in rows 1, 5 and 2000 of the data)."),
        (range(7000), "7,000 cells of 'age' are not numbers (the first in rows 1, 2 and 3 of the data)."),
    ],
)
def test_a_refusal_of_cells_counts_them_and_names_the_first_places(rows, sentence):
    refusal = CellsRejected("age", ("is not a number", "are not numbers"), "Correct them.", rows, ["canary"] * len(rows))
    assert refusal.message == sentence
    assert refusal.values == ("canary",)
    located = refusal.at(LINE, [row + 2 for row in list(rows)[:3]])
    assert located.message == sentence.replace(" of the data", "").replace("row", "line").replace(
        *{1: ("5", "6"), 2: ("1 and 5", "2 and 6"), 3: ("1, 5 and 2000", "2, 6 and 2001")}.get(len(rows), ("1, 2 and 3", "2, 3 and 4"))
    )


def test_the_cells_of_a_refusal_stay_in_the_process():
    refusal = CellsRejected("age", ("is not a number", "are not numbers"), "Correct them.", [4], ["canary"])
    for other in (pickle.loads(pickle.dumps(refusal)), refusal.without_cells()):
        assert (type(other), str(other)) == (InputRejected, str(refusal))
        assert "canary" not in repr(vars(other)) + repr(other)
    assert "canary" not in str(refusal) + repr(refusal)
