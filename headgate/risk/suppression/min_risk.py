"""MinRisk (decision-theoretic-privacy-risk, Algorithm 1): which fields of each record to disclose so that an attacker with a dictionary
learns least.

It is the best rule of Δ2 if the dictionary's fields are independent and sensitivity is multiplicative (Φ5).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import Column, Kind
from headgate.core.compiling import loop
from headgate.core.errors import InputRejected
from headgate.core.frame_specs import absent_column
from headgate.core.published_form.published_table import PublishedCells
from headgate.core.tolerance import is_whole
from headgate.risk.candidates.consistency import consistent_individuals
from headgate.risk.candidates.runs import cell_runs
from headgate.risk.disclosure.expected_loss import check_frames, dictionary_column, shown
from headgate.risk.disclosure.sensitivity import Sensitivity, Weight, loss

MOST_CHOICES = 20_000  # of fields per record, over which a gap is measured


@dataclass(frozen=True, eq=False)
class Gammas:
    """γ of each record's cells, in the order of the attributes, and which cells are present."""

    gamma: NDArray[np.float64]
    present: NDArray[np.bool_]
    individuals: int


@dataclass(frozen=True)
class Gap:
    """How much worse than the best rule MinRisk is if the dictionary's fields depend on each other."""

    min_risk: float  # R of its rule
    best: float  # R of the best rule of Δ2

    @property
    def gap(self) -> float:
        return 0.0 if math.isinf(self.best) else self.min_risk - self.best


