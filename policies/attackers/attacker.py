"""The attackers that a policy reckons with: who holds which dictionary, and what it costs if they find somebody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Table
from headgate.core.errors import Defect, InputRejected
from headgate.core.published_form.published_table import PublishedTable
from headgate.risk.disclosure.expected_loss import Dictionary, DisclosureRisk, disclosure
from headgate.risk.disclosure.sensitivity import Form, Sensitivity
from policies.attackers.attackers_key import AttackersKey
from policies.attackers.sensitivity_key import SensitivityKey


@dataclass(frozen=True, eq=False)
class OwnWeights:
    """What people themselves want weighed, one number per row of the source: a factor on everything, and weights of attributes."""

    everything: NDArray[np.float64] | None = field(default=None, repr=False)
    each: Mapping[str, NDArray[np.float64]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, eq=False)
class Attacker:
    """Somebody who holds a dictionary: a register or the source, encoded as one column per field, or frequency tables."""

    name: str
    dictionary: Dictionary = field(repr=False)
    fields: tuple[str, ...]
    sensitivity: Sensitivity
    similar: Mapping[str, float] = field(default_factory=dict)
    prior: float | None = None
    above: Any = None  # the loss above which records are counted
    own: OwnWeights | None = None

    def cost(self, published: PublishedTable, people: NDArray[np.int64] | None) -> Sensitivity:
        """Φ for the records of one table; `people` is the row of the source that each record is. Weights of attributes that another
        table holds cost nothing here."""
        here = set(published.attributes)
        weights = {name: weight for name, weight in self.sensitivity.weights.items() if name in here}
        pairs = {pair: weight for pair, weight in self.sensitivity.pairs.items() if here.issuperset(pair)}
        cost = replace(self.sensitivity, weights=weights, pairs=pairs)
        if self.own is None:
            return cost
        if people is None or len(people) != published.rows:
            raise Defect("Whose records these are is not known, and people weigh them differently.", "Give the source row of each record.")
        own = {name: each[people] for name, each in self.own.each.items() if name in here}
        everything = None if self.own.everything is None else self.own.everything[people]
        return replace(cost, weights={**weights, **own}, records=everything)

    def threat(self, published: PublishedTable, people: NDArray[np.int64] | None = None) -> Threat:
        cost = self.cost(published, people)
        return Threat(self, cost, disclosure(published, self.dictionary, self.fields, cost, self.similar))


@dataclass(frozen=True, eq=False)
class Threat:
    """An attacker before one table: what its records cost, and what they learn."""

    attacker: Attacker
    cost: Sensitivity = field(repr=False)
    risk: DisclosureRisk = field(repr=False)


def threats(attackers: Iterable[Attacker], published: PublishedTable, people: NDArray[np.int64] | None = None) -> tuple[Threat, ...]:
    return tuple(attacker.threat(published, people) for attacker in attackers)


def attackers_of(
    key: AttackersKey | None, table: Table, dictionaries: Mapping[str, Dictionary], own: OwnWeights | None = None
) -> tuple[Attacker, ...]:
    """`dictionaries` by name. `table` is the source as it came: without a dictionary the attacker holds every row's quasi-identifiers."""
    if key is None:
        return ()
    cost = sensitivity_of(key.sensitivity)
    attackers = []
    for given in key.all_dictionaries:
        fields = given.fields or table.quasi
        if given.source:
            dictionary: Dictionary = {name: table[name] for name in fields}
        elif given.called in dictionaries:
            dictionary = dictionaries[given.called]
        else:
            raise InputRejected(f"The dictionary '{given.called}' was not read.", "Give the file that the policy names.")
        similar = {name: float(least) for name, least in given.similar.items()}
        prior = None if given.prior is None else float(given.prior)
        attackers.append(Attacker(given.called, dictionary, fields, cost, similar, prior, key.above, own))
    return tuple(attackers)


def sensitivity_of(key: SensitivityKey | None) -> Sensitivity:
    if key is None:
        return Sensitivity.fixed()
    weights = {name: float(weight) for name, weight in key.weights.items()}
    pairs = {pair.of: float(pair.weight) for pair in key.pairs}
    return Sensitivity(Form(key.form), weights, pairs=pairs)


def needs_whose(attackers: tuple[Attacker, ...]) -> bool:
    """Must it be known whose record each one is?"""
    return any(attacker.own is not None for attacker in attackers)
