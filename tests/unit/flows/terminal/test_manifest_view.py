"""What an approver sees of a candidate on the terminal."""

from __future__ import annotations

import pytest

from flows.terminal.manifest_view import show_manifest
from policies.gates.verdict import Verdict
from policies.sealed.manifest import Manifest, Plan

CAPPED = "The required l of 5 is capped at 2, the number of distinct values in the table."


def shown(capsys: pytest.CaptureFixture[str], *verdicts: Verdict) -> str:
    plan = Plan(method="single", tables=(("job",),), columns=("job",), association_loss=0.0, information_exposure=1.0)
    manifest = Manifest.model_construct(title="", dataset="people", rows=9, suppressed=0, plan=plan, tables=(), verdicts=verdicts)
    show_manifest(manifest, "c" * 64, "sealed")
    return capsys.readouterr().out


def test_a_gate_that_passed_with_less_than_was_required_says_so_under_the_gates(capsys: pytest.CaptureFixture[str]) -> None:
    distinct = Verdict(
        gate="distinct_l", table="table-1", attribute="job", comparison="at least", measured=2, required=2, passed=True, remedy=CAPPED
    )
    k = Verdict(gate="k", table="table-1", comparison="at least", measured=9, required=3, passed=True)
    assert shown(capsys, k, distinct).splitlines()[-1] == f"distinct_l of job in table-1: {CAPPED}"
    assert ":" not in shown(capsys, k).splitlines()[-1]
