"""A version is compared with those that came out before, as it was written; and what the home will keep of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from policies.gates.series_figures import SeriesFigures
from policies.ledger.standing import Release
from policies.sealed.manifest import Signer
from tasks.release.steps.compare_versions import compare_versions
from tasks.release.steps.ingest_source import ingest_source
from tasks.series.pseudonyms import pseudonyms
from tasks.series.side_store import drop, keep
from tasks.signing.home_keys import ledger_secret
from tests.unit.tasks.clinic import Clinic, csv_text
from tests.unit.tasks.release.finished import Made, finish, run_in

CANDIDATE = "ab" * 32
RUNNER = Signer(principal="runner", fingerprint="SHA256:x")


def came_out(candidate: str = CANDIDATE, number: int = 1) -> Release:
    return Release(
        f"release-{number}", "clinic", "", RUNNER, candidate=candidate, version=number, seen=frozenset({"publishing", "published"})
    )


def figures(made: Made) -> SeriesFigures:
    assert made.compared.figures is not None
    return made.run.spool.get(made.compared.figures)


@pytest.fixture
def month(tmp_path: Path) -> Callable[..., Made]:
    """A release of the clinic up to its verdicts, with what came out before it. `spoil` changes the clinic."""
    folder = tmp_path / "clinic"
    folder.mkdir()

    def make(name: str, *versions: Release, spoil: Callable[[Clinic], None] = lambda clinic: None, seed: bytes = b"seed") -> Made:
        clinic = Clinic(folder)
        clinic.policy["anonymize"] = {"k": 6}
        clinic.policy["gates"] = {"linkability": 1, "closeness": {"education": 1}}
        clinic.policy["utility"] = {"queries": 10, "max_loss": 1}
        spoil(clinic)
        clinic.write_source(csv_text(clinic.rows).encode())
        run = run_in(tmp_path, clinic.load(), name=name, versions=versions, seed=seed)
        return finish(Made(run, ingest_source(run)))

    return make


def keep_first(made: Made, candidate: str = CANDIDATE) -> None:
    assert made.compared.kept is not None
    keep(made.run.home, made.run.policy.dataset, candidate, made.run.spool.get(made.compared.kept))


def gates(**series: Any) -> Callable[[Clinic], None]:
    def spoil(clinic: Clinic) -> None:
        clinic.policy["gates"]["series"] = series

    return spoil


@pytest.mark.slow
def test_the_same_people_in_the_same_groups_tell_no_more_than_one_version(month: Callable[..., Made]) -> None:
    first = month("one")
    assert first.compared.figures is None  # the first version, of which the policy says nothing: no series yet
    keep_first(first)
    second = month("two", came_out())
    series = figures(second)
    assert (series.earlier, series.by_default, series.people, series.several, series.came, series.left) == (
        (CANDIDATE,),
        True,
        60,
        *(50, 10, 10),  # all sixty, told so that nobody learns that not one has left
    )
    verdicts = second.run.spool.get(second.judged.judgement).verdicts
    assert [(one.bound, one.measured, one.passed) for one in verdicts if one.gate == "series"] == [
        ("linkability", series.linkability, True),
        ("returning", 50 / 60, True),
        ("changed", 0.0, True),
    ]
    tables = [second.run.spool.get(table.measurement).table.figures for table in second.gated]
    assert series.linkability == max(table.figure("linkability") or 0.0 for table in tables)


@pytest.mark.slow
def test_a_group_that_was_narrowed_in_the_published_file_is_seen_whatever_the_run_says(month: Callable[..., Made]) -> None:
    """One record is moved into another group of the read-back table: the person's groups then have other values in common."""
    keep_first(month("one"))
    second = month("two", came_out())
    fair = figures(second)
    forged = []
    for gated in second.gated:
        published = second.run.spool.get(gated.published)
        group = published.group.copy()
        group[0] = (group[0] + 1) % (group.max() + 1)
        forged.append(replace(gated, published=second.run.spool.put(replace(published, group=group))))
    second.compared = compare_versions(second.run, second.read, second.transformed, second.planned, second.written, forged)
    assert figures(second).compared != fair.compared


