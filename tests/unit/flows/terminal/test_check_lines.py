"""`headgate check --lines`: all refused cells of a column, for whoever has the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

REFUSED = """age,income
20,100
20,1.5.2
40,
60,many
"""


def test_the_cells_of_a_column_that_are_refused_are_listed_with_their_lines(run: Any, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(REFUSED, encoding="utf-8")
    shown = run("check", table, "--lines", "income", "--kind", "income=number")
    assert (shown.code, shown.out) == (2, "line 3  1.5.2\nline 5  many\n")
    assert "2 cells of 'income' are not numbers (in lines 3 and 5)." in shown.err
    assert "many" not in shown.err
    document = run("check", table, "--lines", "income", "--kind", "income=number", "--json")
    assert document.json["error"]["code"] == 2
    assert (document.json["refused"], document.json["place"], document.json["numbers"]) == (2, "line", [3, 5])
    assert "many" not in document.out + document.err
    none = run("check", table, "--lines", "age")
    assert (none.code, none.out) == (0, "No cell of 'age' is refused.\n")
    assert run("check", table, "--lines", "age", "--json").json == {"column": "age", "refused": 0, "place": "line", "numbers": []}


@pytest.mark.parametrize(
    ("options", "phrase"),
    [
        (("--lines", "age", "--sensitive", "income"), "--sensitive was given with --lines"),
        (("--lines", "age", "--kind", "income=number"), "--kind was given for another column"),
        (("--lines", "age", "--kind", "age=category"), "'category' is not a kind that refuses a cell"),
        (("--lines", "agee"), "Column 'agee' is not in the table"),
        (("--lines", "age", "--policy", "absent.yaml"), "absent.yaml"),
    ],
)
def test_options_that_do_not_go_with_lines_are_refused(run: Any, tmp_path: Path, options: tuple[str, ...], phrase: str) -> None:
    table = tmp_path / "people.csv"
    table.write_text(REFUSED, encoding="utf-8")
    refused = run("check", table, *options)
    assert refused.code == 2
    assert phrase in " ".join(refused.err.split())
