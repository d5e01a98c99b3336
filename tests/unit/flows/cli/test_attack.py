"""What an approver is told about attacks."""

from __future__ import annotations

from flows.cli.attack import _meaning
from headgate.attacks.success import Success
from tasks.attacks.attempts import Attempt


def attempt(right: int, overall: int) -> Attempt:
    return Attempt(
        "Homogeneity",
        ("table-1",),
        "",
        Success("Homogeneity", "the job", 1_000, right, overall, right, overall),
        "somebody is right about 'job'",
        drawn=True,
    )


def test_the_attack_with_the_largest_gain_is_named() -> None:
    meaning = _meaning([attempt(300, 290), attempt(600, 100)])
    assert meaning.endswith(
        "The attack that gains most: somebody is right about 'job' for 60.0 % of the people, against 10.0 % by guessing."
    )
    assert "Chance may explain" in _meaning([attempt(300, 299)])


def test_attacks_that_gain_nothing_say_so() -> None:
    assert _meaning([attempt(100, 200)]).endswith("No attack that was tried gains anything over guessing from the whole table.")


def test_without_anything_to_guess_there_is_only_a_sentence() -> None:
    assert _meaning([Attempt("Linkage", ("table-1", "table-2"), "")]) == "These tables give an attacker nothing to guess."
