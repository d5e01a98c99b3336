"""What is typed after `headgate check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.terminal.check_question import Question, measure
from headgate.core.errors import InputRejected


def question(**changed: Any) -> Question:
    typed: dict[str, Any] = {
        "quasi": "age, sex",
        "sensitive": "income",
        "group": None,
        "epsilon": None,
        "delta": None,
        "interval": None,
        "thresholds": {"k": 5, "closeness": None},
        "require": None,
        "kind": None,
        "hierarchy": None,
        "log": None,
    }
    return Question.of(**{**typed, **changed})


def test_names_are_separated_by_commas_and_quotation_marks_keep_what_is_inside() -> None:
    assert question().quasi == ["age", "sex"]
    assert question(quasi='"name, first",age').quasi == ["name, first", "age"]
    assert question(quasi='" age ","say ""hi"""').quasi == [" age ", 'say "hi"']
    assert question(quasi="").quasi == []


def test_requirements_of_both_forms_are_one_list() -> None:
    assert question(require=["entropy_l=2", "beta = 1"]).required == {"k": 5, "entropy_l": "2", "beta": "1"}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"require": ["k=3"]}, "'k' is required twice"),
        ({"require": ["beta=1", "beta=2"]}, "'beta' is given twice"),
        ({"require": ["beta"]}, "form"),
        ({"require": ["beta="]}, "form"),
        ({"kind": ["income=money"]}, "kind of 'income'"),
        ({"kind": ["age=number"]}, "'age' is not among the sensitive attributes"),
        ({"hierarchy": ["sex=sex.csv"]}, "'sex' is not among the sensitive attributes"),
    ],
)
def test_a_question_that_contradicts_itself_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputRejected, match=message):
        question(**changed)


@pytest.mark.parametrize("kind", [["income=number"], None])
def test_a_refused_cell_is_cured_without_a_policy_where_there_is_none(kind: list[str] | None, tmp_path: Path) -> None:
    """The cure told how to declare in the policy what had been declared on the command line."""
    (tmp_path / "t.csv").write_text("age,sex,income\n20,f,1 EUR\n20,f,2\n", encoding="utf-8")
    with pytest.raises(InputRejected) as refused:
        measure(tmp_path / "t.csv", question(kind=kind))
    assert "policy" not in refused.value.cure
    assert "--kind income=" in refused.value.cure