@pytest.mark.slow
def test_who_is_numbered_anew_is_nobody_who_was_there_before(month: Callable[..., Made]) -> None:
    keep_first(month("one"))

    def renumbered(clinic: Clinic) -> None:
        for place, row in enumerate(clinic.rows):
            row["patient_id"] = f"new-{place}"

    second = month("two", came_out(), spoil=renumbered)
    series = figures(second)
    assert (series.several, series.came, series.left, series.returning) == (0, 60, 60, 0.0)
    (refused,) = [verdict for verdict in second.run.spool.get(second.judged.judgement).verdicts if not verdict.passed]
    assert (refused.gate, refused.bound) == ("series", "returning")
    assert refused.remedy.startswith("Check that the identifier is the same as before")


@pytest.mark.slow
def test_values_that_change_are_told_and_a_changing_attribute_is_not_compared(month: Callable[..., Made]) -> None:
    keep_first(month("one"))

    def graduated(clinic: Clinic) -> None:
        for row in clinic.rows:
            row["education"] = "tertiary"

    told = figures(month("two", came_out(), spoil=graduated))
    assert told.linkability == 1.0

    def declared(clinic: Clinic) -> None:
        graduated(clinic)
        clinic.policy["attributes"]["education"]["changes"] = True

    silent = figures(month("three", came_out(), spoil=declared))
    assert all("education" not in each.names for each in silent.compared)
    assert any("education" in each.names for each in told.compared)
    assert (told.changing, silent.changing) == ((), ("education",))
    assert silent.linkability == silent.alone == 1.0  # everybody in a group is a graduate: each version stands for itself


@pytest.mark.slow
def test_what_the_home_does_not_keep_or_cannot_read_stops_the_run(month: Callable[..., Made]) -> None:
    first = month("one")
    with pytest.raises(StoreUnavailable, match="does not keep who was in which group of 1 version of clinic"):
        month("two", came_out())
    accepted = figures(month("three", came_out(), spoil=gates(linkability=1, unmeasured="kept by nobody")))
    assert (accepted.earlier, accepted.not_measured, accepted.unmeasured) == ((), 1, "kept by nobody")
    keep_first(first)
    kept = first.run.home.series / "clinic" / CANDIDATE
    kept.write_bytes(kept.read_bytes()[:-30])
    with pytest.raises(IntegrityBroken, match="cut short, or belongs to another home"):
        month("four", came_out())
    drop(first.run.home, "clinic", CANDIDATE)


@pytest.mark.slow
def test_a_policy_that_says_why_is_not_measured_and_its_people_are_kept_all_the_same(month: Callable[..., Made]) -> None:
    made = month("one", came_out(), spoil=gates(unmeasured="other people each year"))
    series = figures(made)
    assert (series.unmeasured, series.compared, series.not_measured, series.by_default) == ("other people each year", (), 1, False)
    assert not [verdict for verdict in made.run.spool.get(made.judged.judgement).verdicts if verdict.gate == "series"]
    assert made.compared.kept is not None
    secret = ledger_secret(made.run.home.keys)
    expected = pseudonyms(secret, "clinic", [row["patient_id"] for row in Clinic(made.run.loaded.folder).rows])
    assert made.run.spool.get(made.compared.kept).people.tolist() == sorted(expected.tolist())


@pytest.mark.slow
def test_series_risk_reads_values_as_the_promise_does(month: Callable[..., Made]) -> None:
    def risk(clinic: Clinic) -> None:
        clinic.policy["anonymize"] |= {"epsilon": 0.1, "delta": 0.01}
        clinic.policy["gates"]["series"] = {"risk": 1}

    keep_first(month("one", spoil=risk))
    series = figures(month("two", came_out(), spoil=risk))
    assert series.risk is not None
    assert 0 < series.risk <= 1
    assert {name for each in series.compared for name in each.names} >= {"income", "education"}
    assert np.isfinite([each.risk for each in series.compared]).all()  # type: ignore[arg-type]


@pytest.mark.slow
def test_without_an_identifier_nobody_is_kept(month: Callable[..., Made]) -> None:
    def nameless(clinic: Clinic) -> None:
        clinic.policy["attributes"]["patient_id"] = {"role": "dropped"}

    made = month("one", spoil=nameless)
    assert (made.compared.kept, made.compared.figures) == (None, None)


@pytest.mark.slow
def test_bounds_without_people_known_by_an_identifier_are_not_kept(month: Callable[..., Made]) -> None:
    """No policy gets that far; if one did, nothing measured would have looked like certainty 0."""
    made = month("one", spoil=gates(linkability=0.5))
    anonymous = replace(made.read, people=None)
    assert compare_versions(made.run, anonymous, made.transformed, made.planned, made.written, made.gated).figures is None
