"""The README's table of models names functions that exist, and every key that `check` takes. Its example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import headgate as hg
from headgate.library.measures import MEASURES

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = [line for line in README.splitlines() if line.startswith("|") and "`hg." in line]


@pytest.mark.parametrize("line", TABLE, ids=lambda line: line.split("|")[1].strip())
def test_every_model_of_the_table_has_a_function(line: str) -> None:
    names = re.findall(r"`hg\.(\w+)`", line.split("|")[2])
    assert names
    assert set(names) <= set(hg.__all__)


def test_every_key_of_check_is_in_the_table() -> None:
    keys = {key for line in TABLE for key in re.findall(r"`(\w+)`", line.split("|")[4])}
    assert keys == set(MEASURES)


def test_the_example_in_python_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(block, "README.md", "exec"), {})
