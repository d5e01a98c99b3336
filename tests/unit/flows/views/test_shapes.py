"""The `--json` shapes of the command line, each made from a small world, with exact numbers and without what was not measured."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from flows.views.shapes import (
    attacks_document,
    audit_document,
    manifest_document,
    plan_shape,
    release_document,
    table_shape,
    verdict_shape,
    verification_document,
)
from headgate.attacks.success import Success
from policies.gates.figures import QUERY_ERRORS, AttackGain, ReleaseUtility
from policies.gates.series_figures import SeriesFigures
from policies.ledger.states import State
from tasks.approval.inspection import Viewed
from tasks.attacks.attempts import Attempt
from tasks.ledger.history import read_history
from tasks.release.account import Account
from tasks.verification.audit import AuditReport
from tasks.verification.verify import Finding, VerifyReport
from tests.unit.claimed import claiming

GAINS = (AttackGain(attack="homogeneity", who="somebody is right about 'job'", people=60, right=30, right_overall=15),)
RELEASE = ["candidate", "dataset", "release", "state", "rows", "suppressed"]
VERDICT = ["gate", "table", "attribute", "dictionary", "bound", "comparison", "measured", "required", "passed", "remedy"]


def account(made: Any, **changes: Any) -> Account:
    manifest = made.manifest
    whole = Account(
        release_id="release-1",
        dataset="people",
        state=State.AWAITING_APPROVAL,
        candidate="ab" * 32,
        rows=60,
        suppressed=0,
        suppressed_cells={},
        unused={},
        plan=manifest.plan,
        tables=manifest.tables,
        verdicts=manifest.verdicts,
        utility=manifest.utility,
        attack_gains=GAINS,
        mlflow_run_id="run",
        folder=Path("/home/candidates/ab"),
        seconds={"ingest": 0.5},
    )
    return replace(whole, **changes)


def test_a_release_has_the_keys_of_the_contract(made: Any) -> None:
    document = release_document(account(made))
    assert list(document) == [
        *RELEASE,
        "plan",
        "tables",
        "gates",
        "utility",
        "attacks",
        "worst_attack",
        "mlflow_run_id",
        "folder",
        "seconds",
    ]
    assert document["plan"] == {
        "method": "given",
        "tables": [["job"], ["income"]],
        "association_loss": 0.2,
        "information_exposure": 0.1,
    }
    assert all(list(gate) == VERDICT for gate in document["gates"])
    assert {gate["comparison"] for gate in document["gates"]} == {"at least", "at most"}
    assert document["utility"].keys() == {*QUERY_ERRORS, "ncp", "suppressed_share"}
    assert document["seconds"] == {"ingest": 0.5}
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_what_was_not_measured_is_absent_and_not_zero(made: Any) -> None:
    ended = account(made, state=State.FAILED, candidate="", plan=None, tables=(), verdicts=(), utility=None, mlflow_run_id="", folder=None)
    document = release_document(ended)
    assert document.keys() & {"plan", "utility", "suppressed_cells"} == set()
    assert (document["candidate"], document["folder"], document["tables"], document["gates"]) == (None, None, [], [])
    assert release_document(replace(ended, suppressed_cells={"job": 2}))["suppressed_cells"] == {"job": 2}


def test_a_series_is_there_where_it_was_measured_with_its_versions_by_name(made: Any) -> None:
    figures = SeriesFigures(earlier=("ab" * 32,), people=500, several=400, came=100, left=20)
    document = release_document(account(made, series=figures, versions={"ab" * 32: "version 1 of 2026-01-01"}))
    assert document["series"]["compared_with"] == [{"candidate": "ab" * 32, "name": "version 1 of 2026-01-01"}]
    assert (document["series"]["came"], document["series"]["left"], document["series"]["linkability"]) == (100, 20, 0.0)
    assert "earlier" not in document["series"]
    unmeasured = release_document(account(made, series=SeriesFigures(not_measured=2, unmeasured="They were purged.")))["series"]
    assert (unmeasured["compared_with"], unmeasured["unmeasured"], unmeasured["linkability"]) == ([], "They were purged.", None)
    assert "series" not in release_document(account(made))


def test_a_table_has_its_figures_under_the_names_of_the_gates(made: Any) -> None:
    shape = table_shape(made.manifest.tables[1])
    assert (shape["name"], shape["sensitive"], shape["groups"], shape["k"], shape["rows"]) == ("table-2", ["income"], 10, 6, 60)
    assert type(shape["k"]) is int
    assert shape["delta_l"].keys() == {"income"}
    assert shape["closeness"].keys() == {"income"}
    assert shape.keys() & {"levels", "query_error_mean", "measured"} == set()
    assert shape["ncp"] == made.manifest.tables[1].ncp
    unmeasured = table_shape(claiming(made.manifest.tables[1], risk=None, linkability=None, delta_l=None))
    assert unmeasured.keys() & {"risk", "linkability"} == set()
    assert unmeasured["delta_l"] == {}


def test_a_candidate_is_shown_with_who_may_approve_and_who_has(world: Any) -> None:
    candidate = world.seal()
    world.approve(candidate, "bob")
    document = manifest_document(Viewed(candidate, read_history(world.ledger).find(candidate.id)))
    assert list(document) == [
        *RELEASE,
        *("people_checked", "combined", "about", "plan", "tables", "gates", "utility", "attacks", "worst_attack", "series"),
        *("approvals", "approved_by", "approvals_required", "roles_required", "signers", "runner"),
        *("last_word", "answers", "answered_by", "overtaken", "mlflow_run_id", "folder", "recorded"),
    ]
    assert (document["candidate"], document["approvals"], document["approved_by"], document["runner"]) == (
        candidate.id,
        1,
        ["bob"],
        "runner",
    )


def test_a_plan_names_its_tables_and_not_its_steps(made: Any) -> None:
    assert list(plan_shape(made.manifest.plan)) == ["method", "tables", "association_loss", "information_exposure"]


def test_what_attacks_gain_is_there_in_figures_and_the_worst_in_words(made: Any) -> None:
    document = release_document(account(made))
    (tried,) = document["attacks"]
    assert (tried["attack"], tried["people"], tried["gain"], tried["largest_gain"]) == ("homogeneity", 60, 0.25, 0.25)
    assert (
        document["worst_attack"]
        == "The attack that gains most: somebody is right about 'job' for 50.0 % of the people, against 25.0 % by guessing."
    )


def test_an_attack_that_guesses_has_figures_and_one_that_does_not_has_a_sentence(world: Any) -> None:
    candidate = world.seal()
    guessing = Attempt("Homogeneity", ("table-1",), "Said.", Success("Homogeneity", "the job", 1_000, 600, 100, 500, 50))
    anything = Attempt("Proximity", ("table-1",), "Said.", Success("Proximity", "the income", 10, 5, 5))
    attacked = SimpleNamespace(
        candidate=candidate,
        release=SimpleNamespace(state=State.APPROVED),
        people=60,
        attempts=(guessing, anything, Attempt("Linkage", ("table-1", "table-2"), "Nothing.")),
    )
    document = attacks_document(attacked)  # type: ignore[arg-type]
    assert list(document) == [*RELEASE, "people", "attacks"]
    figures = [
        "attack",
        "tables",
        "guess",
        "people",
        "right",
        "share",
        "interval",
        "right_overall",
        "share_overall",
        "interval_overall",
        "gain",
    ]
    first, second, third = document["attacks"]
    assert list(first) == [*figures, "sensitive", "sensitive_overall", "sensitive_gain", "sentence"]
    assert list(second) == [*figures, "sentence"]
    assert third == {"attack": "Linkage", "tables": ["table-1", "table-2"], "sentence": "table-1 and table-2: Nothing."}
    assert (first["share"], first["share_overall"], first["gain"]) == (0.6, 0.1, 0.5)
    assert first["sensitive_gain"] == 0.45


def test_a_verification_passes_only_with_all_its_findings() -> None:
    findings = (Finding("hashes", True, "All match."), Finding("claims", False, "k of table-1 is 4."))
    report = VerifyReport(Path("p/1"), findings, ("utility",), "origin proven", "ab", "people", "release-1", 1, ("ann", "bob"))
    assert verification_document(report) == {
        "passed": False,
        "origin": "origin proven",
        "dataset": "people",
        "candidate": "ab",
        "version": 1,
        "target": None,
        "withdrawn": False,
        "approved_by": ["ann", "bob"],
        "findings": [
            {"check": "hashes", "passed": True, "detail": "All match."},
            {"check": "claims", "passed": False, "detail": "k of table-1 is 4."},
        ],
        "not_measured": ["utility"],
    }
    assert verification_document(replace(report, findings=findings[:1]))["passed"] is True


def test_an_audit_counts_what_it_checked() -> None:
    report = AuditReport(7, 2, 1, "cd" * 32, (), unfinished=("Version 3 of people: withdraw release-3 again to finish it.",))
    assert audit_document(report) == {
        "events": 7,
        "releases": 2,
        "versions": 1,
        "head": "cd" * 32,
        "cosigned": [],
        "unfinished": ["Version 3 of people: withdraw release-3 again to finish it."],
        "weaknesses": [],
        "lacking": [],
        "faults": [],
        "published": [],
    }


def test_a_utility_that_was_measured_is_never_rounded(made: Any) -> None:
    third = ReleaseUtility(ncp=1 / 3, suppressed_share=0.1 + 0.2)
    assert release_document(account(made, utility=third))["utility"] == {
        **dict.fromkeys(QUERY_ERRORS),
        "ncp": 1 / 3,
        "suppressed_share": 0.30000000000000004,
    }


def test_what_was_asked_for_is_there_only_where_less_is_allowed(made: Any) -> None:
    verdict = made.manifest.verdicts[0]
    assert "asked" not in verdict_shape(verdict)
    assert verdict_shape(verdict.model_copy(update={"asked": 0.95}))["asked"] == 0.95
