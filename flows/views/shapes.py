"""The `--json` shapes (docs/reference-cli.md): contracts, so each is built in one place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policies.gates.figures import AttackGain, TableFigures
    from policies.gates.series_figures import SeriesFigures
    from policies.gates.verdict import Verdict
    from policies.ledger.run_problem import RunProblem
    from policies.ledger.standing import Release
    from policies.sealed.manifest import Plan
    from tasks.approval.answers import Answer
    from tasks.approval.inspection import Viewed
    from tasks.attacks.attack_candidate import AttackedCandidate
    from tasks.attacks.attempts import Attempt
    from tasks.ledger.history import WholeHistory
    from tasks.release.account import Account
    from tasks.service.socket_place import Place
    from tasks.verification.audit import AuditReport, EventLine
    from tasks.verification.verify import VerifyReport


def release_document(account: Account) -> dict[str, Any]:
    """A release as far as it came; what was not measured is absent, not zero."""
    document: dict[str, Any] = {
        "candidate": account.candidate or None,
        "dataset": account.dataset,
        "release": account.release_id,
        "state": str(account.state),
        "rows": account.rows,
        "suppressed": account.suppressed,
    }
    if account.suppressed_cells:
        document["suppressed_cells"] = dict(account.suppressed_cells)
    if account.unused:
        document["unused_values"] = dict(account.unused)
    if account.plan is not None:
        document["plan"] = plan_shape(account.plan)
    document["tables"] = [table_shape(figures) for figures in account.tables]
    document["gates"] = [verdict_shape(verdict) for verdict in account.verdicts]
    if account.utility is not None:
        document["utility"] = account.utility.model_dump(mode="json")
    if account.attack_gains:
        document |= attacks_shape(account.attack_gains)
    if account.series is not None:
        document["series"] = series_shape(account.series, account.versions)
    document["mlflow_run_id"] = account.mlflow_run_id
    document["folder"] = None if account.folder is None else str(account.folder)
    document["seconds"] = dict(account.seconds)
    return document


def manifest_document(viewed: Viewed) -> dict[str, Any]:
    """While votes are hidden `approved_by` is null."""
    manifest, release = viewed.candidate.manifest, viewed.release
    return {
        "candidate": release.candidate,
        "dataset": manifest.dataset,
        "release": manifest.release_id,
        "state": str(release.state),
        "rows": manifest.rows,
        "suppressed": manifest.suppressed,
        "people_checked": manifest.promise.people_checked,
        "combined": None if manifest.promise.combined is None else manifest.promise.combined.model_dump(mode="json"),
        "about": dict(manifest.about),
        "plan": plan_shape(manifest.plan),
        "tables": [table_shape(figures) for figures in manifest.tables],
        "gates": [verdict_shape(verdict) for verdict in manifest.verdicts],
        "utility": manifest.utility.model_dump(mode="json"),
        **attacks_shape(manifest.attack_gains),
        "series": None if manifest.series is None else series_shape(manifest.series, viewed.versions),
        "approvals": release.standing(),
        "approved_by": None if release.hides_votes else [decision.signer.principal for decision in release.approvals],
        "approvals_required": manifest.approvals_required,
        "roles_required": [role.model_dump(mode="json") for role in manifest.roles_required],
        "signers": [signer.principal for signer in manifest.signers if signer.principal != manifest.runner.principal],
        "runner": manifest.runner.principal,
        "last_word": None if viewed.last_word is None else asdict(viewed.last_word),
        "answers": [answer_shape(answer) for answer in viewed.answers],
        "answered_by": list(viewed.answered_by),
        "overtaken": viewed.overtaken,
        "mlflow_run_id": manifest.mlflow_run_id,
        "folder": str(viewed.candidate.folder),
        "recorded": not viewed.unrecorded,
    }


def answer_shape(answer: Answer) -> dict[str, Any]:
    changes = None if answer.changes is None else [change.model_dump(mode="json") for change in answer.changes]
    return {"request": asdict(answer.request), "policy_changed": answer.policy_changed, "changes": changes}


def plan_shape(plan: Plan) -> dict[str, Any]:
    return {
        "method": plan.method,
        "tables": [list(table) for table in plan.tables],
        "association_loss": plan.association_loss,
        "information_exposure": plan.information_exposure,
    }


def attacks_shape(gains: Sequence[AttackGain]) -> dict[str, Any]:
    """What each attack gains over guessing, and the one that gains most in words; gains are null where it could not be tried."""
    from policies.gates.figures import worst_attack

    return {
        "attacks": [{**gained.model_dump(mode="json"), "gain": gained.gain, "largest_gain": gained.largest_gain} for gained in gains],
        "worst_attack": worst_attack(gains) or None,
    }


def series_shape(figures: SeriesFigures, versions: Mapping[str, str]) -> dict[str, Any]:
    """`compared_with`: the versions, oldest first, by number and date. Counts of people are raised, so that they tell of nobody."""
    shape = figures.model_dump(mode="json", exclude={"earlier"})
    return {
        "compared_with": [{"candidate": candidate, "name": versions.get(candidate)} for candidate in figures.earlier],
        **shape,
        "linkability": figures.linkability if figures.earlier else None,
        "risk": figures.risk if figures.earlier else None,
    }


def verdict_shape(verdict: Verdict) -> dict[str, Any]:
    """`asked` stands there only where the policy allows less than it asks for."""
    shape = verdict.model_dump(mode="json")
    return shape if verdict.asked is not None else {name: value for name, value in shape.items() if name != "asked"}


def table_shape(figures: TableFigures) -> dict[str, Any]:
    """The figures of gates under their own names: a number, or one for each attribute or dictionary. What was not measured is absent."""
    from policies.gates.every_gate import GATES
    from policies.gates.gate import Per

    common = figures.model_dump(mode="json", exclude={"measured"})
    shape = {name: value for name, value in common.items() if value is not None and (name != "parts" or value)}
    for figure in (figure for gate in GATES for figure in gate.figures):
        values = {of: int(value) if figure.whole else value for of, value in figures.each(figure.name).items()}
        if figure.per is not Per.TABLE:
            shape[figure.name] = values
        elif values:
            shape[figure.name] = values[""]
    return shape


def attacks_document(attacked: AttackedCandidate) -> dict[str, Any]:
    manifest = attacked.candidate.manifest
    return {
        "candidate": attacked.candidate.id,
        "dataset": manifest.dataset,
        "release": manifest.release_id,
        "state": str(attacked.release.state),
        "rows": manifest.rows,
        "suppressed": manifest.suppressed,
        "people": attacked.people,
        "attacks": [_attempt_shape(attempt) for attempt in attacked.attempts],
    }


def _attempt_shape(attempt: Attempt) -> dict[str, Any]:
    """Where nothing is guessed of anybody there are no figures, only the sentence."""
    shape: dict[str, Any] = {"attack": attempt.attack, "tables": list(attempt.tables)}
    done = attempt.success
    if done is not None:
        shape |= {
            "guess": done.guess,
            "people": done.people,
            "right": done.right,
            "share": done.share,
            "interval": list(done.interval),
            "right_overall": done.right_overall,
            "share_overall": done.share_overall,
            "interval_overall": list(done.interval_overall),
            "gain": done.gain,
        }
        if done.sensitive is not None:
            shape |= {"sensitive": done.sensitive, "sensitive_overall": done.sensitive_overall, "sensitive_gain": done.harm}
    return {**shape, "sentence": attempt.sentence}


def releases_document(history: WholeHistory, listed: Sequence[Release], problems: Mapping[str, RunProblem]) -> dict[str, Any]:
    return {
        "releases": [
            {
                "dataset": release.dataset,
                "release": release.release_id,
                "started": history.of(release.release_id)[0].at,
                "candidate": release.candidate or None,
                "state": str(release.state),
                "approvals": release.standing() if release.candidate else 0,
                "required": release.required,
                "version": release.version,
                **problem_shape(problems.get(release.release_id)),
                "purged": release.purged or None,
            }
            for release in listed
        ]
    }


def problem_shape(problem: RunProblem | None) -> dict[str, Any]:
    """Only where a run failed or was refused. `step` is null where a gate refused it."""
    return {} if problem is None else {"problem": {**asdict(problem), "failed": list(problem.failed)}}


def verification_document(report: VerifyReport) -> dict[str, Any]:
    return {
        "passed": report.passed,
        "origin": report.origin,
        "dataset": report.dataset,
        "candidate": report.candidate,
        "version": report.version,
        "target": report.target or None,
        "withdrawn": bool(report.withdrawn),
        "approved_by": list(report.approved_by),
        "findings": [{"check": finding.check, "passed": finding.passed, "detail": finding.detail} for finding in report.findings],
        "not_measured": list(report.not_measured),
    }


def events_document(release: Release, lines: Sequence[EventLine]) -> dict[str, Any]:
    """Of a vote that is hidden it says that it was cast."""
    events = [
        {
            "seq": line.entry.seq,
            "at": line.entry.at or None,
            "actor": line.entry.actor or None,
            "type": line.entry.type,
            "hash": line.entry.hash,
            "payload": json.loads(line.entry.payload) if line.entry.payload else None,
            **({"reason": line.says["reason"]} if "reason" in line.says else {}),
        }
        for line in lines
    ]
    return {"release": release.release_id, "dataset": release.dataset, "state": str(release.state), "events": events}


def audit_document(report: AuditReport) -> dict[str, Any]:
    """Where there is a fault the command ends with an error instead."""
    return {
        "events": report.events,
        "releases": report.releases,
        "versions": report.versions,
        "head": report.head,
        "cosigned": [
            {"event": cosigned.head.seq, "fingerprint": cosigned.fingerprint, "principal": cosigned.who} for cosigned in report.cosigned
        ],
        "published": [{"folder": kept.where, "event": kept.seq} for kept in report.published],
        "unfinished": list(report.unfinished),
        "weaknesses": list(report.weaknesses),
        "lacking": list(report.lacking),
        "faults": [],
    }


def place_document(place: Place) -> dict[str, Any]:
    """What lies where the socket should; `mode` and `group` are null where nothing does."""
    mode = None if place.mode is None else f"{place.mode:04o}"
    return {"path": str(place.path), "mode": mode, "group": place.group or None, "listening": place.listened}
