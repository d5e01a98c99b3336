"""What advice says of sensitive numbers: what rounding would cost and buy, or what the policy's own rounding does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from headgate.advice.coarser_numbers import CoarserNumber, coarser_number, few_valued_steps, suggested_steps
from headgate.core.columns import Column, Table
from headgate.core.number_form import NumberForm
from policies.gates.amounts import amount
from policies.jobs.table_job import Names
from policies.schema.policy import Policy
from policies.sealed.numbers import written_as
from policies.words.fields import decimal_text
from tasks.advice.advice_trials import Trials, TrialSetting
from tasks.advice.published_before import PublishedBefore
from tasks.advice.series_advice import SeriesAdvice, SeriesTrials
from tasks.reading.ingest import Ingested


@dataclass(frozen=True)
class NumberAdvice:
    """`declared`: the policy's `publish_as`, if it has one; then `steps` is what it does, else what is suggested."""

    attribute: str
    unique: float
    declared: str
    steps: tuple[tuple[str, CoarserNumber], ...]
    series: SeriesAdvice | None = None  # where people are published again

    def sentences(self) -> Iterator[str]:
        yield from self._of_one_version()
        if self.series is not None:
            yield from self.series.sentences(self.attribute)

    def _of_one_version(self) -> Iterator[str]:
        once = f"{100 * self.unique:.1f} % of the values of {self.attribute} occur once"
        if self.declared:
            ((_, step),) = self.steps
            yield f"{once} in the source; with publish_as: {self.declared}, {_said(step)}"
            return
        if not self.steps:
            return
        yield f"{once}: whoever knows such a value of somebody finds the row. To publish it rounded:"
        for written, step in self.steps:
            yield f"  publish_as: {written} – then {_said(step)}"

    def to_json(self) -> dict[str, Any]:
        steps = [
            {"publish_as": written, "unique": step.unique, "mean_change": step.mean_change, "largest_change": step.largest_change}
            for written, step in self.steps
        ]
        series = None if self.series is None else self.series.to_json()
        return {"attribute": self.attribute, "unique": self.unique, "declared": self.declared or None, "steps": steps, "series": series}


def _said(step: CoarserNumber) -> str:
    changes = f"a number changes by {amount(step.mean_change)} on average and by {amount(step.largest_change)} at most"
    return f"{100 * step.unique:.1f} % do; {changes}."


def number_advice(policy: Policy, source: Table, prepared: Table) -> tuple[NumberAdvice, ...]:
    """`source` holds the numbers as they are, `prepared` as they are published. Numbers that hardly single anybody out are left out."""
    return tuple(advice for name in source.sensitive if (advice := _advice(policy, name, source[name], prepared.columns.get(name))))


def with_series(
    numbers: Sequence[NumberAdvice],
    trials: Trials,
    setting: TrialSetting,
    source: Ingested,
    tables: Sequence[Names],
    before: PublishedBefore | None = None,
) -> tuple[NumberAdvice, ...]:
    """And what rounding a steady number does to a series, in those of the `tables` that hold one. One that hardly singles anybody out in
    one version may do so in two."""
    known = {number.attribute: number for number in numbers}
    advised = []
    for name in source.table.sensitive:
        number = known.get(name) or NumberAdvice(name, 0.0, "", ())
        names = next((names for names in tables if name in names), None)
        tried = None if names is None else SeriesTrials(trials, names, setting, name, before)
        series = None if tried is None else _series(number, tried, source)
        if name in known or (series is not None and series.steps[0].above):
            advised.append(replace(number, series=series))
    return tuple(advised)


def _series(number: NumberAdvice, tried: SeriesTrials, source: Ingested) -> SeriesAdvice | None:
    name, policy = number.attribute, tried.trials.policy
    column, spec = source.table[name], source.specs[name]
    if policy.person_column is None or not policy.is_steady(name) or "publish_as" not in column.kind.rules.keys:
        return None
    steps = {written: step.form for written, step in number.steps}
    if not number.declared:
        steps |= {f"{{round: {_written(step)}}}": step.form for step in few_valued_steps(column)}
    forms = [("", column), *((written, written_as(column, form, spec)) for written, form in steps.items())]
    return tried.advice(forms[1:] if number.declared and tried.before is not None else forms)


def _advice(policy: Policy, name: str, column: Column, prepared: Column | None) -> NumberAdvice | None:
    if "publish_as" not in column.kind.rules.keys:
        return None
    unique, wanted = coarser_number(column, NumberForm()).unique, policy.attributes[name].publish_as
    if wanted is not None and prepared is not None and prepared.number_form is not None:
        declared = "{" + ", ".join(f"{key}: {text}" for key, text in wanted.declared.items()) + "}"
        return NumberAdvice(name, unique, declared, ((declared, coarser_number(column, prepared.number_form)),))
    steps = tuple((f"{{round: {_written(step)}}}", step) for step in suggested_steps(column))
    return NumberAdvice(name, unique, "", steps) if steps else None


def _written(step: CoarserNumber) -> str:
    exact = step.form.step
    return "" if exact is None else decimal_text(Decimal(exact.numerator) / Decimal(exact.denominator))
