"""What leaves a step of an exception: Prefect stores what it is handed, and pandas writes cell values into its messages."""

from __future__ import annotations

import traceback

import pytest

from headgate.core.errors import Defect, HeadgateError, InputRejected, StoreUnavailable
from tasks.runtime.boundary import guarded


def left(problem: HeadgateError) -> str:
    """Everything that hangs on an exception, as whoever is handed it could print it."""
    assert problem.__cause__ is None
    assert problem.__context__ is None
    return "".join(traceback.format_exception(problem)) + repr(problem.args) + repr(vars(problem))


def test_a_foreign_exception_leaves_as_its_class_and_place() -> None:
    @guarded
    def read() -> None:
        try:
            {}["CANARY-key"]
        except KeyError as inner:
            raise ValueError("CANARY-cell 42") from inner

    with pytest.raises(Defect) as caught:
        read()
    assert "CANARY" not in left(caught.value)
    assert "Step read broke: ValueError at test_boundary.py:" in caught.value.message


def test_a_file_that_cannot_be_used_is_named_by_its_reason_only() -> None:
    @guarded
    def read() -> None:
        raise PermissionError(13, "Permission denied", "/home/CANARY/people.csv")

    with pytest.raises(StoreUnavailable, match="Permission denied") as caught:
        read()
    assert "CANARY" not in left(caught.value)


def test_a_refusal_leaves_without_the_values_that_it_is_about() -> None:
    """`headgate check` shows them to whoever holds the file; a release must not."""

    @guarded
    def read() -> None:
        raise InputRejected("The hierarchy misses 1 of 3 values.", "Add a line.", ["CANARY"])

    with pytest.raises(InputRejected, match="misses 1") as caught:
        read()
    assert "CANARY" not in left(caught.value)


def test_a_refusal_of_ours_passes_without_what_it_was_raised_over() -> None:
    @guarded
    def check() -> None:
        try:
            raise ValueError("CANARY-cell 42")
        except ValueError:
            raise InputRejected("Column 'age' has 1 cells of another kind.", "Correct the data.")  # noqa: B904 - what is tested

    with pytest.raises(InputRejected) as caught:
        check()
    assert "CANARY" not in left(caught.value)
    assert caught.value.code == 2


def test_an_interrupt_is_not_held_back() -> None:
    @guarded
    def wait() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wait()
