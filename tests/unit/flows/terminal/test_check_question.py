"""What is typed after `headgate check`."""

from __future__ import annotations

from typing import Any

import pytest

from flows.terminal.check_question import Question
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
