"""The tuple of gates, in the order in which they are measured, judged and shown. A new one is added here and has a file of its own."""

from __future__ import annotations

from policies.gates.attack import Attack
from policies.gates.closeness import Closeness
from policies.gates.delta_l import DeltaL
from policies.gates.discernibility import Discernibility
from policies.gates.disclosure import Disclosure
from policies.gates.dissimilarity import Dissimilarity
from policies.gates.distinct_l import DistinctL
from policies.gates.gate import Gate
from policies.gates.households import Households
from policies.gates.individual_risk import IndividualRisk
from policies.gates.k import K
from policies.gates.linkability import Linkability
from policies.gates.reidentification import Reidentification
from policies.gates.series import Series
from policies.gates.uniqueness import Uniqueness
from policies.gates.utility import Utility
from policies.words.fields import Section

GATES: tuple[Gate, ...] = (
    K(),
    Households(),
    Dissimilarity(),
    Linkability(),
    DeltaL(),
    Closeness(),
    DistinctL(),
    Reidentification(),
    IndividualRisk(),
    Uniqueness(),
    Discernibility(),
    Disclosure(),
    Attack(),
    Series(),
    Utility(),
)


def gate_named(name: str) -> Gate:
    return next(gate for gate in GATES if gate.name == name)


def keys_of(section: str) -> tuple[type[Section], ...]:
    """The gates' pieces of a section of the policy file."""
    return tuple(gate.keys for gate in GATES if gate.section == section)
