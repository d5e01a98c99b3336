"""Opening a release: who runs it and who may approve is known first, its dataset is locked, and nothing is left when it ends."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import Defect, InputRejected, PolicyInvalid, TransitionRefused
from policies.ledger.events import RunStarted
from tasks.release.listener import Listener, listening
from tasks.release.run import begun, opened_release, product
from tasks.runtime.home import Home
from tasks.signing.keys import PrivateKey, make_key


@pytest.fixture
def home(tmp_path: Path, keys: dict[str, PrivateKey], monkeypatch: pytest.MonkeyPatch) -> Home:
    """Ann and Bob may sign."""
    monkeypatch.setenv("HEADGATE_HOME", str(tmp_path / "home"))
    home = Home.open()
    home.signers.write_text("".join(f"{name} {keys[name].public}\n" for name in ("ann", "bob")))
    return home


@pytest.fixture
def policy(clinic: Any) -> Path:
    return clinic.load().path


def test_a_run_has_a_private_folder_a_key_and_a_seed_of_its_own(home: Home, policy: Path) -> None:
    with opened_release(policy, None, None, "r-1") as run:
        assert run.stage == home.staging / "r-1"
        assert run.stage.stat().st_mode & 0o777 == 0o700
        assert (run.release_id, run.policy.dataset, run.source) == ("r-1", "clinic", None)
        assert run.runner.fingerprint == run.key.fingerprint
        first = run.seed
        with pytest.raises(FrozenInstanceError):
            run.seed = b""  # type: ignore[misc]
        assert first.hex() not in repr(run)
    with opened_release(policy, None, None, "r-2") as run:
        assert run.seed != first
        assert len(run.seed) == 32


def test_nothing_is_left_when_it_ends_whatever_happened(home: Home, policy: Path) -> None:
    def broken() -> None:
        with opened_release(policy, None, None, "r-1") as run:
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
    with opened_release(policy, None, None, "r-2"):
        pass


def test_one_dataset_is_released_once_at_a_time(home: Home, policy: Path) -> None:
    def second() -> None:
        with opened_release(policy, None, None, "r-2"):
            pass

    with opened_release(policy, None, None, "r-1"):
        with pytest.raises(TransitionRefused) as caught:
            second()
        assert caught.value.code == 4
        assert caught.value.cure
        assert not (home.staging / "r-2").exists()


def test_a_person_on_the_list_runs_under_their_name_and_does_not_count_as_an_approver(home: Home, clinic: Any, tmp_path: Path) -> None:
    key = make_key(tmp_path / "cyd")
    home.signers.write_text(home.signers.read_text() + f"cyd {key.public}\n")
    clinic.policy["approval"] = {"required": 2}
    with opened_release(clinic.load().path, None, tmp_path / "cyd", "r-1") as run:
        assert (run.runner.principal, run.runner.fingerprint) == ("cyd", key.fingerprint)
    home.signers.write_text(home.signers.read_text().splitlines()[0] + f"\ncyd {key.public}\n")
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


def test_a_draft_is_not_released(home: Home, clinic: Any) -> None:
    clinic.policy["draft"] = True

    def start() -> None:
        with opened_release(clinic.load().path, None, None, "r-1"):
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
    with listening(heard), opened_release(policy, None, None, "r-1") as run, run.clock.timed("plan"):
        report = run.engine.place.report
        report(30, 60)
    assert heard.words == [("plan", 30, 60, run.policy.anonymize.chosen.progress)]


def test_a_run_begins_with_who_runs_what(home: Home, policy: Path) -> None:
    with opened_release(policy, None, None, "r-1") as run:
        started = begun(run)
        assert started.kind is RunStarted
        assert started.payload == {"dataset": "clinic", "policy_digest": run.loaded.digest, "runner": run.runner, "product": product()}
    assert product().startswith("headgate/")
