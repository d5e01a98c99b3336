"""Disclosure rules as matrices (records × attributes) that say what is disclosed, and their risk (decision-theoretic-privacy-risk, section
3).

A rule never discloses a missing cell. If fewer cells are present than a rule should disclose, it discloses all of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column
from headgate.core.errors import InputRejected
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates.consistency import consistent_individuals
from headgate.risk.disclosure.expected_loss import shown
from headgate.risk.disclosure.sensitivity import Sensitivity, loss

Rule = NDArray[np.bool_]


def rules_in_all(present: NDArray[np.bool_], k: int) -> Iterator[Rule]:
    """Δ1: k entries for all records combined."""
    check_entries(k, present.size)
    yield from _with_cells(present.shape, [np.flatnonzero(present)], k)


def rules_per_record(present: NDArray[np.bool_], k: int) -> Iterator[Rule]:
    """Δ2: k entries in each record."""
    check_entries(k, present.shape[1])
    width = present.shape[1]
    yield from _with_cells(present.shape, [row * width + np.flatnonzero(cells) for row, cells in enumerate(present)], k)


def rules_per_attribute(present: NDArray[np.bool_], k: int) -> Iterator[Rule]:
    """Δ3: k entries of each attribute."""
    check_entries(k, present.shape[0])
    width = present.shape[1]
    yield from _with_cells(present.shape, [np.flatnonzero(cells) * width + j for j, cells in enumerate(present.T)], k)


def best_of(rules: Iterable[Rule], risk: Callable[[Rule], float]) -> tuple[Rule, float]:
    """The best rule (argmin), by trying them one after the other; the first wins ties. For small tables."""
    best = min(((risk(rule), place, rule) for place, rule in enumerate(rules)), key=lambda candidate: candidate[:2], default=None)
    if best is None:
        raise InputRejected("The list of rules is empty.", "Give at least one.")
    return best[2], best[0]


def rule_risk(
    rule: Rule, cells: Mapping[str, PublishedCells], dictionary: Mapping[str, Column], fields: Sequence[str], sensitivity: Sensitivity
) -> float:
    """R(δ, θ): the mean ℓ if everything that the rule does not disclose is suppressed. `cells` are in the order of the rule's
    attributes."""
    rows = {len(published_cells.codes) for published_cells in cells.values()}
    if rows != {len(rule)} or rule.shape[1] != len(cells) or len(rule) == 0:
        raise InputRejected("The rule does not have the shape of the table.", "Give one row per record and one column per attribute.")
    left = suppressed(cells, rule)
    disclosed = {name: shown(published_cells, dictionary.get(name)) for name, published_cells in left.items()}
    return float(loss(sensitivity.of(disclosed, len(rule)), consistent_individuals(left, dictionary, fields)).mean())


def suppressed(cells: Mapping[str, PublishedCells], rule: Rule) -> dict[str, PublishedCells]:
    """The cells that remain under the rule; `cells` are in the order of its attributes."""
    out = {}
    for i, (name, published_cells) in enumerate(cells.items()):
        codes = np.where(rule[:, i], published_cells.codes, len(published_cells.texts)).astype(np.int32)
        out[name] = PublishedCells(codes, np.append(published_cells.texts, ""))
    return out


def product_losses(gamma: NDArray[np.float64], rule: Rule, individuals: int) -> NDArray[np.float64]:
    """ℓ(S) = (1/N)·Π γ_j over the disclosed attributes: the losses under Φ5 against a dictionary of independent fields, with 0·∞ = 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        product = np.where(rule, gamma, 1.0).prod(axis=1)
    return np.where((rule & (gamma == 0)).any(axis=1), 0.0, product) / individuals


def product_risk(gamma: NDArray[np.float64], rule: Rule, individuals: int) -> float:
    """R under the assumptions of `product_losses`."""
    return float(product_losses(gamma, rule, individuals).mean())


def check_entries(k: int, most: int) -> None:
    if not 0 <= k <= most:
        raise InputRejected(f"A rule cannot disclose {k} of {most} entries.", f"Give k from 0 to {most}.")


def _with_cells(shape: tuple[int, ...], parts: Sequence[NDArray[np.intp]], k: int) -> Iterator[Rule]:
    """Every rule with k cells of each part. Cells are numbered row by row."""
    for chosen in itertools.product(*(list(itertools.combinations(part.tolist(), min(k, len(part)))) for part in parts)):
        rule = np.zeros(shape, dtype=bool)
        rule.flat[[cell for part in chosen for cell in part]] = True
        yield rule
