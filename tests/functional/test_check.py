"""`headgate check` as a person runs it, on files made on the spot: figures, thresholds, the page, and bad input."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from flows.cli import app
from flows.cli.check import MORE
from flows.terminal.exit_codes import run_application
from headgate.library.measures import MEASURES

Told = tuple[int, str, str]
UNREADABLE = Path("/proc/self/mem")


@pytest.fixture
def people(tmp_path: Path) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 24, 300),
            "sex": rng.choice(["f", "m"], 300),
            "illness": rng.choice(["flu", "cold", "asthma"], 300, p=[0.6, 0.3, 0.1]),
            "income": rng.integers(10, 40, 300) * 100,
        }
    )
    frame.to_csv(tmp_path / "people.csv", index=False)
    return frame


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def command(*words: Any) -> Told:
        code = run_application(app, ["check", *map(str, words)])
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return command


def test_a_table_of_principles_has_a_line_for_each_and_a_verdict_where_one_was_asked(people: Any, run: Any, tmp_path: Path) -> None:
    code, out, err = run(
        *(tmp_path / "people.csv", "--quasi", "age,sex", "--sensitive", "illness,income", "--k", 2),
        *("--epsilon", 0.1, "--delta", 0.1, "--interval", 300, "--require", "alpha=0.95"),
    )
    assert code == 0, err
    for meaning in MEASURES.values():
        assert meaning.title in out
    sizes = people.groupby(["age", "sex"]).size()
    assert re.search(rf"k-anonymity +{sizes.min()} +≥ 2 +0 +0 +passed", out)
    share = max(Counter(part).most_common(1)[0][1] / len(part) for _, part in people.groupby(["age", "sex"])["illness"])
    assert re.search(rf"\(α, k\)-anonymity +illness +{share:.4g} +≤ 0.95 +0 +0 +passed", out)
    assert "refused" not in out


def test_what_is_missed_is_told_with_groups_and_rows_and_ends_in_three(people: Any, run: Any, tmp_path: Path) -> None:
    sizes = people.groupby(["age", "sex"]).size()
    wanted = int(sizes.min()) + 1
    short = sizes[sizes < wanted]
    code, out, err = run(tmp_path / "people.csv", "--quasi", "age,sex", "--sensitive", "illness", "--k", wanted, "--require", "entropy_l=9")
    assert code == 3
    assert re.search(rf"k-anonymity +{sizes.min()} +≥ {wanted} +{len(short)} +{short.sum()} +refused", out)
    assert f"k-anonymity is {sizes.min()}; at least {wanted} is required" in err
    assert "entropy l-diversity of illness is" in err
    code, out, err = run(tmp_path / "people.csv", "--quasi", "age,sex", "--sensitive", "illness", "--k", wanted, "--json")
    document = json.loads(out)
    assert (code, document["error"]["code"], document["k"]) == (3, 3, sizes.min())


def test_the_json_is_the_contracts_and_nothing_else(people: Any, run: Any, tmp_path: Path) -> None:
    code, out, _ = run(tmp_path / "people.csv", "--quasi", "age,sex", "--sensitive", "illness", "--json")
    assert code == 0
    assert set(json.loads(out)) == {"rows", "groups", "k", "mean_group", "discernibility", "reidentification", "sensitive"}


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]


def test_the_page_stands_alone_and_has_the_pictures(people: Any, run: Any, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    code, _, _ = run(
        *(tmp_path / "people.csv", "--quasi", "age,sex", "--sensitive", "illness,income"),
        *("--epsilon", 0.1, "--k", 1000, "--report", page),
    )
    assert code == 3  # the page is written all the same
    text = page.read_text(encoding="utf-8")
    parsed = _Page()
    parsed.feed(text)
    assert parsed.tags["svg"] == 4
    assert not [address for address in parsed.addresses if not address.startswith("#")]
    assert "http" not in text.replace("http-equiv", "")
    assert "1 of the required figures is not met" in text
    assert not [name for name in ("flu", "asthma") if name in text]  # names of columns, never values


def test_a_published_table_is_measured_by_its_group_numbers(people: Any, run: Any, tmp_path: Path) -> None:
    people.assign(group=people["age"]).drop(columns="age").to_parquet(tmp_path / "t.parquet")
    code, out, _ = run(tmp_path / "t.parquet", "--group", "group", "--sensitive", "illness", "--json")
    assert (code, json.loads(out)["groups"]) == (0, people["age"].nunique())


GOOD = ("--quasi", "age,sex", "--sensitive", "illness")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--quasi", "agee,sex", "--sensitive", "illness"), "'agee' is not in the table. Cure: Did you mean 'age'"),
        (("--quasi", "age,illness", "--sensitive", "illness"), "named twice"),
        (("--sensitive", "illness"), "No quasi-identifier was named"),
        (("--quasi", "age", "--sensitive", ""), "No sensitive attribute was named"),
        ((*GOOD, "--epsilon", -1), "of at least 0"),
        ((*GOOD, "--epsilon", "nan"), "not a number"),
        ((*GOOD, "--epsilon", 0.1, "--delta", 1.5), "between 0 and 1"),
        ((*GOOD, "--delta", 0.5), "without ε"),
        (("--quasi", "age", "--sensitive", "income", "--interval", -1), "not a finite number"),
        ((*GOOD, "--require", "alpha"), "MEASURE=NUMBER"),
        ((*GOOD, "--kind", "illness=number"), "not numbers"),
        ((*GOOD, "--kind", "illness=colour"), "kind of 'illness' is unknown"),
        ((*GOOD, "--kind", "age=number"), "'age' is not among the sensitive"),
        ((*GOOD, "--hierarchy", "illness=nothing.csv"), "nothing.csv does not exist"),
        ((*GOOD, "--require", "alhpa=1"), "'alhpa' is not a measure"),
        ((*GOOD, "--require", "alpha=much"), "not a number"),
        ((*GOOD, "--require", "k=2", "--k", "3"), "required twice"),
        ((*GOOD, "--require", "variance=2"), "cannot be measured here. Cure: It needs a sensitive attribute that is a number"),
        ((*GOOD, "--require", "clique=0.5"), "It needs ε (--epsilon)"),
        ((*GOOD, "--epsilon", 0.1, "--delta", 0.5, "--require", "risk=0.3"), "'risk' is required twice"),
        ((*GOOD, "--k", 0), "'k' is below 1"),
        ((*GOOD, "--max-closeness", -1), "'closeness' is below 0"),
        ((*GOOD, "--kind", "illness=ordinal"), "Use one of number, integer, date, category, set"),
        (("--quasi", "age", "--quasi", "sexx", "--sensitive", "illness"), "'sexx' is not in the table"),
        ((*GOOD, "--report", "/nowhere/at/all.html"), "cannot be written"),
    ],
)
def test_a_question_that_cannot_be_answered_ends_in_two(people: Any, run: Any, tmp_path: Path, words: Any, said: str) -> None:
    code, out, err = run(tmp_path / "people.csv", *words)
    assert code == 2
    assert said in " ".join(err.split())
    assert out == ""
    assert "Traceback" not in err


def _truncated(folder: Path, frame: pd.DataFrame) -> Path:
    frame.to_parquet(folder / "t.parquet")
    (folder / "t.parquet").write_bytes((folder / "t.parquet").read_bytes()[:-200])
    return folder / "t.parquet"


def _written(text: str) -> Callable[[Path, pd.DataFrame], Path]:
    def write(folder: Path, _: pd.DataFrame) -> Path:
        (folder / "t.csv").write_text(text, encoding="utf-8")
        return folder / "t.csv"

    return write


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (_truncated, "not a whole Parquet file"),
        (lambda folder, _: folder, "is a folder"),
        (lambda folder, _: folder / "nothing.csv", "does not exist"),
        (_written(""), "is empty"),
        (_written("age,sex,illness\n"), "no rows"),
        (_written("age,sex,illness,illness\n1,f,a,b\n"), "Columns 3 and 4"),
        (_written("age,sex,illness\n1,f\n"), "1 line does not have the 3 fields"),
        (_written("age,sex,illness\n1,f,inf\n2,f,2\n3,f,4\n"), "1 of the 3 distinct values of 'illness' is not a finite number"),
        (_written("age,sex,illness\n1,f,many\n2,f,2\n"), "--kind illness=category"),
        pytest.param(
            lambda *_: Path("/proc/self/mem"),
            "cannot be read",
            marks=pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="Linux"),
        ),
    ],
)
def test_a_file_that_is_no_table_ends_in_two(people: Any, run: Any, tmp_path: Path, make: Any, said: str) -> None:
    code, out, err = run(make(tmp_path, people), *GOOD)
    assert (code, out) == (2, "")
    assert said in " ".join(err.split())
    assert "Traceback" not in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_file_without_read_right_is_said_to_have_none(people: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "people.csv").chmod(0)
    code, _, err = run(tmp_path / "people.csv", *GOOD)
    assert code == 2
    assert "Check its permissions" in " ".join(err.split())


def test_kinds_and_hierarchies_may_be_given(people: Any, run: Any, tmp_path: Path) -> None:
    tree = tmp_path / "illness.csv"
    tree.write_text("flu;lung;*\ncold;lung;*\nasthma;lung;*\n", encoding="utf-8")
    far, near = (
        json.loads(run(tmp_path / "people.csv", *GOOD, "--epsilon", 0.5, "--json", *more)[1])["proximity"]["risk"]
        for more in ((), ("--hierarchy", f"illness={tree}"))
    )
    assert far < near == 1
    tree.write_text("flu;lung;*\ncold;lung;*\n", encoding="utf-8")
    code, _, err = run(tmp_path / "people.csv", *GOOD, "--hierarchy", f"illness={tree}")
    assert code == 2
    assert "among its hierarchy's leaves" in err
    assert "in the file: line" in err
    assert "'asthma'" in err
    codes = tmp_path / "codes.csv"
    codes.write_text("age,icd\n1,250\n1,V58\n", encoding="utf-8")
    assert run(codes, "--quasi", "age", "--sensitive", "icd", "--kind", "icd=category")[0] == 0


def test_cells_of_a_million_characters_are_values_like_others(run: Any, tmp_path: Path) -> None:
    pd.DataFrame({"age": [1, 1], "sex": ["x" * 10**6, "x" * 10**6], "illness": ["y" * 10**6, "z"]}).to_csv(tmp_path / "t.csv", index=False)
    code, out, err = run(tmp_path / "t.csv", *GOOD, "--json")
    assert (code, json.loads(out)["k"]) == (0, 2), err


def test_the_page_is_never_written_over_the_table_or_any_file_that_is_no_page(people: Any, run: Any, tmp_path: Path) -> None:
    table, page = tmp_path / "people.csv", tmp_path / "page.html"
    before = table.read_bytes()
    code, out, err = run(table, *GOOD, "--report", table)
    assert (code, out, table.read_bytes()) == (2, "", before)
    assert "Name another file for the page" in " ".join(err.split())
    assert [run(table, *GOOD, "--report", page)[0] for _ in range(2)] == [0, 0]  # a page is made again


def test_an_option_for_names_may_be_repeated_and_a_name_may_hold_a_comma(run: Any, tmp_path: Path) -> None:
    pd.DataFrame({"name, first": ["a", "a", "b"], " c ": [1, 2, 2], "d": ["x", "y", "y"]}).to_csv(tmp_path / "t.csv", index=False)
    code, out, err = run(tmp_path / "t.csv", "--quasi", '"name, first"', "--quasi", '" c "', "--sensitive", "d", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["groups"] == 3
    assert json.loads(run(tmp_path / "t.csv", "--quasi", '"name, first", " c "', "--sensitive", "d", "--json")[1])["groups"] == 3


def test_a_table_without_thresholds_has_no_empty_columns_and_says_how_values_were_compared(people: Any, run: Any, tmp_path: Path) -> None:
    words = (tmp_path / "people.csv", "--quasi", "age,sex", "--sensitive", "illness,income")
    _, out, err = run(*words, "--report", tmp_path / "page.html")
    assert re.search(r"principle +attribute +figure +groups +rows *\n", out)
    assert "values compared by equality: illness; as numbers: income" in out
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Verdict" not in page
    assert "Values compared by equality: illness; as numbers: income." in page
    _, out, err = run(*words, "--require", "recursive_c=1000")
    assert re.search(r"\(c, 2\)-diversity +illness +[\d.]+ +< 1,000 ", out)  # c itself would not do
    _, _, err = run(tmp_path / "people.csv", *GOOD, "--interval", 3)
    assert "(δ, l) is not measured" in err


def test_large_figures_are_written_out(people: Any, run: Any, tmp_path: Path) -> None:
    people.assign(income=people["income"] * 1000.25).to_csv(tmp_path / "people.csv", index=False)
    _, out, _ = run(tmp_path / "people.csv", "--quasi", "age,sex", "--sensitive", "income", "--report", tmp_path / "page.html")
    assert not re.search(r"\de\+", out + (tmp_path / "page.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("more", "wanted"), [((), 0), (("--json",), 0), (("--k", "1000"), 3), (("--k", "1000", "--json"), 3)])
def test_a_reader_that_stops_early_changes_nothing_about_the_exit_code(people: Any, tmp_path: Path, more: Any, wanted: int) -> None:
    words = [sys.executable, "-m", "flows.cli", "check", str(tmp_path / "people.csv"), *GOOD, *more]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        told = child.stderr.read()
    assert child.returncode == wanted, told
    assert "Exception" not in told
    assert "Traceback" not in told


def test_the_help_names_every_measure_that_has_no_option_of_its_own() -> None:
    assert set(MORE.split(", ")) == set(MEASURES) - {"k", "closeness", "distinct_l"}
