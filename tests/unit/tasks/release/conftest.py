"""A run that was opened nowhere: a home, keys and a ledger of its own, and a spool, for steps that are called as plain functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.reading.references import LoadedPolicy
from tasks.release.run import Run
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.transform_source import read_dictionaries
from tests.unit.tasks.clinic import Clinic
from tests.unit.tasks.release.finished import Made, finish, run_in


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Run]:
    return lambda loaded, *given, **named: run_in(tmp_path, loaded, *given, **named)


@pytest.fixture
def begin(clinic: Clinic, run_of: Callable[..., Run]) -> Callable[..., Made]:
    """A run with its source read, under a policy that suppresses cells; the test says what its gate on disclosure asks for."""

    def make(keep: int = 5, workers: int = 1, **disclosure: Any) -> Made:
        clinic.policy["attributes"]["notes"] = {"role": "dropped"}
        clinic.policy["anonymize"] = {"k": 6}
        clinic.policy["gates"] = {"linkability": 1, "disclosure": {"max": 1e9, **disclosure}}
        clinic.policy["suppress_cells"] = {"keep": keep, "among": ["age", "sex", "region", "admitted", "diagnosis", "income", "education"]}
        run = run_of(clinic.load(), workers, name=f"run-{workers}")
        read = ingest_source(run)
        return Made(run, read, read_dictionaries(run, read))

    return make


def clinic_policy(clinic: Clinic) -> LoadedPolicy:
    clinic.policy["anonymize"] = {"k": 6}
    clinic.policy["gates"] = {"linkability": 1, "closeness": {"education": 1}}
    clinic.policy["utility"] = {"queries": 50, "max_loss": 1}
    return clinic.load()


@pytest.fixture
def loaded(clinic: Clinic) -> LoadedPolicy:
    """The policy of `finished`."""
    return clinic_policy(clinic)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """One release for all tests that only look at what its steps gave out."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "clinic").mkdir()
    run = run_in(folder, clinic_policy(Clinic(folder / "clinic")))
    return finish(Made(run, ingest_source(run)))
