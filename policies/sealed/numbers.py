"""Sensitive numbers as the policy publishes them, before anything else sees them; and whether published numbers are what was promised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Column, Table
from headgate.core.distinct import distinct_rows
from headgate.core.encode import ColumnSpec
from headgate.core.errors import InputRejected
from headgate.core.number_form import NumberForm, largest_share, quantile
from headgate.core.tolerance import at_most, exact
from headgate.core.units import counted
from policies.gates.uniqueness import NEARLY
from policies.schema.policy import Policy
from policies.schema.publish_as import PublishAs, is_share
from policies.sealed.promise import Promise, PublishedAs
from policies.words.fields import decimal_text

BEYOND = {"top": "above", "bottom": "below"}


def numbers_as_published(policy: Policy, table: Table, specs: Mapping[str, ColumnSpec]) -> Table:
    """The table itself where the policy rounds and codes nothing."""
    columns = dict(table.columns)
    for name, attribute in policy.attributes.items():
        if attribute.as_published is not None:
            column = table[name]
            columns[name] = _as_published(column, column, attribute.as_published, specs[name], policy.anonymize.k)
    if table.weight is not None:
        _require_weights(table[table.weight], columns[table.weight])
        if table.household is not None and policy.attributes[table.weight].unique is None:
            _require_shared(columns[table.weight], columns[table.household])
    return table if columns == table.columns else replace(table, columns=columns)


def numbers_by_published_rows(
    policy: Policy, source: Table, specs: Mapping[str, ColumnSpec], shown: Table, rows: NDArray[np.intp]
) -> dict[str, Column]:
    """Numbers with a bound that is a share, of every row, by what is published of them: the cells of `rows` that `shown` still holds.

    A bound that followed from all rows would tell on which side of it those lie that are suppressed."""
    columns = {}
    for name, attribute in policy.attributes.items():
        wanted = attribute.as_published
        if wanted is not None and any(map(is_share, wanted.ends.values())):
            column = source[name]
            published = replace(column, codes=column.codes[rows][shown[name].codes[rows] != MISSING])
            columns[name] = _as_published(column, published, wanted, specs[name], policy.anonymize.k)
    return columns


def _require_weights(source: Column, published: Column) -> None:
    """Every row stands for some people, in the source and as it is published."""
    counts, name = source.counts(), source.name
    missing, wrong = int(counts[-1]), int(counts[:-1][~(np.isfinite(source.values.astype(np.float64)) & (source.values > 0))].sum())
    if missing or wrong:
        said = [f"is missing in {counted(missing, 'row')}"] if missing else []
        said += [f"is not a positive number in {counted(wrong, 'row')}"] if wrong else []
        raise InputRejected(f"The weight '{name}' {' and '.join(said)}.", "Give every row a positive weight, or drop the rows without one.")
    gone = int(published.counts()[:-1][published.values <= 0].sum())
    if gone:
        cure = "Write a smaller publish_as: {round: …} there, such as 0.1."
        raise InputRejected(f"The weight '{name}' is rounded to 0 in {counted(gone, 'row')}, which then stand for nobody.", cure)


def _require_shared(weight: Column, household: Column) -> None:
    """People of one household often have one weight. If no other household has it, it tells who lives together."""
    pairs = distinct_rows(np.stack([weight.codes, household.codes], axis=1))[0]
    homes = np.bincount(pairs[:, 0], minlength=len(weight.values))
    lone = float((homes[weight.codes] == 1).mean())
    if not at_most(lone, float(NEARLY)):
        raise InputRejected(
            f"{lone:.0%} of the rows have a weight '{weight.name}' that no other household has, so it tells who lives together.",
            "Write a larger publish_as: {round: …} there; or unique: accepted, if that harms nobody.",
        )


def _as_published(column: Column, counted: Column, wanted: PublishAs, spec: ColumnSpec, k: int) -> Column:
    """`counted`: the cells on which shares are resolved."""
    step = None if wanted.round is None else exact(wanted.round)
    rounded, among = written_as(column, NumberForm(step), spec), written_as(counted, NumberForm(step), spec)
    ends = {key: _end(among, key, end, k) for key, end in wanted.ends.items()}
    form = NumberForm(step, **ends)
    if form.bottom is not None and form.top is not None and form.bottom >= form.top:
        raise InputRejected(f"In '{column.name}', the bottom is not below the top.", "Lower publish_as.bottom, or raise publish_as.top.")
    return written_as(rounded, form, spec)


def written_as(column: Column, form: NumberForm, spec: ColumnSpec) -> Column:
    """The column with its numbers in that form; its domain, and which of them are sensitive, follow."""
    values, place = np.unique(form.of(column.values), return_inverse=True)
    domain = None
    if column.domain is not None:
        low, high = form.of(column.domain).tolist()
        domain = (low, high)
    values = values.astype(column.values.dtype)
    sensitive = np.append(np.ones(len(values), dtype=bool), column.sensitive[-1])
    sensitive[:-1] = column.kind.rules.sensitive(values, spec)
    codes = np.append(place, MISSING).astype(np.int32)[column.codes]
    return replace(column, codes=codes, values=values, sensitive=sensitive, domain=domain, number_form=form)


def _end(rounded: Column, key: str, end: Decimal, k: int) -> Fraction:
    """The bound as a number; of a share, one of the rounded numbers. At least k people lie beyond it: fewer would stand out there."""
    turned = 1 if key == "top" else -1  # a bottom is the top of the negated numbers
    counts = rounded.counts()[:-1][::turned]
    values = turned * rounded.values.astype(np.float64)[::turned]
    share = exact(end) if key == "top" else 1 - exact(end)
    if not is_share(end):
        bound = turned * exact(end)
    elif len(values):
        bound = quantile(values, counts, share)
    else:
        raise _too_few(rounded.name, key, end, 0, k, None)
    beyond = int(counts[values > float(bound)].sum())
    if beyond < k:
        enough = largest_share(counts, k) if len(counts) else None
        raise _too_few(rounded.name, key, end, beyond, k, enough)
    return turned * bound


def _too_few(name: str, key: str, end: Decimal, beyond: int, k: int, enough: Fraction | None) -> InputRejected:
    rows = "1 row lies" if beyond == 1 else f"{beyond} rows lie"
    cure = f"Take {key} out of publish_as."
    if enough is not None and 0 < enough < 1:
        share = enough if key == "top" else 1 - enough
        text = decimal_text(Decimal(share.numerator) / Decimal(share.denominator))
        cure = f"Write {key}: {text}, which leaves at least {k} rows {BEYOND[key]} the bound, or take {key} out."
    why = f"at least k = {k} must, since they are published as the bound"
    return InputRejected(f"In '{name}', {rows} {BEYOND[key]} publish_as.{key} {decimal_text(end)}; {why}.", cure)


def published_as(wanted: PublishAs | None, column: Column) -> PublishedAs | None:
    """What is promised of the numbers in `column`: the rule as the policy declares it, and the bounds that shares became."""
    form = column.number_form
    if wanted is None or form is None:
        return None
    ends = {key: float(end) for key in wanted.ends if (end := getattr(form, key)) is not None}
    return PublishedAs(declared=wanted.declared, **ends)


def numbers_not_as_promised(promise: Promise, columns: Mapping[str, Column]) -> Iterator[tuple[str, int]]:
    """Columns with rows whose number is no multiple, or beyond a bound; and how many such rows there are."""
    weights = () if promise.weight is None else (promise.weight,)
    for attribute in (*promise.sensitive, *weights):
        if attribute.published_as is None or attribute.name not in columns:
            continue
        column = columns[attribute.name]
        numbers = np.array([float(value) for value in column.values], dtype=np.float64)  # those of a weight are read as texts
        wrong = attribute.published_as.form.of(numbers) != numbers
        rows = int(column.counts()[:-1][wrong].sum())
        if rows:
            yield attribute.name, rows
