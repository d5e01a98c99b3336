"""The gravest of what was found decides how the command ends."""

from __future__ import annotations

from tasks.checks.finding import BROKEN, exit_code, failed, summary, warned, well


def test_the_exit_code_is_the_gravest() -> None:
    fine, warning, failure, broken = well("a", "A"), warned("b", "B", "b"), failed("c", "C", "c"), failed("d", "D", "d", BROKEN)
    assert [exit_code(found) for found in ([], [fine], [fine, warning], [warning, failure], [failure, broken], [warning, broken])] == [
        0, 0, 3, 6, 5, 5,
    ]  # fmt: skip


def test_the_summary_names_what_failed_and_only_else_what_warned() -> None:
    assert summary([well("a", "A")]) is None
    problem = summary([warned("b", "B", "b"), failed("c", "C", "c"), failed("c", "C", "c")])
    assert problem is not None
    assert (problem.message, problem.code) == ("2 checks failed: c.", 6)
    warning = summary([warned("b", "B", "b")])
    assert warning is not None
    assert (warning.message, warning.code) == ("1 warning: b.", 3)
