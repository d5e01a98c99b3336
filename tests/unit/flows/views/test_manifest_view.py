"""What an approver sees of a candidate on the terminal."""

from __future__ import annotations

import pytest

from flows.views.manifest_view import show_manifest, show_unused
from policies.gates.figures import AttackGain, TableFigures
from policies.gates.verdict import Verdict
from policies.sealed.manifest import Manifest, Plan
from policies.sealed.promise import Promise

CAPPED = "The required l of 5 is capped at 2, the number of distinct values in the table."


def shown(
    capsys: pytest.CaptureFixture[str],
    *verdicts: Verdict,
    tables: tuple[TableFigures, ...] = (),
    people_checked: bool = True,
    attack_gains: tuple[AttackGain, ...] = (),
) -> str:
    plan = Plan(method="single", tables=(("job",),), columns=("job",), association_loss=0.0, information_exposure=1.0)
    promise = Promise(requirements=(), quasi=(), sensitive=(), people_checked=people_checked)
    manifest = Manifest.model_construct(
        title="",
        dataset="people",
        rows=9,
        suppressed=0,
        plan=plan,
        tables=tables,
        verdicts=verdicts,
        promise=promise,
        attack_gains=attack_gains,
    )
    show_manifest(manifest, "c" * 64, "sealed", {})
    return capsys.readouterr().out


def test_a_gate_that_passed_with_less_than_was_required_says_so_under_the_gates(capsys: pytest.CaptureFixture[str]) -> None:
    distinct = Verdict(
        gate="distinct_l", table="table-1", attribute="job", comparison="at least", measured=2, required=2, passed=True, remedy=CAPPED
    )
    k = Verdict(gate="k", table="table-1", comparison="at least", measured=9, required=3, passed=True)
    assert shown(capsys, k, distinct).splitlines()[-1] == f"distinct_l of job in table-1: {CAPPED}"
    assert ":" not in shown(capsys, k).splitlines()[-1]


def test_the_attack_that_gains_most_stands_directly_under_the_gates(capsys: pytest.CaptureFixture[str]) -> None:
    """ "All gates passed" stood on the first page, and that seven in ten people fall to a background join on the fourteenth."""
    k = Verdict(gate="k", table="table-1", comparison="at least", measured=9, required=3, passed=True)
    joined = AttackGain(attack="background_join", who="somebody is right about 'job'", people=10, right=7, right_overall=2)
    said = shown(capsys, k, attack_gains=(joined,)).splitlines()
    under = said[next(place for place, line in enumerate(said) if line.endswith("passed ")) + 1 :]
    assert " ".join(under) == (
        "The attack that gains most: somebody is right about 'job' for 70.0 % of the people, against 20.0 % by guessing."
    )


def test_a_column_of_which_little_is_left_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """11,889 of 12,000 birth dates were `*`, and nothing said so."""
    common = {"name": "table-1", "sensitive": ("job",), "rows": 9, "groups": 1, "mean_group": 9, "discernibility": 81, "ncp": 1.0}
    table = TableFigures.model_validate({**common, "everything": {"born": 11889 / 12000, "age": 0.5}})
    words = " ".join(shown(capsys, tables=(table,)).split())
    assert "In 99 % of the rows of table-1, born is * (everything)" in words
    assert "age" not in words


def test_declared_values_that_no_row_has_are_counted_and_not_named(capsys: pytest.CaptureFixture[str]) -> None:
    show_unused({"dx": 1, "ward": 1200})
    assert capsys.readouterr().out.splitlines() == [
        "1 declared value of dx occurs in no row. `headgate advise` names it.",
        "1,200 declared values of ward occur in no row. `headgate advise` names them.",
    ]


def test_without_an_identifier_it_is_told_that_rows_are_counted_not_people(capsys: pytest.CaptureFixture[str]) -> None:
    """21,530 visits passed as 21,530 people, of whom there were 12,000."""
    assert "Nobody checked that a row is a person" in " ".join(shown(capsys, people_checked=False).split())
    assert "Nobody checked" not in shown(capsys)
