"""Step 8: a folder under the digest of its manifest, and nothing that can still fail after the ledger's word. MLflow is a list here."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import Defect, InputRejected, IntegrityBroken, RequirementNotMet, StoreUnavailable
from policies.ledger.fold import fold
from policies.ledger.states import State
from tasks.approval.approvals import operator_roots
from tasks.release.closing import seal_candidate as sealing
from tasks.release.closing.assemble import seed_commitment
from tasks.release.closing.seal_candidate import seal_candidate
from tasks.stores.files import check_files
from tasks.stores.seal import MANIFEST, MANIFEST_SIGNATURE, load_candidate
from tests.unit.tasks.release.finished import Made


@pytest.fixture
def mlflow(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    runs: list[tuple[str, str]] = []
    monkeypatch.setattr(sealing, "tag_candidate", lambda run_id, candidate, _home: runs.append((run_id, candidate)))
    return runs


def states_of(made: Made) -> list[str]:
    return [event.event for event in made.run.ledger.events_of("run")]


def test_a_candidate_is_sealed_and_the_ledger_and_mlflow_name_it(tracked: Made, mlflow: list[tuple[str, str]], canary: str) -> None:
    sealed = seal_candidate(tracked.run, tracked.so_far(mlflow_run_id="m-1"))
    assert sealed.state is State.AWAITING_APPROVAL
    assert mlflow == [("m-1", sealed.candidate)]
    candidate = load_candidate(tracked.run.home.candidates, sealed.candidate)
    assert (candidate.folder, candidate.id) == (sealed.folder, sealed.candidate)
    listed = {entry.path for entry in candidate.manifest.files}
    assert listed == {
        "datapackage.json",
        "expectations.json",
        "page.json",
        "report.html",
        *(file.path for table in tracked.written for file in table.files),
    }
    told = json.loads((sealed.folder / "expectations.json").read_text())
    assert len(told) == sum(checked.expectations for checked in tracked.checked)
    assert set(told[0]) == {"side", "table", "type", "column", "success"}
    assert not [path for path in sealed.folder.rglob("*") if path.is_file() and canary.encode() in path.read_bytes()]
    check_files(sealed.folder, candidate.manifest.files, [MANIFEST, MANIFEST_SIGNATURE])


def test_the_seed_is_kept_with_the_keys_and_opens_the_commitment(tracked: Made, mlflow: Any) -> None:
    sealed = seal_candidate(tracked.run, tracked.so_far(mlflow_run_id="m-1"))
    kept = tracked.run.home.keys / "seeds" / sealed.candidate
    assert kept.stat().st_mode & 0o077 == 0
    manifest = load_candidate(tracked.run.home.candidates, sealed.candidate).manifest
    assert seed_commitment(bytes.fromhex(kept.read_text().strip())) == manifest.seed_commitment


def test_a_table_that_changed_since_it_was_measured_is_not_sealed(made: Made, mlflow: Any) -> None:
    path = made.run.stage / made.written[0].files[0].path
    path.chmod(0o644)
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(IntegrityBroken) as caught:
        seal_candidate(made.run, made.so_far(mlflow_run_id="m-1"))
    assert caught.value.code == 5
    assert (mlflow, states_of(made)) == ([], ["run_started"])


@pytest.mark.parametrize("name", ["report.html", "page.json", "datapackage.json", "expectations.json"])
def test_a_description_that_changed_since_it_was_written_is_not_sealed(
    made: Made, mlflow: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Only the tables were pinned: approvers could be shown another report than was written."""
    honest = sealing.write_file

    def rewriting(folder: Path, path: str, content: bytes) -> None:
        honest(folder, path, content + b" " if path == name else content)

    monkeypatch.setattr(sealing, "write_file", rewriting)
    with pytest.raises(IntegrityBroken, match=f"{name} was changed"):
        seal_candidate(made.run, made.so_far(mlflow_run_id="m-1"))
    assert list(made.run.home.candidates.iterdir()) == []


def test_a_release_that_a_gate_refuses_or_that_is_not_done_is_not_sealed(made: Made, mlflow: Any) -> None:
    get, put = made.run.spool.get, made.run.spool.put
    judgement = get(made.judged.judgement)
    missed = judgement.verdicts[0].model_copy(update={"passed": False, "measured": 2.0})
    refused = replace(made.judged, judgement=put(replace(judgement, verdicts=(missed, *judgement.verdicts[1:]))))
    with pytest.raises(RequirementNotMet):
        seal_candidate(made.run, made.so_far(judged=refused))
    with pytest.raises(Defect):
        seal_candidate(made.run, made.so_far(attacked=None))
    assert list(made.run.home.candidates.iterdir()) == []


def test_where_mlflow_does_not_answer_the_ledger_hears_of_no_candidate(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: Any) -> None:
        raise StoreUnavailable("MLflow did not answer.", "Start it.")

    monkeypatch.setattr(sealing, "tag_candidate", absent)
    with pytest.raises(StoreUnavailable):
        seal_candidate(made.run, made.so_far(mlflow_run_id="m-1"))
    assert states_of(made) == ["run_started"]


def test_what_the_operator_demands_by_then_is_sealed_or_refused(tracked: Made, mlflow: Any) -> None:
    """Hours pass between the start of a run and its candidate."""
    run, people = tracked.run, operator_roots(tracked.run.home).people(tracked.run.ledger.now())
    approver = next(person for person in people if person != run.runner.principal)
    demands = run.home.root / "operator.yaml"
    demands.write_text("roles: {law: [somebody-else]}\nfloor: {roles: {law: 1}}\n")
    with pytest.raises(InputRejected, match="1 more person with the role law would be needed"):
        seal_candidate(run, tracked.so_far(mlflow_run_id="m-1"))
    assert list(run.home.candidates.iterdir()) == []
    demands.write_text(f"roles: {{law: [{approver}]}}\nfloor: {{roles: {{law: 1}}}}\n")
    sealed = seal_candidate(run, tracked.so_far(mlflow_run_id="m-1"))
    manifest = load_candidate(run.home.candidates, sealed.candidate).manifest
    assert [(role.role, role.people) for role in manifest.roles_required] == [("law", (approver,))]
    assert manifest.operator_digest == hashlib.sha256(demands.read_bytes()).hexdigest()
    release = fold(run.ledger.events_of("run"))
    assert (release.roles, release.blind, release.answers) == (manifest.roles_required, manifest.blind, manifest.answers)
    assert (manifest.blind, manifest.answers) == (run.policy.approval.blind, ())
