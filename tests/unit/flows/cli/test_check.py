"""`headgate check` on ten people whose figures can be counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.cli.check import DIRECTIONS, MORE
from flows.terminal.shown_cells import LONGEST_VALUE
from headgate.library.measures import MEASURES

TABLE = """age,sex,income,job
20,f,100,baker
20,f,500,clerk
20,f,900,nurse
40,m,100,baker
40,m,100,baker
40,m,900,baker
60,f,0,clerk
60,f,300,nurse
60,f,600,nurse
60,f,900,nurse
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture
def check(run: Any, table: Path) -> Any:
    return lambda *options: run("check", table, "--quasi", "age,sex", "--sensitive", "income,job", *options)


def test_the_document_has_the_keys_of_the_contract_and_exact_numbers(check: Any) -> None:
    plain = check("--json")
    assert (plain.code, plain.err) == (0, "")
    document = plain.json
    assert list(document) == ["rows", "groups", "k", "mean_group", "discernibility", "reidentification", "sensitive"]
    assert (document["rows"], document["groups"], document["k"]) == (10, 3, 3)
    assert document["mean_group"] == 10 / 3
    assert document["discernibility"] == 9 + 9 + 16
    assert document["reidentification"] == {"max": 1 / 3, "mean": 3 / 10}
    assert list(document["sensitive"]) == ["income", "job"]
    assert document["sensitive"]["job"]["distinct_l"] == 1  # three bakers of forty


def test_a_figure_whose_option_was_not_given_is_absent(check: Any) -> None:
    without, given = check("--json").json, check("--epsilon", "0.1", "--delta", "0.2", "--interval", "50", "--json").json
    assert without.keys() & {"proximity"} == set()
    assert without["sensitive"]["income"].keys() & {"delta_l", "epsilon_m"} == set()
    assert given["proximity"].keys() == {"epsilon", "risk", "delta", "vulnerable_groups", "vulnerability"}
    assert given["sensitive"]["income"].keys() >= {"delta_l", "epsilon_m"}
    assert given["sensitive"]["income"]["epsilon_m"]["epsilon"] == pytest.approx(0.1 * 900)
    assert given["sensitive"]["job"].keys() & {"delta_l", "epsilon_m"} == set()


def test_people_read_figures_on_stdout(check: Any) -> None:
    shown = check()
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("10 rows in 3 groups: k 3, mean 3.333, discernibility 34\n")
    assert "verdict" not in shown.out
    assert "verdict" in check("--k", "3").out


def test_a_requirement_that_is_missed_ends_in_three_after_the_figures(check: Any) -> None:
    missed = check("--k", "4", "--min-distinct", "2")
    assert missed.code == 3
    assert "refused" in missed.out
    assert "k-anonymity is 3; at least 4 is required." in missed.err
    assert "Cure: " in missed.err
    document = check("--k", "4", "--json")
    assert document.error["code"] == 3
    assert document.json["k"] == 3
    assert check("--k", "3", "--max-closeness", "1", "--require", "entropy_l=1").code == 0


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        (("--require", "entropy_l"), "NAME=VALUE"),
        (("--require", "unheard_of=1"), "unheard_of"),
        (("--kind", "age=number"), "not among the sensitive"),
        (("--kind", "income=vector"), "kind of 'income' is unknown"),
        (("--k", "three"), "'--k'"),
        (("--k", "3", "--require", "k=4"), "required twice"),
        (("--group", "absent"), "absent"),
        (("--hierarchy", "job=absent.csv"), "absent.csv"),
    ],
)
def test_a_question_that_cannot_be_answered_is_bad_input(check: Any, options: tuple[str, ...], phrase: str) -> None:
    assert phrase in check(*options, "--json").error["message"]
    assert check(*options).code == 2


def test_values_that_are_wrong_are_shown_on_the_terminal_and_in_no_document(run: Any, table: Path) -> None:
    long = "x" * (LONGEST_VALUE + 5)
    table.write_text(TABLE.replace("20,f,500", f"20,f,{long}").replace("60,f,300", "60,f,few\x07"), encoding="utf-8")
    arguments = ("check", table, "--quasi", "age", "--sensitive", "income", "--kind", "income=number")
    shown = run(*arguments)
    assert (shown.code, shown.out) == (2, "")
    assert f"'{'x' * LONGEST_VALUE}…'" in shown.err
    assert "few�" in shown.err
    document = run(*arguments, "--json")
    assert "xxx" not in document.out
    assert document.error["code"] == 2


def test_what_an_interval_does_not_reach_is_said_on_stderr(run: Any, table: Path) -> None:
    told = run("check", table, "--quasi", "age", "--sensitive", "job", "--interval", "5")
    assert told.code == 0
    assert "(δ, l) is not measured" in told.err
    assert "(δ, l) is not measured" not in told.out


def test_groups_may_be_given_by_a_column_and_a_page_beside_the_answer(run: Any, table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    document = run("check", table, "--group", "sex", "--sensitive", "income", "--report", page, "--json").json
    assert (document["groups"], document["k"]) == (2, 3)
    assert page.read_text(encoding="utf-8").startswith("<!")
    taken = run("check", table, "--group", "sex", "--sensitive", "income", "--report", table, "--json")
    assert taken.error["code"] == 2
    assert table.read_text(encoding="utf-8") == TABLE


def test_the_help_names_every_other_measure_and_every_comparison_has_its_words() -> None:
    with_an_option = {"k", "closeness", "distinct_l"}
    assert {name.strip() for name in MORE.split(",")} == set(MEASURES) - with_an_option
    assert set(DIRECTIONS) == {"≥", "≤", "<"}


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        (("--policy", "absent.yaml", "--sensitive", "income"), "--policy was given without --lines"),
        (("--quasi", "age"), "No sensitive attribute was named"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run: Any, table: Path, options: tuple[str, ...], phrase: str) -> None:
    refused = run("check", table, *options)
    assert refused.code == 2
    assert phrase in " ".join(refused.err.split())
