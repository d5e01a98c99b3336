"""`headgate release`: what is looked at before a server is started, and how each end of a run is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows import release as flow
from headgate.core.errors import HeadgateError, RequirementNotMet
from policies.ledger.events import NothingNew, RunStarted
from policies.ledger.states import State
from tasks.release import beforehand
from tasks.release.account import Account
from tasks.release.listener import listener_here

HONEST = beforehand.require_possible


class Ending:
    """Takes the place of the flow: notes its arguments, tells its listener what it came to, and ends so."""

    def __init__(self) -> None:
        self.given: list[tuple[Any, ...]] = []
        self.account: Account | None = None
        self.problem: HeadgateError | None = None
        self.before = lambda _release_id: None

    def __call__(self, *given: Any) -> str:
        self.given.append((given[0], flow._instead.get(), *given[1:]))
        self.before(given[-1])
        if self.account is not None:
            listener_here().finished(self.account)
        if self.problem is not None:
            raise self.problem
        return flow.NOTHING_NEW if self.account is None else self.account.candidate


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch, without_server: None) -> Ending:
    ends = Ending()
    monkeypatch.setattr(flow, "release", ends)
    monkeypatch.setattr(beforehand, "require_possible", lambda *_given: None)  # it has tests of its own
    return ends


@pytest.fixture
def policy(clinic: Any) -> Path:
    clinic.load()
    return Path(clinic.folder / "policy.yaml")


@pytest.fixture
def account(world: Any) -> Account:
    candidate = world.seal()
    manifest = candidate.manifest
    return Account(
        release_id=manifest.release_id,
        dataset=manifest.dataset,
        state=State.AWAITING_APPROVAL,
        candidate=candidate.id,
        rows=manifest.rows,
        suppressed=0,
        suppressed_cells={},
        unused={},
        plan=manifest.plan,
        tables=manifest.tables,
        verdicts=manifest.verdicts,
        utility=manifest.utility,
        attack_gains=manifest.attack_gains,
        mlflow_run_id="run",
        folder=candidate.folder,
        seconds={"ingest": 0.5},
    )


def test_a_candidate_is_one_object_on_stdout(run: Any, ending: Ending, policy: Path, account: Account, world: Any) -> None:
    ending.account = account
    released = run("release", policy, "--json")
    assert released.code == 0
    assert (released.json["candidate"], released.json["state"]) == (account.candidate, "awaiting_approval")
    assert all(gate["passed"] for gate in released.json["gates"])
    assert released.err == f"home {world.home.root}\n"


def test_people_see_the_candidate_and_what_is_needed(run: Any, ending: Ending, policy: Path, account: Account, world: Any) -> None:
    ending.account = account
    released = run("release", policy)
    assert released.code == 0
    assert f"candidate {account.candidate}" in released.out
    assert released.out.rstrip().endswith(f"headgate approve {account.candidate[:12]} --key KEY --reason TEXT")
    assert str(world.home.root) in released.err


def test_the_flow_is_given_absolute_paths_and_an_id_of_its_own(
    run: Any, ending: Ending, policy: Path, account: Account, key_file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending.account = account
    key = key_file("runner")
    monkeypatch.chdir(policy.parent.parent)
    relative = (f"{policy.parent.name}/policy.yaml", "--source", "other.csv", "--key", key.name, "--if-changed")
    assert run("release", *relative).code == run("release", policy).code == 0
    first, second = ending.given
    assert first[:4] == (str(policy), policy.parent.parent / "other.csv", str(key), True)
    assert second[:4] == (str(policy), None, None, False)
    assert first[4] != second[4]


def test_what_is_wrong_with_policy_or_key_is_told_before_anything_starts(
    run: Any, ending: Ending, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beforehand, "require_possible", HONEST)
    broken = policy.with_name("broken.yaml")
    broken.write_text("dataset: clinic\n", encoding="utf-8")
    for arguments in ((broken,), (policy.with_name("absent.yaml"),), (policy, "--key", tmp_path / "no key")):
        refused = run("release", *arguments, "--json")
        assert refused.error["code"] == 2
        assert list(refused.json) == ["error"]
    assert ending.given == []


def test_a_refused_release_has_its_figures_beside_the_error_and_its_failed_gates_on_stderr(
    run: Any, ending: Ending, policy: Path, account: Account, tmp_path: Path
) -> None:
    remedy = "Raise k."
    failed = [verdict.model_copy(update={"passed": False, "remedy": remedy}) for verdict in account.verdicts if verdict.gate == "closeness"]
    passed = [verdict for verdict in account.verdicts if verdict.gate != "closeness"]
    folder = tmp_path / "refused"
    ending.account = replace(account, state=State.REFUSED, candidate="", verdicts=(*passed, *failed), folder=folder)
    ending.problem = RequirementNotMet("In table-1, closeness is 0.95; at most 0.9 is allowed.", "Lower t.", "closeness", 0.95, 0.9)
    document = run("release", policy, "--json")
    assert document.error == {"code": 3, "message": ending.problem.message, "cure": "Lower t."}
    assert (document.json["state"], document.json["candidate"]) == ("refused", None)
    ending.problem.document = None
    told = run("release", policy)
    assert (told.code, told.out) == (3, "")
    assert "closeness of job" in told.err
    assert "linkability" not in told.err
    assert remedy in told.err
    assert f"report {folder}/report.html" in told.err
    assert told.err.index("report ") < told.err.index("In table-1, closeness is 0.95")


def test_a_run_that_failed_early_has_no_gates_to_show(run: Any, ending: Ending, policy: Path) -> None:
    ending.problem = HeadgateError("It broke.", "Report this defect.")
    broken = run("release", policy, "--json")
    assert broken.json == {"error": {"code": 1, "message": "It broke.", "cure": "Report this defect."}}


def test_nothing_new_names_the_candidate_that_there_is_and_its_state(run: Any, ending: Ending, policy: Path, world: Any) -> None:
    candidate = world.seal()
    manifest = candidate.manifest

    def append_the_end(release_id: str) -> None:
        base = {"release_id": release_id, "at": world.ledger.now().isoformat()}
        begun = RunStarted(**base, dataset="people", policy_digest=manifest.policy_digest, runner=manifest.runner, product="headgate")
        world.ledger.append(release_id, (begun, NothingNew(**base, candidate=candidate.id)), 0, "runner")

    ending.before = append_the_end
    document = run("release", policy, "--if-changed", "--json")
    assert document.code == 0
    assert document.json == {
        "candidate": candidate.id,
        "dataset": "people",
        "state": "nothing_new",
        "candidate_state": "awaiting_approval",
    }
    told = run("release", policy, "--if-changed")
    assert told.out == f"Nothing new: this source and policy already have candidate {candidate.id[:12]} (awaiting approval).\n"
