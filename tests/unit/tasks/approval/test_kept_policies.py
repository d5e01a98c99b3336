"""Policies as they ran: each once, private, and never taken for another. The archive that holds them is tested with its recipe."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

import pytest

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from policies.ledger.events import RunStarted
from policies.sealed.manifest import Signer
from tasks.approval.kept_policies import keep_policy, kept_policy
from tasks.reading.references import LoadedPolicy, load_policy
from tasks.runtime.home import Home
from tests.unit.flows.schedules.test_scheduled_policies import written


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.open(tmp_path / "home")


@pytest.fixture
def loaded(tmp_path: Path) -> LoadedPolicy:
    return load_policy(written(tmp_path, "people.yaml", "people", "# a comment\n"))


def started(loaded: LoadedPolicy, sha256: str) -> RunStarted:
    return RunStarted(
        release_id="release-1",
        at="2026-11-19T12:00:00+00:00",
        dataset="people",
        policy_digest=loaded.digest,
        runner=Signer(principal="ann", fingerprint="SHA256:" + "a" * 43),
        product="headgate",
        policy_sha256=sha256,
    )


def test_a_policy_is_kept_once_for_its_owner_alone_and_found_again(home: Home, loaded: LoadedPolicy) -> None:
    for _ in range(2):
        keep_policy(home, loaded)
    digest = hashlib.sha256(loaded.path.read_bytes()).hexdigest()
    files = sorted(home.policies.iterdir())
    assert [path.name for path in files] == sorted([f"{digest}.yaml", f"{loaded.digest}.json"])
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    kept = kept_policy(home, started(loaded, digest))
    assert kept is not None
    assert kept.content == loaded.path.read_bytes()
    assert hashlib.sha256(kept.digested).hexdigest() == loaded.digest


def test_a_run_of_an_earlier_version_kept_none(home: Home, loaded: LoadedPolicy) -> None:
    assert kept_policy(home, started(loaded, "")) is None


def test_two_spellings_of_a_policy_are_kept_both_under_one_digest(home: Home, loaded: LoadedPolicy, tmp_path: Path) -> None:
    again = load_policy(written(tmp_path, "people.yaml", "people", "# another comment\n"))
    for each in (loaded, again):
        keep_policy(home, each)
    assert (again.digest, len(list(home.policies.iterdir()))) == (loaded.digest, 3)


def test_what_is_missing_or_changed_is_no_policy(home: Home, loaded: LoadedPolicy) -> None:
    keep_policy(home, loaded)
    with pytest.raises(IntegrityBroken, match="is missing"):
        kept_policy(home, started(loaded, "ab" * 32))
    (home.policies / f"{loaded.digest}.json").write_bytes(b"{}")
    with pytest.raises(IntegrityBroken, match="was changed"):
        kept_policy(home, started(loaded, hashlib.sha256(loaded.content).hexdigest()))


def test_a_policy_that_cannot_be_kept_stops_the_run(home: Home, loaded: LoadedPolicy) -> None:
    """A file in the folder's place was taken for a policy that is kept already."""
    home.policies.write_text("a file where the folder should be")
    with pytest.raises(StoreUnavailable, match="could not be kept"):
        keep_policy(home, loaded)
