"""Decision theory over dictionaries θ and disclosure rules δ (decision-theoretic-privacy-risk, Definitions 4, 5 and 8, Theorem 1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Codes, Column, Kind
from headgate.core.errors import InputRejected
from headgate.core.tolerance import at_least, at_most, exact

QUANTILES = (0.5, 0.9, 0.99, 1.0)
MOST_EXPOSED = (0.01, 0.05, 0.1)


@dataclass(frozen=True)
class BestRule:
    """The place of the chosen rule in its list, and the risk that it was chosen by."""

    place: int
    risk: float


@dataclass(frozen=True)
class RiskDistribution:
    """How ℓ is distributed over the records, and so over people."""

    quantiles: Mapping[float, float]
    carried: Mapping[float, float]  # by the share of records that are most exposed, their share of the whole risk
    infinite: int  # records with an infinite ℓ


def bayes_risk(risks: Sequence[float], prior: Sequence[float]) -> float:
    """Definition 5: the expectation of R(δ, θ) over the prior, whatever the order of the dictionaries; 0·∞ = 0."""
    _check_risks(risks)
    _check_prior(prior, len(risks))
    return math.fsum(share * risk for share, risk in zip(prior, risks, strict=True) if share > 0)


def bayes_losses(losses: Sequence[NDArray[np.float64]], prior: Sequence[float]) -> NDArray[np.float64]:
    """Φ(y)·Σ p(θ)/|ρ(y, θ)| of each record, from its ℓ against each dictionary. Their mean is the Bayes risk."""
    _check_prior(prior, len(losses))
    for loss in losses:
        _check_risks(loss)
    if len({len(loss) for loss in losses}) != 1:
        raise InputRejected(
            "The dictionaries have losses of different numbers of records.", "Give one loss per record for each dictionary."
        )
    return np.asarray(np.sum([share * loss for share, loss in zip(prior, losses, strict=True) if share > 0], axis=0))


def minimax_risk(risks: Sequence[float]) -> float:
    """sup R(δ, θ): what the worst dictionary brings."""
    _check_risks(risks)
    return max(float(risk) for risk in risks)


def best_rule(risks: Sequence[float]) -> BestRule:
    """δ*: of a list of rules the one with the least R(δ, θ), the first where several have it.

    Risks are compared exactly. No threshold is met here, rules within rounding of each other are equally good, and a tolerance would let
    each rule be replaced by one that is a little worse."""
    _check_risks(risks)
    place = int(np.argmin(np.asarray(risks, dtype=np.float64)))
    return BestRule(place, float(risks[place]))


def bayes_rule(risks: Sequence[Sequence[float]], prior: Sequence[float]) -> BestRule:
    """δ_B*: least Bayes risk; `risks` has one row per rule and one number per dictionary."""
    return best_rule([bayes_risk(row, prior) for row in risks])


def minimax_rule(risks: Sequence[Sequence[float]]) -> BestRule:
    """δ_M*: least worst case."""
    return best_rule([minimax_risk(row) for row in risks])


def risk_distribution(losses: NDArray[np.float64]) -> RiskDistribution:
    """Quantiles are ℓ of records, never between two of them."""
    _check_risks(losses)
    falling = np.sort(losses)[::-1]
    rows, shares = len(falling), shares_of_risk(falling)
    carried = {share: math.fsum(shares[: _up(share, rows)]) for share in MOST_EXPOSED}
    infinite = int(np.isinf(falling).sum())
    return RiskDistribution({share: float(falling[rows - _up(share, rows)]) for share in QUANTILES}, carried, infinite)


def shares_of_risk(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of the whole risk each record carries. Infinite ℓ, where there are any, are the whole and share it evenly; where there is
    no risk nobody carries any."""
    largest = losses.max(initial=0.0)
    if largest == 0:
        return np.zeros(len(losses))
    weights = np.isinf(losses).astype(np.float64) if np.isinf(largest) else losses / largest  # whose sum no float is too small for
    return np.asarray(weights / math.fsum(weights))


def refines(
    estimate: Mapping[str, Column],
    true: Mapping[str, Column],
    estimate_keys: NDArray[Any],
    true_keys: NDArray[Any],
    fields: Sequence[str],
) -> bool:
    """θ̂ ⪯ θ_true (Definition 8): every individual of θ̂ is in θ_true, and the cells that are not missing there are the same here.

    A field that one of the dictionaries lacks is missing in it throughout."""
    _check_fields(estimate, true, fields)
    _check_keys(estimate_keys, estimate, unique=True)
    place = _places(estimate_keys, true_keys, true)
    if (place < 0).any():
        return False
    for name in fields:
        if name not in true:
            continue
        theirs = true[name].codes[place]
        mine = _recoded(estimate[name], true[name]) if name in estimate else np.full(len(place), MISSING, dtype=np.int32)
        if ((theirs != MISSING) & (mine != theirs)).any():
            return False
    return True


