"""What advice says of sensitive numbers: what rounding would cost and buy, or what the policy's own rounding does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from headgate.advice.coarser_numbers import CoarserNumber, coarser_number, suggested_steps
from headgate.core.columns import Column, Table
from headgate.core.number_form import NumberForm
from policies.gates.amounts import amount
from policies.schema.policy import Policy
from policies.words.fields import decimal_text


@dataclass(frozen=True)
class NumberAdvice:
    """`declared`: the policy's `publish_as`, if it has one; then `steps` is what it does, else what is suggested."""

    attribute: str
    unique: float
    declared: str
    steps: tuple[tuple[str, CoarserNumber], ...]

    def sentences(self) -> Iterator[str]:
        once = f"{100 * self.unique:.1f} % of the values of {self.attribute} occur once"
        if self.declared:
            ((_, step),) = self.steps
            yield f"{once} in the source; with publish_as: {self.declared}, {_said(step)}"
            return
        yield f"{once}: whoever knows such a value of somebody finds the row. To publish it rounded:"
        for written, step in self.steps:
            yield f"  publish_as: {written} – then {_said(step)}"

    def to_json(self) -> dict[str, Any]:
        steps = [
            {"publish_as": written, "unique": step.unique, "mean_change": step.mean_change, "largest_change": step.largest_change}
            for written, step in self.steps
        ]
        return {"attribute": self.attribute, "unique": self.unique, "declared": self.declared or None, "steps": steps}


def _said(step: CoarserNumber) -> str:
    changes = f"a number changes by {amount(step.mean_change)} on average and by {amount(step.largest_change)} at most"
    return f"{100 * step.unique:.1f} % do; {changes}."


def number_advice(policy: Policy, source: Table, prepared: Table) -> tuple[NumberAdvice, ...]:
    """`source` holds the numbers as they are, `prepared` as they are published. Numbers that hardly single anybody out are left out."""
    return tuple(advice for name in source.sensitive if (advice := _advice(policy, name, source[name], prepared.columns.get(name))))


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
