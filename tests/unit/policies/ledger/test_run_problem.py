"""Why a run came to no candidate, and what to do, from events that hold no text of an error."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from policies.ledger.events import ReleaseAbandoned, ReleaseRefused, RunFailed
from policies.ledger.run_problem import KINDS, STEPS, run_problem
from policies.sealed.manifest import Signer

BASE = {"release_id": "r1", "at": "2027-01-01T00:00:00+00:00"}


@pytest.mark.parametrize("code", [1, 2, 3, 4, 5, 6, 130])
def test_every_exit_code_has_its_own_cure(code: int) -> None:
    problem = run_problem([RunFailed(**BASE, step="plan", error="E", code=code)])
    assert problem is not None
    assert (problem.step, problem.code) == ("plan", code)
    assert problem.what == f"failed while choosing the tables: {KINDS[code][0]}"
    assert problem.cure[0].isupper()
    assert problem.cure.endswith(".")
    assert len({cure for _, cure in KINDS.values()}) == len(KINDS)


def test_a_refusal_names_its_gates_and_where_the_report_is() -> None:
    one = run_problem([ReleaseRefused(**BASE, failed=("k",))], "/home/refused/r1/report.html")
    two = run_problem([ReleaseRefused(**BASE, failed=("k", "linkability"))])
    assert one is not None
    assert two is not None
    assert (one.what, two.what) == ("was refused: k was not met", "was refused: k and linkability were not met")
    assert one.cure.startswith("Read /home/refused/r1/report.html: ")
    assert two.cure.startswith("Run `headgate release POLICY`: ")


def test_a_run_whose_process_died_is_told_as_that() -> None:
    taken = RunFailed(**BASE, step="abandoned", error="ProcessDied", code=6, reason="Its process died.")
    signer = Signer(principal="olga", fingerprint="f")
    digests = dict.fromkeys(("policy_digest", "statement_sha256", "reason_sha256"), "a" * 64)
    for event in (taken, ReleaseAbandoned(**BASE, signer=signer, candidate="", **digests)):
        problem = run_problem([event])
        assert problem is not None
        assert problem.what == "failed: its process ended before the run did"


def test_a_run_that_went_well_has_no_problem() -> None:
    assert run_problem([]) is None


def test_every_step_of_a_release_is_said_in_words() -> None:
    """Read from the list of steps, so that a new one is not shown as a name of ours."""
    root = Path(__file__).resolve().parents[4]
    tree = ast.parse((root / "tasks" / "release" / "release_steps.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Step"]
    steps = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    assert len(steps) > 10
    assert steps <= set(STEPS)