def agrees(
    dictionary: Mapping[str, Column],
    keys: NDArray[Any],
    people: Mapping[str, Column],
    people_keys: NDArray[Any],
    fields: Sequence[str],
) -> bool:
    """Whether the dictionary has an entry for each record's person that agrees with the record; missing on either side agrees."""
    _check_fields(dictionary, people, fields)
    _check_keys(people_keys, people, unique=False)
    place = _places(people_keys, keys, dictionary)
    if (place < 0).any():
        return False
    for name in fields:
        if name not in people or name not in dictionary:
            continue
        theirs, mine = dictionary[name].codes[place], _recoded(people[name], dictionary[name])
        if ((theirs != MISSING) & (people[name].codes != MISSING) & (mine != theirs)).any():
            return False
    return True


def bound_holds(true: float, estimated: float) -> bool:
    """Theorem 1: R(δ, θ_true) ≤ R(δ, θ̂). It must, where θ̂ `refines` θ_true and `agrees` with the records."""
    return at_most(true, estimated)


def _up(share: float, rows: int) -> int:
    return math.ceil(exact(share) * rows)


def _check_risks(risks: Sequence[float] | NDArray[np.float64]) -> None:
    values = np.asarray(risks, dtype=np.float64)
    if values.size == 0:
        raise InputRejected("No risk was given to judge by.", "Measure at least one dictionary, record or rule.")
    if np.isnan(values).any() or (values < 0).any():
        raise InputRejected("A risk is negative or not a number.", "Give risks from 0 up; .inf is allowed.")


def _check_prior(prior: Sequence[float], dictionaries: int) -> None:
    if len(prior) != dictionaries:
        raise InputRejected(f"{len(prior)} prior probabilities for {dictionaries} dictionaries.", "Give one probability per dictionary.")
    shares = all(math.isfinite(share) and share >= 0 for share in prior)
    if not shares or not (at_most(math.fsum(prior), 1) and at_least(math.fsum(prior), 1)):
        raise InputRejected("The prior probabilities are not a distribution.", "Give probabilities from 0 to 1 that sum to 1.")


def _check_fields(first: Mapping[str, Column], second: Mapping[str, Column], fields: Sequence[str]) -> None:
    if not fields:
        raise InputRejected("No field was given to compare.", "Name at least one field.")
    for name in fields:
        if name not in first and name not in second:
            raise InputRejected(f"Field '{name}' is in neither table.", "Correct the name.")
        if name in first and name in second and _comparable(first[name].kind) != _comparable(second[name].kind):
            raise InputRejected(
                f"Field '{name}' is of kind {first[name].kind} in one table and {second[name].kind} in the other.",
                "Declare the same kind in both.",
            )


def _comparable(kind: Kind) -> str:
    """As what the cells of this kind are compared."""
    if not kind.rules.compared_as:
        accepted = [str(other) for other in Kind if other.rules.compared_as]
        raise InputRejected(f"Fields cannot be compared as {kind}.", f"Use {', '.join(accepted[:-1])} or {accepted[-1]}.")
    return kind.rules.compared_as


def _check_keys(keys: NDArray[Any], table: Mapping[str, Column], *, unique: bool) -> None:
    rows = {len(column) for column in table.values()}
    if rows != {len(keys)} or len(keys) == 0:
        raise InputRejected("A table has no keys, or not one key per row.", "Give one key per row.")
    listed = pd.Series(keys)
    if (listed.isna() | listed.isin([""])).any():
        raise InputRejected("A key is missing.", "Give every row the key of its individual.")
    if unique and not listed.is_unique:
        raise InputRejected("A dictionary's key is repeated.", "Give exactly one row per individual.")


def _places(wanted: NDArray[Any], keys: NDArray[Any], table: Mapping[str, Column]) -> NDArray[np.intp]:
    """The row of each wanted key, −1 where there is none."""
    _check_keys(keys, table, unique=True)
    return np.asarray(pd.Index(keys).get_indexer(pd.Index(wanted)))


def _recoded(column: Column, other: Column) -> Codes:
    """The column's cells as codes of the other's values; missing too where the other has no such value."""
    places = pd.Index(other.values).get_indexer(pd.Index(column.values))
    return np.append(places, MISSING).astype(np.int32)[column.codes]
