"""Opening a release: who runs it and who may approve is known first, its dataset is locked, and nothing is left when it ends."""

from __future__ import annotations

import hashlib
import shutil
import time
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import Defect, InputRejected, PolicyInvalid, TransitionRefused
from policies.ledger.events import RunStarted
from policies.words.quorum import Quorum
from tasks.approval.registered_policies import register
from tasks.ledger.dataset_lock import acquire, this_process
from tasks.ledger.open_ledger import open_ledger
from tasks.reading.references import load_policy
from tasks.release.listener import Listener, listening
from tasks.release.run import begun, opened_release, product, runner_of, scheduled_policy
from tasks.runtime.home import Home
from tasks.signing.home_keys import load_or_make, machine_key
from tasks.signing.keys import PrivateKey, make_key


@pytest.fixture
def home(tmp_path: Path, key_folder: Path, keys: dict[str, PrivateKey], monkeypatch: pytest.MonkeyPatch) -> Home:
    """Ann and Bob may sign, and so may the runner."""
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "home"))
    home = Home.open()
    home.signers.write_text("".join(f"{name} {keys[name].public}\n" for name in ("ann", "bob", "runner")))
    shutil.copy2(key_folder / "runner", steward(home))
    return home


def steward(home: Home) -> Path:
    """The key of the runner, which is their own."""
    return home.root.parent / "runner"


@pytest.fixture
def policy(clinic: Any) -> Path:
    return clinic.load().path


def test_a_run_has_a_private_folder_a_key_and_a_seed_of_its_own(home: Home, policy: Path) -> None:
    with opened_release(policy, None, steward(home), "r-1") as run:
        assert run.stage == home.staging / "r-1"
        assert run.stage.stat().st_mode & 0o777 == 0o700
        assert (run.release_id, run.policy.dataset, run.source) == ("r-1", "clinic", None)
        assert run.runner.fingerprint == run.key.fingerprint
        first = run.seed
        with pytest.raises(FrozenInstanceError):
            run.seed = b""  # type: ignore[misc]
        assert first.hex() not in repr(run)
    with opened_release(policy, None, steward(home), "r-2") as run:
        assert run.seed != first
        assert len(run.seed) == 32


def test_nothing_is_left_when_it_ends_whatever_happened(home: Home, policy: Path) -> None:
    def broken() -> None:
        with opened_release(policy, None, steward(home), "r-1") as run:
            opened.append((run, run.spool.put("private")))
            (run.stage / "table.csv").write_text("half")
            raise ValueError

    opened: list[Any] = []
    with pytest.raises(ValueError):
        broken()
    run, reference = opened[0]
    assert list(home.staging.iterdir()) == []
    with pytest.raises(Defect):
        run.spool.get(reference)
    with opened_release(policy, None, steward(home), "r-2"):
        pass


def test_one_dataset_is_released_once_at_a_time(home: Home, policy: Path) -> None:
    def second() -> None:
        with opened_release(policy, None, steward(home), "r-2"):
            pass

    with opened_release(policy, None, steward(home), "r-1"):
        with pytest.raises(TransitionRefused) as caught:
            second()
        assert caught.value.code == 4
        assert caught.value.cure
        assert not (home.staging / "r-2").exists()


def test_a_person_on_the_list_runs_under_their_name_and_does_not_count_as_an_approver(home: Home, clinic: Any, tmp_path: Path) -> None:
    key = make_key(tmp_path / "cyd")
    ann, bob, _ = home.signers.read_text().splitlines()
    home.signers.write_text(f"{ann}\n{bob}\ncyd {key.public}\n")
    clinic.policy["approval"] = {"required": 2}
    with opened_release(clinic.load().path, None, tmp_path / "cyd", "r-1") as run:
        assert (run.runner.principal, run.runner.fingerprint) == ("cyd", key.fingerprint)
    home.signers.write_text(f"{ann}\ncyd {key.public}\n")
    refused = opened_release(clinic.load().path, None, tmp_path / "cyd", "r-2")
    with pytest.raises(InputRejected) as caught:
        refused.__enter__()
    assert caught.value.message == "2 approvals are required, and 1 person besides the runner may give one."
    assert "signers" in caught.value.cure
    clinic.policy["approval"] = {"required": 1}
    home.signers.write_text(f"cyd {key.public}\n")
    with pytest.raises(InputRejected, match="1 approval is required, and nobody besides the runner may give one"):
        opened_release(clinic.load().path, None, tmp_path / "cyd", "r-3").__enter__()
    assert list(home.staging.iterdir()) == []


