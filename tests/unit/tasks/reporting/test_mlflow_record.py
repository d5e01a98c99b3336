"""What MLflow would be told, before it is told."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from headgate.core.errors import Defect, RequirementNotMet
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Measured
from tasks.reporting.measured_tables import MeasuredRelease
from tasks.reporting.mlflow_record import (
    LONGEST_PARAMETER,
    Metric,
    RunContent,
    TrackedRelease,
    finite_points,
    record_digest,
    release_run,
    table_run,
)
from tests.unit.claimed import claiming

Make = Callable[..., TrackedRelease]


@pytest.mark.slow
def test_what_is_told_does_not_depend_on_the_value_that_a_column_is_called_after(
    record: Make, release: MeasuredRelease, renamed: MeasuredRelease
) -> None:
    """Nor do the pictures."""
    first, second = record(), replace(record(), measured=renamed)
    assert release_run(first).digest == release_run(second).digest
    for ours, theirs in zip(release.tables, renamed.tables, strict=True):
        assert table_run(first, ours).digest == table_run(second, theirs).digest


@pytest.mark.slow
def test_a_plan_too_long_for_a_parameter_is_there_by_its_hash_and_whole_in_its_file(record: Make, release: MeasuredRelease) -> None:
    columns = tuple(f"attribute {place:04}" for place in range(2000))
    plan = release.plan.model_copy(update={"columns": columns, "tables": tuple((name,) for name in columns), "steps": ()})
    told = release_run(record(plan=plan, tables=(), outcomes=()))
    assert told.parameters["plan"].startswith("sha256:")
    assert json.loads(told.files["plan.json"])["tables"] == [[place] for place in range(2000)]


@pytest.fixture
def told(record: Make, undrawn: MeasuredRelease) -> Callable[..., RunContent]:
    """The parent run of a release with little to draw and some changes."""
    return lambda **changes: release_run(replace(record(), measured=replace(undrawn, **changes)))


def test_of_a_series_the_figures_are_told_and_no_bit_is_called_by_its_value(told: Callable[..., RunContent], bit: str) -> None:
    values = told().last_values
    series = {name: value for name, value in values.items() if name.startswith("series")}
    assert series == {
        "series/versions": 1,
        "series/not_measured": 0,
        "series/linkability": 0.75,
        "series/linkability_any": 0.875,
        "series/candidates": 2,
        "series/risk": 0.25,
        "series/returning": 0.8,
        "series/changed": 0.25,
        "series_linkability/income": 0.5,
        "series_candidates/income": 2,
        "series_risk/income": 0.25,
        "series_linkability/column 2": 0.625,
        "series_candidates/column 2": 2,
        "series_risk/column 2": 0.25,
    }
    assert not any(bit in name for name in values)
    unmeasured = told(series=SeriesFigures(not_measured=3, unmeasured="They were purged.")).last_values
    assert {name for name in unmeasured if name.startswith("series")} == {"series/versions", "series/not_measured"}


def test_of_every_figure_the_release_has_that_of_the_table_that_is_worst_off(
    told: Callable[..., RunContent], undrawn: MeasuredRelease
) -> None:
    first, second = undrawn.tables
    better = replace(
        first, figures=claiming(first.figures, k=12, risk=0.1, linkability=0.5, distinct_l={"income": 9}, closeness={"income": 0.01})
    )
    for tables in ((better, second), (second, better)):
        values = told(tables=tables).last_values
        assert (values["k"], values["risk"], values["linkability"], values["distinct_l_min"]) == (10, 0.4, 0.625, 3)
        assert values["closeness_max"] == 0.125
    assert told(tables=(better,)).last_values["k"] == 12
    assert "k" not in told(tables=()).last_values


@pytest.mark.parametrize(
    ("changes", "verdict"), [({}, "passed"), ({"verdicts": ()}, "refused"), ({"refusal": "No plan passes."}, "refused")]
)
def test_a_release_is_recorded_as_what_it_is(told: Callable[..., RunContent], changes: dict[str, object], verdict: str) -> None:
    content = told(**changes)
    assert content.tags["verdict"] == verdict
    assert f": {verdict}, " in content.tags["mlflow.note.content"]


def test_a_table_is_refused_by_its_own_verdicts_only(record: Make, refused: MeasuredRelease) -> None:
    """The fixture's table-2 misses a gate."""
    runs = [table_run(replace(record(), measured=refused), table) for table in refused.tables]
    assert [(run.name, run.tags["verdict"]) for run in runs] == [("table-1", "passed"), ("table-2", "refused")]


def test_where_the_release_came_from_is_told_by_digests_and_its_parameters_by_the_policys_keys(told: Callable[..., RunContent]) -> None:
    parameters = told().parameters
    expected = {
        "policy_digest": "ab" * 32,
        "seed_commitment": "5e" * 32,
        "source_hmac": "4a" * 32,
        "k": "10",
        "epsilon": "0.1",
        "delta": "0.6",
    }
    assert {name: parameters[name] for name in expected} == expected
    assert "" not in parameters.values()


