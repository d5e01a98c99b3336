"""Every refusal has an exit code and says in one line what is wrong and what to do."""

from __future__ import annotations

import pickle

import pytest

from headgate.core.errors import (
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
