"""What the ε of a release amounts to, table by table, in units that people read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headgate.core.alike import Ruler, alike, alike_alone
from headgate.core.tolerance import exact
from policies.gates.dissimilarity import DISSIMILARITY, EPSILON, in_own_units
from policies.gates.verdict import Requirement
from policies.sealed.promise import Promise, SensitiveAttribute


def alike_in(promise: Promise, sensitive: Sequence[str]) -> tuple[str, ...]:
    """Sentences about one table with these sensitive columns: its composite first, then what is promised of single attributes."""
    here = frozenset(sensitive)
    columns = [attribute for attribute in promise.sensitive if attribute.name in here]
    whole = promise.required(DISSIMILARITY)
    said = [] if whole is None or not columns else [_composed(promise, whole, columns)]
    return tuple(f"{sentence[0].upper()}{sentence[1:]}." for sentence in dict.fromkeys([*said, *_each(promise, columns)]))


def _composed(promise: Promise, whole: Requirement, columns: Sequence[SensitiveAttribute]) -> str:
    epsilon = whole.settings[EPSILON]
    if promise.callable is not None:
        return f"people are alike at a distance of at most {epsilon} by {promise.callable}"
    return alike(rulers_of(columns), epsilon, float(exact(epsilon)), promise.power, promise.combine == "min")


def _each(promise: Promise, columns: Sequence[SensitiveAttribute]) -> Iterator[str]:
    for column in columns:
        own = promise.required(DISSIMILARITY, column.name)
        if own is None:
            continue
        ruler, epsilon = ruler_of(column), own.settings[EPSILON]
        width = float(exact(epsilon))
        yield alike_alone(ruler, epsilon, width) if in_own_units(own) else alike([ruler], epsilon, width)


def rulers_of(columns: Sequence[SensitiveAttribute]) -> tuple[Ruler, ...]:
    """One for each attribute; the columns of a set share one."""
    rulers: dict[str, Ruler] = {}
    for column in columns:
        if column.origin is None:
            rulers[column.name] = ruler_of(column)
        else:
            bits = sum(other.origin == column.origin for other in columns)
            rulers[column.origin] = Ruler(column.origin, column.kind, bits=bits, weight=column.weight)
    return tuple(rulers.values())


def ruler_of(column: SensitiveAttribute) -> Ruler:
    """Of one published column; a column of a set is equal or it is not."""
    steps = len(column.levels) - 1 if column.levels else len(column.hierarchy[0]) - 1 if column.hierarchy else 0
    name = column.origin or column.name
    return Ruler(name, column.kind, column.domain, steps, column.scale, column.metric, weight=column.weight)
