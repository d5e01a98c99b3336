"""What advice says of ε itself: where a tail makes it large, and what is not tried where it is in units of its own."""

from __future__ import annotations

from collections.abc import Iterator

from headgate.advice.stretched_domain import StretchedDomain, stretched_domain
from headgate.core.alike import Ruler
from headgate.core.columns import Column, Table
from headgate.core.tolerance import exact
from policies.gates.dissimilarity import NONE
from policies.schema.policy import Policy


def epsilon_remarks(policy: Policy, table: Table, epsilon: str) -> tuple[str, ...]:
    """`table` holds the numbers as they are published; `epsilon` is the policy's share, or the one that is tried in its place."""
    return (*_own_units(policy), *_stretched(policy, table, epsilon))


def _own_units(policy: Policy) -> Iterator[str]:
    named = [name for name, width in policy.anonymize.alone.items() if width != NONE]
    if named:
        yield (
            f"The policy gives ε in units of its own ({', '.join(named)}). Every trial keeps that. The ε below is a share, promised of all "
            "attributes together beside it, so nothing is suggested in its place."
        )


def _stretched(policy: Policy, table: Table, epsilon: str) -> Iterator[str]:
    for column in table.select(table.sensitive):
        own = policy.anonymize.each.get(column.name)
        if column.name in policy.anonymize.alone or "scale" not in column.kind.rules.keys:
            continue
        share = epsilon if own is None else str(own.epsilon)
        found = stretched_domain(column, share)
        if found is not None:
            yield _sentence(column, share, found, observed=policy.attributes[column.name].domain is None)


def _sentence(column: Column, epsilon: str, found: StretchedDomain, observed: bool) -> str:
    within = Ruler.of(column).within(float(exact(epsilon)))
    declare = "declare its domain" if observed else "declare a narrower domain"
    end = "top: 0.99" if found.from_low_end else "bottom: 0.01"
    return (
        f"The domain of {column.name} is {found.times:,.0f} times as wide as 99 % of its values need. So values of it alone are alike "
        f"{within} (ε {epsilon}), and somebody is alike to {100 * found.alike:.0f} % of all others. To tell more people apart, {declare}, "
        f"publish_as: {{{end}}}, compare by ratios (scale: log), or give ε in units (anonymize.epsilon: {{{column.name}: …}})."
    )