def test_what_a_killed_release_left_where_workers_share_files_is_gone_with_the_next(
    home: Home, policy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has the key of it any more; on HEADGATE_SPOOL it lay there for ever, as large as the data."""
    monkeypatch.setenv("HEADGATE_SPOOL", str(tmp_path / "spool"))
    for left in (tmp_path / "spool" / "r-1-shared", tmp_path / "spool" / "r-9-shared", home.staging / "r-1-shared"):
        left.mkdir(parents=True)
        (left / "file").write_bytes(b"encrypted")
    acquire(open_ledger(home).store, "clinic", "r-1", replace(this_process(), started="long ago"), time.time())
    with opened_release(policy, None, steward(home), "r-2"):
        pass
    assert [path.name for path in (*(tmp_path / "spool").iterdir(), *home.staging.iterdir())] == ["r-9-shared"]


def test_a_draft_is_not_released(home: Home, clinic: Any) -> None:
    clinic.policy["draft"] = True

    def start() -> None:
        with opened_release(clinic.load().path, None, steward(home), "r-1"):
            pass

    with pytest.raises(PolicyInvalid, match="is a draft") as caught:
        start()
    assert caught.value.code == 2
    assert list(home.staging.iterdir()) == []


def test_the_anonymizer_tells_how_far_it_is_to_whoever_started_the_run(home: Home, policy: Path) -> None:
    class Heard(Listener):
        def __init__(self) -> None:
            self.words: list[tuple[Any, ...]] = []

        def working(self, step: str, done: int, total: int, what: str) -> None:
            self.words.append((step, done, total, what))

    heard = Heard()
    with listening(heard), opened_release(policy, None, steward(home), "r-1") as run, run.clock.timed("plan"):
        report = run.engine.place.report
        report(30, 60)
    assert heard.words == [("plan", 30, 60, run.policy.anonymize.chosen.progress)]


def test_a_run_begins_with_who_runs_what(home: Home, policy: Path) -> None:
    with opened_release(policy, None, steward(home), "r-1") as run:
        started = begun(run)
        assert started.kind is RunStarted
        assert started.payload == {
            "dataset": "clinic",
            "policy_digest": run.loaded.digest,
            "operator_digest": "",
            "policy_sha256": hashlib.sha256(policy.read_bytes()).hexdigest(),
            "runner": run.runner,
            "machine": "",
            "registered": None,
            "product": product(),
        }
    assert product().startswith("headgate/")


@pytest.fixture
def scheduled(home: Home, policy: Path, key_folder: Path, keys: dict[str, PrivateKey]) -> Path:
    """The runner has registered the policy. The key that the home keeps is on no list."""
    registered_by(home, policy, key_folder / "runner")
    return policy


def registered_by(home: Home, policy: Path, key: Path) -> None:
    loaded, ledger = load_policy(policy), open_ledger(home)
    runner = runner_of(home, ledger, loaded, key)
    register(home, ledger, scheduled_policy(loaded), runner.signer, runner.key)


def test_a_scheduled_run_is_the_persons_who_registered_it_and_the_machines(
    home: Home, scheduled: Path, keys: dict[str, PrivateKey], key_folder: Path
) -> None:
    with opened_release(scheduled, None, None, "r-1", scheduled=True) as run:
        assert (run.runner.principal, run.runner.fingerprint) == ("runner", keys["runner"].fingerprint)
        assert run.machine == run.key.fingerprint == machine_key(home.keys).fingerprint
        assert run.machine not in {key.fingerprint for key in keys.values()}
        assert (begun(run).payload["machine"], begun(run).payload["registered"]) == (run.machine, run.registration.said.at)
    with opened_release(scheduled, None, key_folder / "runner", "r-2") as run:
        assert run.machine == ""


def test_a_policy_that_nobody_registered_or_that_was_changed_since_does_not_run(
    home: Home, scheduled: Path, clinic: Any, key_folder: Path
) -> None:
    clinic.policy["anonymize"] = {"k": 4}
    changed = clinic.load().path
    with pytest.raises(TransitionRefused, match="has changed since runner registered it") as refused:
        opened_release(changed, None, None, "r-1", scheduled=True).__enter__()
    assert "--register" in refused.value.cure
    registered_by(home, changed, key_folder / "runner")
    with opened_release(changed, None, None, "r-2", scheduled=True):
        pass
    clinic.policy["dataset"] = "other"
    with pytest.raises(TransitionRefused, match="nobody has registered"):
        opened_release(clinic.load().path, None, None, "r-3", scheduled=True).__enter__()


def test_what_somebody_registered_runs_only_while_they_may_run_it(home: Home, scheduled: Path, keys: dict[str, PrivateKey]) -> None:
    signers = home.signers.read_text()
    home.signers.write_text("".join(line for line in signers.splitlines(keepends=True) if not line.startswith("runner ")))
    with pytest.raises(TransitionRefused, match="nobody on the list"):
        opened_release(scheduled, None, None, "r-1", scheduled=True).__enter__()
    home.signers.write_text(signers.replace("runner ", "somebody "))
    with pytest.raises(TransitionRefused, match="is now somebody's"):
        opened_release(scheduled, None, None, "r-2", scheduled=True).__enter__()
    home.signers.write_text(signers)
    (home.root / "operator.yaml").write_text("runners: [ann]\n")
    with pytest.raises(TransitionRefused, match="not among those who may run"):
        opened_release(scheduled, None, None, "r-3", scheduled=True).__enter__()
    (home.root / "operator.yaml").unlink()
    (home.root / "revoked_keys").write_text(keys["runner"].public + "\n")
    with pytest.raises(TransitionRefused, match="revoked"):
        opened_release(scheduled, None, None, "r-4", scheduled=True).__enter__()


def test_a_scheduled_run_takes_no_other_source_and_no_other_key(home: Home, scheduled: Path, clinic: Any, key_folder: Path) -> None:
    for given in ((clinic.source, None), (None, key_folder / "runner")):
        with pytest.raises(InputRejected, match="the source that its policy names"):
            opened_release(scheduled, *given, "r-1", scheduled=True).__enter__()


def test_the_machines_name_on_the_list_is_no_approver(home: Home, scheduled: Path, clinic: Any) -> None:
    ann = next(line for line in home.signers.read_text().splitlines() if line.startswith("ann "))
    runner = next(line for line in home.signers.read_text().splitlines() if line.startswith("runner "))
    home.signers.write_text(f"{ann}\n{runner}\nmachine {machine_key(home.keys).public}\n")
    clinic.policy["approval"] = {"required": 2}
    policy = clinic.load().path
    loaded, ledger = load_policy(policy), open_ledger(home)
    with pytest.raises(TransitionRefused):
        runner_of(home, ledger, loaded, None, scheduled=True)


def test_a_key_that_nobody_on_the_list_has_runs_nothing(home: Home, policy: Path, tmp_path: Path) -> None:
    """Whoever may approve could run with a key of their own making, and then approve their own release."""
    stranger = make_key(tmp_path / "stranger")
    with pytest.raises(TransitionRefused, match="nobody on the list of signers has the key") as refused:
        opened_release(policy, None, tmp_path / "stranger", "r-1").__enter__()
    assert refused.value.code == 4
    assert stranger.public in refused.value.cure
    assert list(home.staging.iterdir()) == []


@pytest.mark.parametrize("own", ["runner", "ledger"])
def test_the_homes_own_keys_are_nobody_even_where_they_are_listed(home: Home, policy: Path, own: str) -> None:
    """Whoever uses the home could run with its key, and then approve with their own."""
    key = load_or_make(home.keys / own)
    with home.signers.open("a") as listed:
        listed.write(f"machine {key.public}\n")
    (home.root / "operator.yaml").write_text("runners: [machine, runner]\n")
    with pytest.raises(InputRejected, match="No key was given"):
        opened_release(policy, None, None, "r-1").__enter__()
    with pytest.raises(TransitionRefused, match="the key that was given is the home's own and speaks for nobody"):
        opened_release(policy, None, home.keys / own, "r-2").__enter__()
    with pytest.raises(TransitionRefused, match="speaks for nobody"):
        registered_by(home, policy, home.keys / own)


def test_a_policys_own_signers_give_no_key_the_name_of_somebody_who_may_run(home: Home, clinic: Any, tmp_path: Path) -> None:
    stranger = make_key(tmp_path / "stranger")
    listed = home.signers.read_text().replace("runner ", "somebody ")
    (clinic.folder / "own").write_text(f"{listed}runner {stranger.public}\n")
    clinic.policy["approval"] = {"required": 1, "signers": "own"}
    (home.root / "operator.yaml").write_text("policy_signers: true\nrunners: [runner]\n")
    with pytest.raises(TransitionRefused, match="nobody on the list of signers has the key"):
        opened_release(clinic.load().path, None, tmp_path / "stranger", "r-1").__enter__()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('runner valid-before="20200101Z" {}', "the key of runner was not valid"),
        ('runner namespaces="git" {}', "the key of runner is not listed for the namespace"),
    ],
)
def test_a_key_that_does_not_count_now_runs_nothing(home: Home, policy: Path, keys: dict[str, PrivateKey], line: str, said: str) -> None:
    others = [text for text in home.signers.read_text().splitlines() if not text.startswith("runner")]
    home.signers.write_text("\n".join([*others, line.format(keys["runner"].public)]) + "\n")
    with pytest.raises(TransitionRefused, match=said):
        opened_release(policy, None, steward(home), "r-1").__enter__()


def test_a_revoked_key_runs_nothing(home: Home, policy: Path, keys: dict[str, PrivateKey]) -> None:
    (home.root / "revoked_keys").write_text(keys["runner"].public + "\n")
    with pytest.raises(TransitionRefused, match="the key of runner is revoked"):
        opened_release(policy, None, steward(home), "r-1").__enter__()


def test_only_those_run_whom_the_operator_names(home: Home, policy: Path, key_folder: Path) -> None:
    (home.root / "operator.yaml").write_text("runners: [bob]\n")
    with pytest.raises(TransitionRefused, match="runner is not among those who may run releases"):
        opened_release(policy, None, steward(home), "r-1").__enter__()
    with opened_release(policy, None, key_folder / "bob", "r-2") as run:
        assert run.runner.principal == "bob"
        assert len(run.demands.digest) == 64
        assert dict(begun(run).payload)["operator_digest"] == run.demands.digest


def test_signers_that_come_with_a_policy_count_only_if_the_operator_says_so(home: Home, clinic: Any, keys: dict[str, PrivateKey]) -> None:
    """A policy could name people who do not exist, with keys of its writer's making."""
    (clinic.folder / "own").write_text("".join(f"{name} {keys[name].public}\n" for name in ("cyd", "stranger")))
    clinic.policy["approval"] = {"required": 2, "signers": "own"}
    policy = clinic.load().path
    with pytest.raises(TransitionRefused, match="the operator does not allow that"):
        opened_release(policy, None, steward(home), "r-1").__enter__()
    (home.root / "operator.yaml").write_text("policy_signers: true\n")
    with opened_release(policy, None, steward(home), "r-2") as run:
        assert run.runner.principal == "runner"


def test_the_operators_floor_is_known_before_the_work(home: Home, policy: Path) -> None:
    (home.root / "operator.yaml").write_text("floor: {approvals: 3}\n")
    with pytest.raises(InputRejected, match="3 approvals are required, and 2 people besides the runner"):
        opened_release(policy, None, steward(home), "r-1").__enter__()


def test_a_target_that_the_operator_does_not_name_is_known_before_the_work(home: Home, policy: Path) -> None:
    (home.root / "operator.yaml").write_text("targets: {somewhere-else: /srv/open}\n")
    with pytest.raises(TransitionRefused, match="is not a target of operator.yaml"):
        opened_release(policy, None, steward(home), "r-1").__enter__()


def test_a_role_that_nobody_can_fill_is_known_before_the_work(home: Home, clinic: Any) -> None:
    clinic.policy["approval"] = {"required": 1, "roles": {"law": 1}}
    policy = clinic.load().path
    with pytest.raises(InputRejected, match="The role law is required, and nobody holds it"):
        opened_release(policy, None, steward(home), "r-1").__enter__()
    (home.root / "operator.yaml").write_text("roles: {law: [runner]}\n")
    with pytest.raises(InputRejected, match="1 more person with the role law would be needed"):
        opened_release(policy, None, steward(home), "r-1").__enter__()
    (home.root / "operator.yaml").write_text("roles: {law: [runner, ann], methods: [bob]}\nfloor: {roles: {methods: 1}}\n")
    with opened_release(policy, None, steward(home), "r-1") as run:
        assert run.quorum == Quorum(2, {"law": 1, "methods": 1})
    assert list(home.staging.iterdir()) == []
