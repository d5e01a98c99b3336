"""Φ: the harm done if a record's disclosed attributes become known (decision-theoretic-privacy-risk, appendix; DEFINITIONS §7).

Φ1 Σ w_j   Φ2 w_rec·#disclosed   Φ3 Σ w_{j,rec}, also as w_j·w'_rec   Φ4 = Φ3 + pair weights   Φ5 exp(Σ w_{j,rec}), 1 if nothing is
disclosed. Weights may be infinite. An attribute without a weight has weight 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import InputRejected

Weight = float | Sequence[float] | NDArray[np.float64]  # of the attribute, or one per record


class Form(StrEnum):
    CONSTANT = "constant"
    ADDITIVE = "additive"
    COUNT = "count"
    INTERACTIONS = "interactions"
    MULTIPLICATIVE = "multiplicative"


@dataclass(frozen=True, eq=False)
class Sensitivity:
    form: Form
    weights: Mapping[str, Weight] = field(default_factory=dict)
    records: Weight | None = None  # w_rec
    pairs: Mapping[tuple[str, str], Weight] = field(default_factory=dict)
    constant: float = 1.0

    def __post_init__(self) -> None:
        if self.form not in list(Form):
            raise InputRejected("The form of a sensitivity is unknown.", f"Use one of {', '.join(Form)}.")
        object.__setattr__(self, "form", Form(self.form))  # or its name
        for weight in (*self.weights.values(), *self.pairs.values(), self.constant, *([] if self.records is None else [self.records])):
            if not _is_weight(weight):
                raise InputRejected("A sensitivity weight is negative or not a number.", "Give weights from 0 up; .inf is allowed.")
        if np.ndim(self.constant) != 0:
            raise InputRejected("The constant of a sensitivity is not a single number.", "Give one number for all records.")
        if len({frozenset(pair) for pair in self.pairs if isinstance(pair, tuple) and len(set(pair)) == 2}) < len(self.pairs):
            raise InputRejected(
                "A pair in a sensitivity does not name two attributes, or is listed twice.", "Give each pair of names once."
            )

    @classmethod
    def fixed(cls, value: float = 1.0) -> Sensitivity:
        """Φ ≡ c, as k-anonymity has it (Theorem 3)."""
        return cls(Form.CONSTANT, constant=value)

    @classmethod
    def additive(cls, weights: Mapping[str, Weight], records: Weight | None = None) -> Sensitivity:
        """Φ1; with weights per record, Φ3; `records` multiplies all weights of a record."""
        return cls(Form.ADDITIVE, weights, records)

    @classmethod
    def count(cls, records: Weight) -> Sensitivity:
        """Φ2: the record's weight times the number of disclosed attributes."""
        return cls(Form.COUNT, records=records)

    @classmethod
    def interactions(
        cls, weights: Mapping[str, Weight], pairs: Mapping[tuple[str, str], Weight], records: Weight | None = None
    ) -> Sensitivity:
        """Φ4: weights of attributes, and additional weights of pairs that are disclosed together."""
        return cls(Form.INTERACTIONS, weights, records, pairs)

    @classmethod
    def multiplicative(cls, weights: Mapping[str, Weight], records: Weight | None = None) -> Sensitivity:
        """Φ5: e to the sum of the weights."""
        return cls(Form.MULTIPLICATIVE, weights, records)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that have a weight."""
        return tuple(dict.fromkeys([*self.weights, *(name for pair in self.pairs for name in pair)]))

    def of(self, disclosed: Mapping[str, NDArray[np.bool_]], rows: int) -> NDArray[np.float64]:
        """Φ of each record. `disclosed` says for each attribute in which records it is disclosed, that is, neither missing nor
        generalized to the root."""
        unknown = [name for name in self.attributes if name not in disclosed]
        if unknown:
            raise InputRejected(f"A sensitivity weight is for '{unknown[0]}', which is not in the release.", "Correct the name.")
        if self.form is Form.CONSTANT:
            return np.full(rows, float(self.constant))
        if self.form is Form.COUNT:
            if self.records is None:
                raise InputRejected(
                    "A sensitivity that counts attributes needs a weight for the records.", "Give one number, or one per record."
                )
            shown = np.sum(list(disclosed.values()), axis=0) if disclosed else np.zeros(rows)
            return _product(_vector(self.records, rows), np.asarray(shown, dtype=np.float64))
        factor = np.ones(rows) if self.records is None else _vector(self.records, rows)
        total = np.zeros(rows)
        with np.errstate(over="ignore"):  # e^710 is infinite here: forbidden, and no gate lets infinity pass
            for name, weight in self.weights.items():
                total += np.where(disclosed[name], _product(_vector(weight, rows), factor), 0.0)
            for (first, second), weight in self.pairs.items():
                total += np.where(disclosed[first] & disclosed[second], _product(_vector(weight, rows), factor), 0.0)
            return np.exp(total) if self.form is Form.MULTIPLICATIVE else total


def _is_weight(weight: Any) -> bool:
    try:
        values = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return values.ndim <= 1 and bool((values >= 0).all())


def _vector(weight: Any, rows: int) -> NDArray[np.float64]:
    values = np.asarray(weight, dtype=np.float64)
    if values.ndim == 1 and len(values) != rows:
        raise InputRejected(f"{len(values)} sensitivity weights for {rows} records.", "Give one weight per record, in the records' order.")
    return np.broadcast_to(values, rows)


def _product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The product, with 0·∞ = 0."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where((a == 0) | (b == 0), 0.0, a * b)


def loss(sensitivity: NDArray[np.float64], consistent: NDArray[Any]) -> NDArray[np.float64]:
    """ℓ = Φ/|ρ|; 0 if ρ is empty, even if Φ is infinite."""
    return np.where(consistent > 0, sensitivity / np.maximum(consistent, 1), 0.0)
