"""The privacy figures of any table, without a policy: `headgate check` and `headgate.check`.

Kinds follow the dtype: numbers are `number` with the observed range as domain, everything else is `category`. All values are
sensitive. A missing quasi-identifier is a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pandas as pd

from headgate.core.alike import Ruler, alike
from headgate.core.columns import Codes, Column
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column, check_text_names
from headgate.core.tolerance import at_most, exact
from headgate.counting.class_counts import count
from headgate.counting.figure import Shortfall
from headgate.library.frame_columns import cell_codes, classes_of, encode
from headgate.library.measures import NEEDS, MeasuredPrinciple, Parameters, known_measure, measure_attribute, measure_shapes
from headgate.principles.dissimilarity import Dissimilarity, dissimilarity
from headgate.principles.k_anonymity import k_anonymity
from headgate.risk.reidentification.prosecutor import reidentification
from headgate.risk.reidentification.uniqueness import SpecialUniques, sample_uniques_of, special_uniques_of
from headgate.utility.loss import discernibility


@dataclass(frozen=True)
class ReidentificationFigures:
    max: float
    mean: float


@dataclass(frozen=True)
class DeltaLFigures:
    interval: float
    definition: float
    window: float


@dataclass(frozen=True)
class EpsilonMFigures:
    epsilon: float
    m: float


@dataclass(frozen=True)
class AttributeFigures:
    """The figures of one attribute; None if an option is missing, or if the kind has no such figure."""

    distinct_l: int
    frequency_l: float
    entropy_l: float
    closeness: float
    delta_l: DeltaLFigures | None = None
    epsilon_m: EpsilonMFigures | None = None


@dataclass(frozen=True)
class ProximityFigures:
    epsilon: float
    risk: float
    delta: float | None = None
    vulnerable_groups: int | None = None
    vulnerability: float | None = None

    @classmethod
    def of(cls, near: Dissimilarity) -> ProximityFigures:
        return cls(near.epsilon, near.risk, near.delta, near.vulnerable_groups, near.vulnerability)


@dataclass(frozen=True, eq=False)
class Line:
    """One measure of the table or of one attribute; where a figure was required, `short` says which groups miss it."""

    measured: MeasuredPrinciple
    short: Shortfall | None = None
    required: str = ""  # as a person writes it


@dataclass(frozen=True, eq=False)
class CheckResult:
    rows: int
    groups: int
    k: int
    mean_group: float
    discernibility: int
    reidentification: ReidentificationFigures
    sensitive: Mapping[str, AttributeFigures]
    proximity: ProximityFigures | None = None
    lines: tuple[Line, ...] = ()
    sample_uniques: int = 0
    special_uniques: SpecialUniques | None = None  # of the single quasi-identifiers; None where groups are all there is
    compared: Mapping[str, str] = field(default_factory=dict)  # the kind each sensitive attribute was taken for, or hierarchy
    alike: str = ""  # what ε amounts to in units of the attributes; empty without ε

    @property
    def missed(self) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.short is not None and not line.short.met)

    def line(self, key: str, attribute: str = "") -> Line | None:
        return next((line for line in self.lines if (line.measured.key, line.measured.attribute) == (key, attribute)), None)

    def to_json(self) -> dict[str, Any]:
        """The object that `check --json` prints; what was not measured is absent."""
        shown = ("rows", "groups", "k", "mean_group", "discernibility", "reidentification", "sensitive", "proximity")
        return {name: _plain(getattr(self, name)) for name in shown if getattr(self, name) is not None}


def check(
    frame: pd.DataFrame,
    quasi: Sequence[str] | str,
    sensitive: Sequence[str] | str,
    epsilon: Any = None,
    delta: Any = None,
    interval: Any = None,
    group: str | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    require: Mapping[str, Any] | None = None,
    scales: Mapping[str, str] | None = None,
) -> CheckResult:
    """Groups are by quasi-identifier values, or by the column `group`. In a published table, where every group has one combination of
    quasi-identifiers, both readings are measured and the worse counts. `require` asks for figures by the keys of
    `headgate.library.measures.MEASURES`; `scales={"pay": "log"}` compares numbers by their ratio under ε."""
    quasi, sensitive = ([names] if isinstance(names, str) else list(names) for names in (quasi, sensitive))
    _check_names(frame, quasi, sensitive, group)
    cells = {name: cell_codes(frame[name]) for name in quasi}
    classes = classes_of(cells, None if group is None else frame[group])
    columns = [encode(frame, name, kinds=kinds, hierarchies=hierarchies, scales=scales) for name in sensitive]
    return check_classes(columns, classes, cells, epsilon, delta, interval, require)


def check_classes(
    columns: Sequence[Column],
    classes: Sequence[Codes],
    quasi: Mapping[str, Codes],
    epsilon: Any = None,
    delta: Any = None,
    interval: Any = None,
    require: Mapping[str, Any] | None = None,
) -> CheckResult:
    """`check` for encoded columns. `quasi` has the codes of each quasi-identifier, for special uniques; it may be empty."""
    required = _required(require or {}, epsilon, delta)
    parameters, near = Parameters(epsilon, interval), None
    size, risk = k_anonymity(classes), reidentification(classes)
    measured = [MeasuredPrinciple("k", "", size.figure), MeasuredPrinciple("prosecutor", "", risk.figure)]
    if epsilon is not None:
        near = dissimilarity(columns, classes, Distance(), epsilon, delta)
        measured.append(MeasuredPrinciple("risk", "", near.figure))
        measured += measure_shapes(columns, classes, epsilon)
    for column in columns:
        measured += measure_attribute(count(column, classes), parameters)
    lines = _lines(measured, required)
    if near is not None and delta is not None:
        place = [measure.key for measure in measured].index("risk")
        lines[place] = Line(measured[place], near.short_of(delta), f"≤ {_written(1 - exact(delta))}")
    return CheckResult(
        len(classes[0]),
        size.groups,
        size.k,
        size.mean_group,
        discernibility(classes),
        ReidentificationFigures(risk.max, risk.mean),
        {column.name: _figures(column, measured, parameters) for column in columns},
        None if near is None else ProximityFigures.of(near),
        tuple(lines),
        sample_uniques_of(classes).count,
        special_uniques_of(quasi) if quasi else None,
        {column.name: "hierarchy" if column.hierarchy is not None else str(column.kind) for column in columns},
        "" if near is None else alike([Ruler.of(column, observed=True) for column in columns], f"{near.epsilon:g}", near.epsilon),
    )


def _required(require: Mapping[str, Any], epsilon: Any, delta: Any) -> dict[str, Any]:
    """The thresholds, by the key of what they are for."""
    if delta is not None and epsilon is None:
        raise InputRejected("δ means nothing without ε.", "Give ε too.")
    required = {known_measure(key): _threshold(key, value) for key, value in require.items() if value is not None}
    if delta is not None and "risk" in required:
        raise InputRejected("'risk' is required twice: δ says that it is at most 1 − δ.", "Give one of them.")
    return required


def _threshold(key: str, value: Any) -> Any:
    least = 1 if key == "k" else 0
    if exact(value) < least:
        raise InputRejected(f"The threshold of '{key}' is below {least}.", f"Give a number from {least} up.")
    return value


def _written(number: Fraction) -> str:
    return f"{float(number):,.10g}"


def _lines(measured: Sequence[MeasuredPrinciple], required: Mapping[str, Any]) -> list[Line]:
    absent = [key for key in required if key not in {measure.key for measure in measured}]
    if absent:
        raise InputRejected(f"'{absent[0]}' cannot be measured here.", f"It needs {NEEDS[absent[0]]}.")
    return [_line(measure, required) for measure in measured]


def _line(measured: MeasuredPrinciple, required: Mapping[str, Any]) -> Line:
    wanted = required.get(measured.key)
    if wanted is None:
        return Line(measured)
    short, threshold = measured.figure.short_of(wanted), exact(wanted)
    if short.required < threshold and not at_most(float(threshold), short.required):
        return Line(measured, short, f"{measured.figure.sign} {_written(Fraction(short.required))} (capped from {_written(threshold)})")
    return Line(measured, short, f"{measured.figure.sign} {_written(threshold)}")


def _figures(column: Column, measured: Sequence[MeasuredPrinciple], parameters: Parameters) -> AttributeFigures:
    values = {measure.key: measure.figure.value for measure in measured if measure.attribute == column.name}
    near = within = None
    if "delta_l" in values:
        near = DeltaLFigures(float(exact(parameters.interval)), values["delta_l"], values["delta_l_window"])
    if "epsilon_m" in values:
        within = EpsilonMFigures(float(exact(parameters.epsilon)) * column.width, values["epsilon_m"])
    return AttributeFigures(int(values["distinct_l"]), values["frequency_l"], values["entropy_l"], values["closeness"], near, within)


def _check_names(frame: pd.DataFrame, quasi: Sequence[str], sensitive: Sequence[str], group: str | None) -> None:
    names = [str(name) for name in frame.columns]
    named = [*quasi, *sensitive, *([group] if group is not None else [])]
    check_text_names(named, list(frame.columns))
    for name in named:
        if names.count(name) > 1:
            raise InputRejected(f"The table has {names.count(name)} columns named '{name}'.", "Rename them.")
        if name not in names:
            raise absent_column(name, names, "the table")
        if named.count(name) > 1:
            raise InputRejected(
                f"Column '{name}' is named twice.", "Name each column once: as a quasi-identifier, as sensitive or as the group."
            )
    if not quasi and group is None:
        raise InputRejected("No quasi-identifier was named.", "Name at least one, or the column with group numbers.")
    if not sensitive:
        raise InputRejected("No sensitive attribute was named.", "Name at least one.")
    if len(frame) == 0:
        raise InputRejected("The table has no rows.", "Give a table with rows.")


def _plain(figures: Any) -> Any:
    if isinstance(figures, Mapping):
        return {key: _plain(value) for key, value in figures.items()}
    if hasattr(figures, "__dataclass_fields__"):
        return {name: _plain(getattr(figures, name)) for name in figures.__dataclass_fields__ if getattr(figures, name) is not None}
    return figures
