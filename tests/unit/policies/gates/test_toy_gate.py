"""A gate is one file and a place in the tuple: a toy gate from outside the tree is seen everywhere, and nothing else was edited."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # whichever test comes first runs the journey

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The groups' incomes are 100 and 120, and 300 and 310: variances 100 and 25, where at least 100 is required."""
    script = Path(__file__).with_name("toy_journey.py")
    folder = tmp_path_factory.mktemp("toys")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, str(script), str(folder)], capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_its_key_is_a_key_of_the_policy(seen: dict[str, Any]) -> None:
    assert seen["policy"] == {"income": "100"}
    assert "did you mean variance?" in seen["misspelt"]
    assert "gates.variance.job: found 'job', which is of kind category" in seen["wrong kind"]
    assert seen["requirement"]["required"] == "100"


def test_it_is_measured_and_judged_and_refuses_in_its_own_words(seen: dict[str, Any]) -> None:
    place = {"gate": "variance", "table": "table-1", "attribute": "income", "dictionary": None, "bound": None}
    verdict = {"comparison": "at least", "measured": 25.0, "required": 100.0, "asked": None, "passed": False}
    assert seen["verdict"] == {**place, **verdict, "remedy": "Raise k, or accept a smaller gates.variance."}
    assert seen["refusal"].startswith("In table-1, the variance of income in some group is only 25; at least 100 is required. Raise k,")


def test_a_search_may_not_take_it_for_monotone(seen: dict[str, Any]) -> None:
    assert seen["monotone"] == [False, True]


def test_the_terminal_and_json_show_it(seen: dict[str, Any]) -> None:
    line = next(line for line in seen["terminal"].splitlines() if "variance" in line)
    assert line.split() == ["variance", "of", "income", "table-1", "25", "at", "least", "100", "refused"]
    assert seen["json"] == {"income": 25.0}


def test_the_report_shows_it_with_its_meaning(seen: dict[str, Any]) -> None:
    for part in ("variance of income", "at least 100", "variance: income", "Least variance of the attribute in a group."):
        assert part in seen["report"]
    assert "In every group the values of the attribute are spread at least this much." in seen["report"]


def test_mlflow_is_told_it_by_name(seen: dict[str, Any]) -> None:
    told = seen["mlflow"]
    assert (told["variance/income"], told["variance_min"]) == (25.0, 25.0)
    assert '"variance", "table-1", "income"' in told["gates.json"]


def test_verify_measures_it_again(seen: dict[str, Any]) -> None:
    assert seen["verify"] == ["1 table", "A false claim about table table-1: variance of income is claimed as 400 and is 25."]


def test_the_policy_reference_lists_it(seen: dict[str, Any]) -> None:
    assert "| `variance` | `{attribute: v}`: least variance of the attribute in each group |" in seen["reference"]
    assert "| `variance` | at least | In every group the values of the attribute are spread at least this much. |" in seen["reference"]
