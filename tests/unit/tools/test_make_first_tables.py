"""The tables that are laid at once are those that the migrations of the installed versions make."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.make_first_tables import unordered

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.long
def test_the_tables_are_what_the_migrations_make() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tools.make_first_tables", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_order_of_constraints_does_not_count_but_every_one_does() -> None:
    assert unordered("a,\nb\n") == unordered("b,\na\n")
    assert unordered("a,\nb\n") != unordered("a\n")