def min_risk(
    frame: pd.DataFrame, dictionary: pd.DataFrame, weights: Mapping[str, Weight], keep: int, kinds: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The frame, with the `keep` fields of each record that MinRisk discloses (all non-missing fields, if there are fewer). All other
    cells are missing."""
    names = [str(name) for name in frame.columns]
    shared = [name for name in names if name in {str(column) for column in dictionary.columns}]
    check_frames(frame, dictionary, shared, None)
    columns = {name: dictionary_column(dictionary, name, kinds) for name in shared}
    own = {name: columns[name].kind if name in columns else Kind.CATEGORY for name in names}
    kept = min_risk_cells({name: exact_cells(dictionary_column(frame, name, own)) for name in names}, columns, weights, keep)
    return frame.where(pd.DataFrame(kept, index=frame.index, columns=frame.columns))


def exact_cells(column: Column) -> PublishedCells:
    """A column in its published form, without generalization."""
    values = column.values if column.kind.rules.single else range(len(column.values))  # no dictionary has a field of another kind
    return PublishedCells(column.codes, np.array([*map(column.kind.rules.cell_text, values), ""], dtype=object))


def min_risk_cells(
    cells: Mapping[str, PublishedCells],
    dictionary: Mapping[str, Column],
    weights: Mapping[str, Weight],
    keep: int,
    records: Weight | None = None,
) -> NDArray[np.bool_]:
    """Which cells MinRisk discloses: records × attributes, in the order of `cells`. If several γ are equal, the attribute that comes first
    wins. `records` multiplies all weights of each record.

    A field that the dictionary lacks is consistent with everybody. Other fields of the dictionary are ignored."""
    _check_keep(keep, cells)
    measured = gammas(cells, dictionary, weights, records)
    return np.asarray(_least(measured.gamma, measured.present, keep))


def gammas(
    cells: Mapping[str, PublishedCells],
    dictionary: Mapping[str, Column],
    weights: Mapping[str, Weight],
    records: Weight | None = None,
) -> Gammas:
    """γ = e^w·α(⊥)/α(x), where α(x) counts the individuals consistent with x on that field alone. If there are none, γ is 0, because ρ
    is then empty."""
    columns = {name: dictionary[name] for name in cells if name in dictionary}
    if not columns:
        raise InputRejected("The dictionary and the records share no field.", "Give a dictionary with at least one of the fields.")
    individuals, rows = len(next(iter(columns.values()))), len(next(iter(cells.values())).codes)
    if individuals == 0 or rows == 0:
        raise InputRejected(f"The {'dictionary' if individuals == 0 else 'table'} has no rows.", "Give exactly one row per individual.")
    for name in weights:
        if name not in cells:
            raise absent_column(name, list(cells), "the records")
    gamma, present = np.empty((rows, len(cells))), np.empty((rows, len(cells)), dtype=bool)
    everywhere = np.ones(rows, dtype=bool)
    for i, (name, published_cells) in enumerate(cells.items()):
        present[:, i] = shown(published_cells, columns.get(name))
        alpha = (
            cell_runs(published_cells, columns[name]).sums(columns[name].counts())
            if name in columns
            else np.full(len(published_cells.texts), individuals)
        )
        weight = Sensitivity.multiplicative({name: weights.get(name, 0.0)}, records).of({name: everywhere}, rows)
        ratio = np.where(alpha > 0, individuals / np.maximum(alpha, 1), 0.0)[published_cells.codes]
        with np.errstate(over="ignore", invalid="ignore"):
            gamma[:, i] = np.where(ratio > 0, weight * ratio, 0.0)
    return Gammas(gamma, present, individuals)


def gap(cells: Mapping[str, PublishedCells], dictionary: Mapping[str, Column], weights: Mapping[str, Weight], keep: int) -> Gap:
    """R of MinRisk's rule and of the best rule, which is determined by trying every choice of fields of each record against the real ρ.
    For small tables."""
    _check_keep(keep, cells)
    names = tuple(cells)
    measured = gammas(cells, dictionary, weights)
    wanted = np.minimum(measured.present.sum(axis=1), keep)
    sizes = np.unique(wanted).tolist()
    if sum(math.comb(len(names), size) for size in sizes) > MOST_CHOICES:
        raise InputRejected(f"There are over {MOST_CHOICES:,} ways to choose {keep} of {len(names)} fields.", "Give fewer attributes.")
    chosen = np.asarray(_least(measured.gamma, measured.present, keep))
    mine, best = np.full(len(wanted), np.inf), np.full(len(wanted), np.inf)
    for size in sizes:
        for fields in itertools.combinations(range(len(names)), size):
            rows = np.flatnonzero((wanted == size) & measured.present[:, fields].all(axis=1))
            if len(rows) == 0:
                continue
            losses = _losses(cells, dictionary, weights, [names[i] for i in fields], rows)
            best[rows] = np.minimum(best[rows], losses)
            own = chosen[rows][:, fields].all(axis=1)
            mine[rows[own]] = losses[own]
    return Gap(float(mine.mean()), float(best.mean()))


def _losses(
    cells: Mapping[str, PublishedCells],
    dictionary: Mapping[str, Column],
    weights: Mapping[str, Weight],
    fields: list[str],
    rows: NDArray[np.intp],
) -> NDArray[np.float64]:
    """ℓ of these records if these of their fields are disclosed."""
    everywhere = np.ones(len(next(iter(cells.values())).codes), dtype=bool)
    shared = [name for name in fields if name in dictionary]
    consistent = np.full(len(rows), len(next(iter(dictionary.values()))), dtype=np.int64)
    if shared:
        some = {name: PublishedCells(cells[name].codes[rows], cells[name].texts) for name in shared}
        consistent = consistent_individuals(some, dictionary, shared)
    of = {name: weights[name] for name in fields if name in weights}
    return loss(Sensitivity.multiplicative(of).of(dict.fromkeys(of, everywhere), len(everywhere))[rows], consistent)


def _check_keep(keep: int, cells: Mapping[str, PublishedCells]) -> None:
    if not is_whole(keep, 0) or keep > len(cells):
        raise InputRejected(f"A record of {len(cells)} fields cannot keep {keep}.", f"Give keep as a whole number from 0 to {len(cells)}.")


@loop
def _least(gamma: NDArray[np.float64], present: NDArray[np.bool_], keep: int) -> NDArray[np.bool_]:
    """The `keep` smallest γ of each record among the cells that are present; of equal ones, the first."""
    kept = np.zeros(gamma.shape, np.bool_)
    for row in range(len(gamma)):
        for _ in range(keep):
            least = -1
            for j in range(gamma.shape[1]):
                if present[row, j] and not kept[row, j] and (least < 0 or gamma[row, j] < gamma[row, least]):
                    least = j
            if least < 0:
                break
            kept[row, least] = True
    return kept
