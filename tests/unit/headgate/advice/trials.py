"""A trial without a policy: groups by `blocks` under (ε, δ) and other limits, measured as published."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.advice.result import TableAdvice, Tried
from headgate.advice.table_advice import Sweep, Trial, advise
from headgate.core.columns import Column, Table
from headgate.core.errors import RequirementNotMet
from headgate.core.published_form.published_table import publish_form
from headgate.grouping.limits import NeighbourhoodLimit, dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Settings
from headgate.utility.queries import count_query_error


def trial_of(table: Table, sensitive: Sequence[str], others: Sequence[NeighbourhoodLimit] = ()) -> Trial:
    def trial(k: int, epsilon: str, delta: str) -> Tried:
        limits = (dissimilarity(table.select(sensitive), epsilon, delta), *others)
        partition = anonymize(Blocks(), table, sensitive, Settings(k, limits), 0)
        if not partition.reached:
            return Tried(False, reason=partition.remedy())
        published = publish_form(table, partition.groups, "table", sensitive)
        mean = median = None
        try:
            errors = count_query_error(table, published, 3, 2, 0.1, 1000, 0)
            mean, median = errors.moments, errors.median
        except RequirementNotMet:
            mean = None  # nothing to count
        share = _fullest_share(table.select(sensitive), partition.groups)
        return Tried(True, (), "", partition.delta_reached, partition.loss, mean, median, share, partition.count, table.rows)

    return trial


def _fullest_share(columns: Sequence[Column], groups: np.ndarray) -> float:
    """Of a sensitive value in a group."""
    inside = [column.take(np.flatnonzero(groups == g)) for column in columns for g in range(groups.max() + 1)]
    return max(float((column.counts() * column.sensitive).max()) / len(column) for column in inside)


def advised(table: Table, sensitive: Sequence[str], others: Sequence[NeighbourhoodLimit] = (), announce=None, **sweep) -> TableAdvice:
    trial = sweep.pop("trial", None) or trial_of(table, sensitive, others)
    return advise(table, sensitive, Sweep(trial, others=others, **sweep), announce=announce)
