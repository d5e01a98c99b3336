"""What MLflow receives about a release: parameters, figures and files by name. It receives no rows, no cells, and no name that comes from
the data.

A bitmap column is named after a value of the data, so here it is always called by its number in the plan.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headgate.core.errors import Defect, RequirementNotMet
from policies.gates.every_gate import GATES, gate_named
from policies.gates.figures import QUERY_ERRORS, TableFigures
from policies.gates.gate import Per
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Comparison, Requirement
from policies.sealed.promise import Promise
from tasks.reporting.measured_tables import MeasuredRelease, MeasuredTable
from tasks.reporting.public_names import PublicNames
from tasks.reporting.release_charts import Pictures, draw_release, files_of
from tasks.reporting.shown_part import MOST_METRICS

LONGEST_PARAMETER = 6000  # MLflow cuts longer ones without a word


GATES_COLUMNS = ("gate", "table", "attribute", "dictionary", "bound", "comparison", "measured", "required", "passed", "remedy")


@dataclass(frozen=True, eq=False)
class TrackedRelease:
    """A measured release, and where it came from. The source and the seed are there as an HMAC and a commitment only."""

    measured: MeasuredRelease
    seed_commitment: str
    source_hmac: str
    code_version: str
    runner: str  # principal
    seconds: Mapping[str, float] = field(default_factory=dict)  # per step
    pictures: Pictures | None = None  # where they have been drawn already


@dataclass(frozen=True)
class Metric:
    """One measured number; `step` is the place in a search."""

    name: str
    value: float
    step: int = 0


@dataclass(frozen=True, eq=False)
class RunContent:
    """Everything of one MLflow run, the parent's or a child's."""

    name: str
    parameters: Mapping[str, str]
    points: tuple[Metric, ...]
    tags: Mapping[str, str]
    files: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def last_values(self) -> dict[str, float]:
        """What MLflow shows of a metric: its value at the last step."""
        return {point.name: point.value for point in sorted(self.points, key=lambda point: point.step)}

    @property
    def digest(self) -> str:
        return record_digest(
            self.parameters, self.last_values, {path: hashlib.sha256(file).hexdigest() for path, file in self.files.items()}
        )


def record_digest(parameters: Mapping[str, str], values: Mapping[str, float], files: Mapping[str, str]) -> str:
    """SHA-256 over parameters, last values and the hashes of files. It is the same for what was logged and for what is read back."""
    whole = {"files": dict(files), "parameters": dict(parameters), "values": {name: float(value).hex() for name, value in values.items()}}
    return hashlib.sha256(json.dumps(whole, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def release_run(record: TrackedRelease) -> RunContent:
    """The parent run: the release as a whole, with its worst figures over all tables."""
    release, names = record.measured, PublicNames.of_release(record.measured)
    verdict = "passed" if release.passed else "refused"
    parameters = {
        "policy_digest": release.policy_digest,
        "seed_commitment": record.seed_commitment,
        "source_hmac": record.source_hmac,
        "code_version": record.code_version,
        **_promised(release.promise, names),
        **_planned(release, names),
    }
    tags = {
        "release_id": release.release_id,
        "dataset": release.dataset,
        "verdict": verdict,
        "mlflow.note.content": f"Release {release.release_id} of {release.dataset}: {verdict}, "
        f"{len(release.verdicts) - len(release.refused_by)} of {len(release.verdicts)} gates passed.",
    }
    return RunContent(release.release_id, _bearable(parameters), finite_points(_release_points(record, names)), tags, _files(record, names))


def table_run(record: TrackedRelease, table: MeasuredTable) -> RunContent:
    """A child run: one projected table, with what is promised of it. Where it has very many attributes, their figures are in a file."""
    names = PublicNames.of_release(record.measured)
    parameters = {
        "policy_digest": record.measured.policy_digest,
        "table": table.name,
        "sensitive_columns": json.dumps([names.number(name) for name in table.figures.sensitive]),
        **_promised(record.measured.promise, names, frozenset((*table.figures.sensitive, *table.figures.insensitive))),
    }
    passed = all(verdict.passed for verdict in record.measured.verdicts if verdict.table == table.name)
    tags = {"dataset": record.measured.dataset, "table": table.name, "verdict": "passed" if passed else "refused"}
    each = finite_points([*_whole(table), *_each(table, names)])
    if max(len(table.figures.sensitive), len(table.loss)) <= MOST_METRICS:
        return RunContent(table.name, _bearable(parameters), each, tags)
    files = {"figures.json": _table_file(("figure", "value"), [(point.name, point.value) for point in each])}
    return RunContent(table.name, _bearable(parameters), finite_points([*_whole(table), *_worst((table.figures,))]), tags, files)


def _promised(promise: Promise | None, names: PublicNames, of_table: frozenset[str] | None = None) -> dict[str, str]:
    """What is promised of single attributes of other tables is left out, and what is promised of very many is in a file of the release."""
    if promise is None:
        return {}
    requirements = promise.requirements
    if of_table is not None:
        own = {*of_table, *(attribute.origin for attribute in promise.sensitive if attribute.name in of_table)}
        requirements = tuple(each for each in requirements if each.attribute is None or each.attribute in own)
    if sum(each.attribute is not None for each in requirements) > MOST_METRICS:
        requirements = tuple(each for each in requirements if each.attribute is None)
    return {"combine": promise.combine, "power": str(promise.power), **_stated(requirements, names)}


def _stated(requirements: Iterable[Requirement], names: PublicNames) -> dict[str, str]:
    stated: dict[str, str] = {}
    for requirement in requirements:
        of = names.below(requirement.attribute, requirement.dictionary)
        stated |= {f"{name}{of}": text for name, text in gate_named(requirement.gate).parameters(requirement).items()}
    return stated


def _planned(release: MeasuredRelease, names: PublicNames) -> dict[str, str]:
    if release.plan is None:
        return {}
    tables = [[names.number(name) for name in table] for table in release.plan.tables]
    return {"plan": json.dumps(tables, separators=(",", ":")), "plan_method": release.plan.method}


def _bearable(parameters: Mapping[str, str]) -> dict[str, str]:
    """Parameters that MLflow keeps whole; of a longer one its hash, since files hold the same."""
    return {
        name: value if len(value) <= LONGEST_PARAMETER else f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
        for name, value in parameters.items()
        if value
    }


def _release_points(record: TrackedRelease, names: PublicNames) -> Iterator[Metric]:
    release = record.measured
    yield Metric("rows", release.rows)
    yield Metric("suppressed", release.suppressed)
    yield Metric("suppressed_share", release.suppressed_share)
    yield Metric("tables", len(release.tables))
    yield Metric("gates", len(release.verdicts))
    yield Metric("gates_passed", len(release.verdicts) - len(release.refused_by))
    yield from _worst(tuple(table.figures for table in release.tables))
    if release.plan is not None:
        yield Metric("association_loss", release.plan.association_loss)
        yield Metric("information_exposure", release.plan.information_exposure)
        for place, step in enumerate(release.plan.steps):
            yield Metric("search/association_loss", step.association_loss, place)
            yield Metric("search/information_exposure", step.information_exposure, place)
    if release.utility is not None:
        yield Metric("ncp", release.utility.ncp)
        yield from _known({name: getattr(release.utility, name) for name in QUERY_ERRORS})
    for attack in dict.fromkeys(gained.attack for gained in release.attack_gains):
        gains = [gain for gained in release.attack_gains if gained.attack == attack and (gain := gained.largest_gain) is not None]
        if gains:
            yield Metric(f"attack_gain/{attack}", max(gains))
    yield from _series_points(release, names)
    for step_name, seconds in record.seconds.items():
        yield Metric(f"seconds/{step_name}", seconds)


def _series_points(release: MeasuredRelease, names: PublicNames) -> Iterator[Metric]:
    """Together with the versions before: of all, and of each attribute alone. Counts of people are as coarse as in the report."""
    series = release.series
    if series is None:
        return
    yield Metric("series/versions", len(series.earlier))
    yield Metric("series/not_measured", series.not_measured)
    if not series.earlier:
        return
    fewest = [each.candidates for each in series.compared if each.candidates is not None]
    figures = {
        "linkability": series.linkability,
        "linkability_any": series.linkability_any,
        "candidates": min(fewest, default=None),
        "risk": series.risk,
    }
    yield from _known({f"series/{name}": value for name, value in (figures | _shares(series)).items()})
    alone = [each for each in series.compared if len(each.names) == 1]
    for each in alone if len(alone) <= MOST_METRICS else ():
        of = {"linkability": each.linkability, "candidates": each.candidates, "risk": each.risk}
        yield from _known({f"series_{name}{names.below(each.names[0], None)}": value for name, value in of.items()})


def _shares(series: SeriesFigures) -> dict[str, float]:
    return {"returning": series.returning, "changed": series.changed}


def _worst(tables: Sequence[TableFigures]) -> Iterator[Metric]:
    """Of every figure the table that is worst off."""
    for figure in (figure for gate in GATES for figure in gate.figures if figure.worst is not None):
        values = [value for figures in tables for value in figures.each(figure.name).values()]
        if values:
            yield Metric(figure.worst_name, (max if figure.worst is Comparison.AT_MOST else min)(values))


def _whole(table: MeasuredTable) -> Iterator[Metric]:
    figures = table.figures
    for name in ("rows", "groups", "mean_group", "discernibility", "ncp"):
        yield Metric(name, getattr(figures, name))
    yield from _known({name: getattr(figures, name) for name in QUERY_ERRORS})


def _each(table: MeasuredTable, names: PublicNames) -> Iterator[Metric]:
    """Of every attribute and every dictionary."""
    figures = table.figures
    for figure in (figure for gate in GATES for figure in gate.figures):
        for of, value in figures.each(figure.name).items():
            about = names.below(of, None) if figure.per is Per.ATTRIBUTE else names.below(None, of)
            yield Metric(f"{figure.name}{about}", value)
    for quasi, value in table.loss.items():
        yield Metric(f"loss/{names.of(quasi)}", value)


def _known(values: Mapping[str, float | None]) -> Iterator[Metric]:
    return (Metric(name, value) for name, value in values.items() if value is not None)


def finite_points(points: Iterable[Metric]) -> tuple[Metric, ...]:
    """MLflow keeps infinity as 1.8e308 and NaN as 0; a figure that is neither is not one."""
    gathered = tuple(Metric(point.name, float(point.value), point.step) for point in points)
    for point in gathered:
        if not math.isfinite(point.value):
            sentence = f"{point.name} is not a finite number."
            raise RequirementNotMet(sentence, "Look for empty groups or infinite weights: every figure must be finite.", "figures")
    if len({(point.name, point.step) for point in gathered}) != len(gathered):
        raise Defect("Two figures of one run have the same name.", "Rename the attributes that differ only in special characters.")
    return gathered


def _files(record: TrackedRelease, names: PublicNames) -> dict[str, bytes]:
    release = record.measured
    gates = [
        (
            verdict.gate,
            verdict.table,
            None if verdict.attribute is None else names.of(verdict.attribute),
            verdict.dictionary,
            verdict.bound,
            verdict.comparison,
            verdict.measured,
            verdict.required,
            verdict.passed,
            names.in_text(verdict.remedy),
        )
        for verdict in release.verdicts
    ]
    outcomes = [
        (outcome.side, outcome.table, outcome.expectation, names.of(outcome.column), outcome.success) for outcome in release.outcomes
    ]
    files = {
        "gates.json": _table_file(GATES_COLUMNS, gates),
        "expectations.json": _table_file(("side", "table", "type", "column", "success"), outcomes),
    }
    if release.promise is not None and sum(each.attribute is not None for each in release.promise.requirements) > MOST_METRICS:
        files["promise.json"] = _table_file(("parameter", "value"), list(_stated(release.promise.requirements, names).items()))
    if release.plan is not None:
        steps = [{**step.model_dump(mode="json", exclude={"reason"}), "reason": names.in_text(step.reason)} for step in release.plan.steps]
        columns = [names.of(name) for name in release.plan.columns]
        tables = [[names.number(name) for name in table] for table in release.plan.tables]
        files["plan.json"] = json.dumps({"columns": columns, "tables": tables, "steps": steps}, ensure_ascii=False, indent=1).encode()
    pictures = files_of(record.pictures or draw_release(release), release, names.of)
    return files | {f"pictures/{path}": picture for path, picture in pictures.items()}


def _table_file(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> bytes:
    """A table in the form that MLflow's own pages show."""
    return json.dumps({"columns": columns, "data": rows}, ensure_ascii=False, allow_nan=False).encode()
