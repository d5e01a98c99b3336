"""Who was published together stays together, and who the versions together would give away is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.series.kept_version import KeptVersion
from policies.ledger.standing import Release
from tasks.release.run import Run
from tasks.release.steps.anonymize_tables import agree_on_suppression, anonymize_table, release_everybody
from tasks.release.steps.choose_plan import Planned, choose_plan
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.keep_series import LeftOut, former_groups, leave_out_told
from tasks.release.steps.transform_source import transform_source
from tasks.series.side_store import keep, kept
from tests.unit.tasks.clinic import Clinic, csv_text
from tests.unit.tasks.release.finished import Made, finish, run_in
from tests.unit.tasks.release.steps.test_compare_versions import CANDIDATE, came_out

pytestmark = pytest.mark.slow
ILL = ("asthma", "flu", "stroke")


@pytest.fixture
def clinic_of(tmp_path: Path) -> Callable[..., Clinic]:
    """Ninety people with one of three illnesses each."""
    folder = tmp_path / "clinic"
    folder.mkdir()

    def make(**anonymize: Any) -> Clinic:
        clinic = Clinic(folder)
        for name in ("diagnosis", "zip", "admitted", "income", "education", "region"):
            clinic.policy["attributes"][name] = {"role": "dropped"}
        clinic.policy["attributes"]["education"] = {"role": "sensitive", "kind": "category"}
        clinic.policy["projection"] = {"method": "single"}
        clinic.policy["anonymize"] = {"k": 5, **anonymize}
        clinic.policy["gates"] = {"linkability": "0.8"}
        clinic.policy["utility"] = {"queries": 5}
        draw = np.random.default_rng(7)
        clinic.rows = [
            {**clinic.rows[0], "patient_id": f"p{place}", "age": str(20 + place), "sex": ("f", "m")[place % 2], "education": str(ill)}
            for place, ill in enumerate(draw.choice(ILL, 90, p=[0.5, 0.3, 0.2]))
        ]
        return clinic

    return make


def run_of(tmp_path: Path, clinic: Clinic, name: str, *versions: Release, seed: bytes = b"seed") -> Run:
    clinic.write_source(csv_text(clinic.rows).encode())
    return run_in(tmp_path, clinic.load(), name=name, versions=versions, seed=seed)


def published(tmp_path: Path, clinic: Clinic) -> KeptVersion:
    """The first version, which is kept."""
    run = run_of(tmp_path, clinic, "first")
    made = finish(Made(run, ingest_source(run)))
    assert made.compared.kept is not None
    keep(run.home, "clinic", CANDIDATE, run.spool.get(made.compared.kept))
    version = kept(run.home, "clinic", CANDIDATE)
    assert version is not None
    return version


def grouped(run: Run) -> tuple[LeftOut, np.ndarray]:
    """As the flow orders the steps; and the group of each row of the source, −1 for who is left out."""
    read = ingest_source(run)
    transformed = transform_source(run, read)
    planned = choose_plan(run, transformed, former_groups(run, read))
    assert isinstance(planned, Planned)
    everybody = release_everybody(run, transformed)
    tables = [anonymize_table(run, planned, everybody, planned.groups, name) for name in planned.names]
    agreed = agree_on_suppression(run, planned, everybody, tables)
    came_to = leave_out_told(run, read, planned, agreed, tables)
    groups = np.full(90, -1)
    (table,) = came_to.grouped
    groups[run.spool.get(came_to.agreed.kept)] = run.spool.get(table.partition).groups
    return came_to, groups


def together(groups: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(groups == group).tolist()) for group in np.unique(groups[groups >= 0])}


def test_whom_a_version_published_together_the_next_one_does_too(tmp_path: Path, clinic_of: Callable[..., Clinic]) -> None:
    published(tmp_path, clinic_of())
    _, sticky = grouped(run_of(tmp_path, clinic_of(series="sticky"), "sticky", came_out(), seed=b"other"))
    _, again = grouped(run_of(tmp_path, clinic_of(), "again"))  # the groups of the first: the seed is the same
    assert together(sticky) == together(again)


def test_no_group_is_kept_where_the_policy_does_not_ask_for_it_or_nothing_came_out(
    tmp_path: Path, clinic_of: Callable[..., Clinic]
) -> None:
    published(tmp_path, clinic_of())
    for clinic, versions in ((clinic_of(), (came_out(),)), (clinic_of(series="sticky"), ())):
        run = run_of(tmp_path, clinic, f"run {len(versions)}", *versions)
        assert former_groups(run, ingest_source(run)) is None


def test_who_would_be_given_away_is_left_out_as_far_as_the_policy_allows(tmp_path: Path, clinic_of: Callable[..., Clinic]) -> None:
    """Everybody of one group but one now has another illness than any of them had: their group before tells that it changed."""
    first = published(tmp_path, clinic_of())

    def changed(clinic: Clinic) -> Clinic:
        own = first.tables[0].columns["education"]
        held = [Counter(own.texts[code] for code in own.codes[first.tables[0].classes[0] == group]) for group in first.tables[0].groups[0]]
        clinic.rows[0]["education"] = "gout"
        clinic.rows[1]["education"] = "gout"
        assert all("gout" not in values for values in held)
        return clinic

    allowed = run_of(tmp_path, changed(clinic_of(series="sticky", infeasible={"suppress": 0.1})), "allowed", came_out())
    came_to, groups = grouped(allowed)
    assert (groups[:2] == -1).all()
    assert came_to.agreed.suppressed == int((groups < 0).sum()) <= 9
    assert min(map(len, together(groups))) >= 5
    assert came_to.needed == 0
    few = run_of(tmp_path, changed(clinic_of(series="sticky", infeasible={"suppress": 0.012})), "few", came_out())
    came_to, groups = grouped(few)
    assert came_to.needed >= 2
    assert (groups >= 0).all()
    nobody = run_of(tmp_path, changed(clinic_of(series="sticky")), "nobody", came_out())
    came_to, groups = grouped(nobody)
    assert (came_to.needed, came_to.agreed.suppressed) == (0, 0)
    assert (groups >= 0).all()


def test_what_is_left_passes_the_gate(tmp_path: Path, clinic_of: Callable[..., Clinic]) -> None:
    """Measured on what was written, by code that knows nothing of who was left out."""
    published(tmp_path, clinic_of())
    clinic = clinic_of(series="sticky", infeasible={"suppress": 0.1})
    clinic.rows[0]["education"] = "gout"
    run = run_of(tmp_path, clinic, "second", came_out())
    read = ingest_source(run)
    made = finish(Made(run, read))
    assert made.compared.figures is not None
    series = run.spool.get(made.compared.figures)
    assert (series.above, series.needed, series.sticky) == (0, 0, True)
    assert series.linkability <= 0.8 + 1e-9
    assert made.agreed.suppressed >= 1
    assert all(verdict.passed for verdict in run.spool.get(made.judged.judgement).verdicts)
