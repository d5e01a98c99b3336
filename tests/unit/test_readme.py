"""The README's table of models names functions that exist, and every key that `check` takes."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from headgate.library.measures import MEASURES

README = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
TABLE = [line for line in README.splitlines() if line.startswith("|") and "`headgate." in line]
FUNCTIONS = re.findall(r"`(headgate(?:\.\w+)+)`", "\n".join(TABLE))


@pytest.mark.parametrize("path", FUNCTIONS)
def test_a_function_of_the_table_exists(path: str) -> None:
    module, _, name = path.rpartition(".")
    assert callable(getattr(import_module(module), name))


def test_every_key_of_check_is_in_the_table() -> None:
    keys = {key for line in TABLE for key in re.findall(r"`(\w+)`", line.split("|")[4])}
    assert keys == set(MEASURES)
