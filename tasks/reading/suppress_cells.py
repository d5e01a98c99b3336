"""Before anything is anonymized, MinRisk (decision-theoretic-privacy-risk, Algorithm 1) chooses the cells of each record that stay: what
it suppresses is missing from then on. Its weights are those that the policy gives against attackers, people's own among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headgate.core.columns import MISSING, Role, Table
from headgate.core.errors import InputRejected
from headgate.risk.candidates.marginals import Marginals
from headgate.risk.disclosure.sensitivity import Weight
from headgate.risk.suppression.min_risk import exact_cells, min_risk_cells
from policies.attackers.attacker import OwnWeights
from policies.attackers.dictionary_key import SOURCE
from policies.schema.policy import Policy
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.own_weights import cost_of


def suppress(policy: Policy, table: Table, dictionaries: Dictionaries, own: OwnWeights | None = None) -> Table:
    """The table itself where the policy asks for nothing."""
    wanted = policy.suppress_cells
    if wanted is None:
        return table
    among = wanted.among or (*policy.named(Role.QUASI), *policy.named(Role.SENSITIVE))
    dictionary = {name: table[name] for name in table.quasi} if wanted.dictionary == SOURCE else dictionaries.encoded[wanted.dictionary]
    if isinstance(dictionary, Marginals):
        raise InputRejected("MinRisk needs a register, not frequency tables.", "Name a register in suppress_cells, or the source.")
    cells = {name: exact_cells(table[name]) for name in among}
    cost = cost_of(policy)
    given: dict[str, Weight] = {} if cost is None else {name: float(weight) for name, weight in cost.weights.items()}
    wishes = OwnWeights() if own is None else own
    weights = {name: weight for name, weight in {**given, **wishes.each}.items() if name in among}
    kept = min_risk_cells(cells, dictionary, weights, wanted.keep, wishes.everything)
    columns = dict(table.columns)
    for place, name in enumerate(among):
        columns[name] = replace(table[name], codes=np.where(kept[:, place], table[name].codes, np.int32(MISSING)))
    return replace(table, columns=columns)


def suppressed_cells(before: Table, after: Table) -> dict[str, int]:
    """How many cells of each attribute are gone, where any are."""
    gone = {name: int(np.count_nonzero(before[name].codes != after[name].codes)) for name in before.columns}
    return {name: number for name, number in gone.items() if number}
