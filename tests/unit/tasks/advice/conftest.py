"""Advice on the clinic's sixty people and their incomes alone: it takes a fifth of a second, once per process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.advice.policy_advice import Advice, Prepared, advise_on, prepare
from tests.unit.tasks.clinic import Clinic


@pytest.fixture(scope="session")
def policy_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """k = 5, ε = 0.05, δ = 0.5, which these incomes cannot carry."""
    clinic = Clinic(tmp_path_factory.mktemp("advice"))
    clinic.policy["attributes"] |= {name: {"role": "dropped"} for name in ("diagnosis", "admitted")}
    clinic.policy["attributes"]["education"] = {"role": "insensitive", "kind": "category"}
    clinic.policy["anonymize"] = {"k": 5, "epsilon": 0.05, "delta": 0.5}
    clinic.policy["utility"] = {"queries": 50}
    clinic.load()
    return clinic.folder / "policy.yaml"


@pytest.fixture(scope="session")
def prepared(policy_path: Path) -> Prepared:
    return prepare(policy_path)


@pytest.fixture(scope="session")
def advice(policy_path: Path) -> Advice:
    return advise_on(policy_path)