def test_a_parameter_is_kept_whole_up_to_the_length_that_mlflow_keeps(record: Make) -> None:
    for length, whole in ((LONGEST_PARAMETER, True), (LONGEST_PARAMETER + 1, False)):
        version = "1" * length
        told = release_run(replace(record(plan=None, tables=(), outcomes=()), code_version=version)).parameters["code_version"]
        assert told == (version if whole else f"sha256:{hashlib.sha256(version.encode()).hexdigest()}")


def test_files_hold_gates_expectations_and_policy_without_a_bits_name(record: Make, release: MeasuredRelease, bit: str) -> None:
    verdicts = (release.verdicts[2].model_copy(update={"remedy": f"Coarsen {bit}."}),)
    files = release_run(record(verdicts=verdicts, tables=())).files
    assert json.loads(files["gates.json"])["data"] == [
        ["closeness", "table-1", "column 2", None, None, "at most", 0.25, 0.5, True, "Coarsen column 2."]
    ]
    assert json.loads(files["expectations.json"])["data"][2] == ["out", "table-1", "expect_column_values_to_be_in_set", "column 2", True]
    assert json.loads(files["plan.json"])["steps"][2]["reason"] == "closeness of column 2"
    assert json.loads(files["plan.json"])["columns"] == ["income", "education", "column 2"]
    assert not [path for path, content in files.items() if b"CANARY" in content]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_figure_that_is_not_finite_is_refused_by_its_name(value: float) -> None:
    with pytest.raises(RequirementNotMet, match="seconds/gate is not a finite number") as caught:
        finite_points([Metric("k", 1.0), Metric("seconds/gate", value)])
    assert (caught.value.code, caught.value.measure) == (3, "figures")
    assert "empty groups" in caught.value.cure


def test_two_figures_of_one_name_are_a_defect_unless_they_are_steps_of_a_search() -> None:
    steps = (Metric("search/loss", 1.0, 0), Metric("search/loss", 0.5, 1))
    assert finite_points(steps) == steps
    with pytest.raises(Defect, match="same name"):
        finite_points([Metric("k", 1.0), Metric("k", 2.0)])


def test_of_a_search_the_last_step_counts_in_whatever_order_it_was_told() -> None:
    content = RunContent("r", {}, (Metric("loss", 0.5, 1), Metric("loss", 1.0, 0), Metric("k", 3.0)), {})
    assert content.last_values == {"loss": 0.5, "k": 3.0}


def test_the_digest_is_of_parameters_figures_and_files_whatever_their_order() -> None:
    parameters, values, files = {"a": "1", "b": "2"}, {"k": 3.0, "loss": 0.1}, {"f": "ab"}
    digest = record_digest(parameters, values, files)
    assert record_digest(dict(reversed(parameters.items())), dict(reversed(values.items())), files) == digest
    assert record_digest(parameters, {"k": 3, "loss": 0.1}, files) == digest
    changed = (
        ({"a": "1", "b": "3"}, values, files),
        (parameters, values | {"loss": math.nextafter(0.1, 1)}, files),
        (parameters, values, {"f": "ac"}),
    )
    assert len({digest, *(record_digest(*parts) for parts in changed)}) == 4
    content = RunContent("r", parameters, (Metric("k", 3), Metric("loss", 0.1)), {"tag": "no part of it"}, {"f": b"content"})
    assert content.digest == record_digest(parameters, values, {"f": hashlib.sha256(b"content").hexdigest()})


def test_figures_of_very_many_attributes_are_one_file_and_the_worst_of_them_metrics(record: Make, undrawn: MeasuredRelease) -> None:
    """A metric each took MLflow a minute at 5,000 attributes."""
    names = tuple(f"answer_{place}" for place in range(500))
    figures = tuple(Measured(figure="closeness", of=name, value=place / 1000) for place, name in enumerate(names))
    table = replace(undrawn.tables[0], figures=undrawn.tables[0].figures.model_copy(update={"sensitive": names, "measured": figures}))
    plan = record().measured.plan.model_copy(update={"columns": names, "tables": (names,), "steps": ()})
    told = table_run(record(tables=(table,), plan=plan), table)
    assert len(told.points) < 20
    assert told.last_values["closeness_max"] == 0.499
    listed = json.loads(told.files["figures.json"])
    assert listed["columns"] == ["figure", "value"]
    assert ["closeness/answer_7", 0.007] in listed["data"]


def test_a_table_is_told_what_is_promised_of_it_and_not_of_the_attributes_of_other_tables(record: Make) -> None:
    told = record()
    tables = told.measured.tables
    parameters = [{name for name in table_run(told, table).parameters if "/" in name} for table in tables]
    whole = {name for name in release_run(told).parameters if "/" in name}
    assert whole >= parameters[0] | parameters[1]
    assert parameters[0] != parameters[1]
