"""Every measure of a table's groups, by its key: the one list that `check` and its page follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headgate.core.columns import Codes, Column
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from headgate.counting.class_counts import Counted
from headgate.counting.figure import Figure
from headgate.principles.alpha_k import alpha_k
from headgate.principles.beta_likeness import beta_likeness
from headgate.principles.closeness import closeness
from headgate.principles.delta_disclosure import delta_disclosure
from headgate.principles.delta_l import delta_l
from headgate.principles.diversity import diversity
from headgate.principles.epsilon_m import epsilon_m
from headgate.principles.k_e import k_e
from headgate.principles.proximity_shapes import proximity_shapes
from headgate.principles.recursive import recursive_c
from headgate.principles.variance import variance


@dataclass(frozen=True)
class Meaning:
    title: str
    says: str  # in a sentence, for people who have not read the papers


MEASURES: Mapping[str, Meaning] = {
    "k": Meaning("k-anonymity", "Rows in the smallest group: nobody can be told from fewer than k − 1 others."),
    "prosecutor": Meaning("prosecutor risk", "One divided by the group's size: the chance to pick a known person's row."),
    "distinct_l": Meaning("distinct l-diversity", "Fewest different values in a group."),
    "frequency_l": Meaning("frequency l-diversity", "Group size divided by its most frequent value's rows."),
    "entropy_l": Meaning("entropy l-diversity", "How many equally frequent values would be as varied as the group's."),
    "recursive_c": Meaning("(c, 2)-diversity", "Rows of the most frequent value divided by all others: c must be larger."),
    "alpha": Meaning("(α, k)-anonymity", "Largest share of a group that has one value: how certain an attacker can be."),
    "closeness": Meaning("t-closeness", "How far the group's distribution is from the whole table's; 0 is the same, 1 the farthest."),
    "beta": Meaning("basic β-likeness", "Largest relative gain in an attacker's belief in a value, from the table to the group."),
    "enhanced_beta": Meaning("enhanced β-likeness", "The same gain, frequent values being bounded too; infinite where no β would do."),
    "delta_disclosure": Meaning("δ-disclosure", "Largest |ln(share in the group / share in the table)|; infinite where a value is absent."),
    "range": Meaning("(k, e)-anonymity: range", "Largest minus smallest value of a group, in the attribute's unit."),
    "variance": Meaning("variance", "How far a group's values spread around their mean, squared."),
    "delta_l": Meaning("(δ, l)-diversity", "Group size divided by the rows within 2δ of one row's value."),
    "delta_l_window": Meaning("(δ, l), mutual", "Group size divided by the rows that are all within 2δ of each other."),
    "epsilon_m": Meaning("(ε, m)-anonymity", "Group size divided by the rows within ε of one row's value."),
    "risk": Meaning("proximity risk", "Largest share of a group's other rows within ε of one row; at most 1 − δ."),
    "clique": Meaning("proximity clique", "Largest share of a group whose rows are all within ε of each other."),
    "chain": Meaning("proximity chain", "Largest share of a group that a chain of rows links, each within ε of the next."),
    "cycle": Meaning("proximity cycle", "Largest share of a group on a closed chain of rows, each within ε of the next."),
}

_NUMBERS, _EPSILON = "a sensitive attribute that is a number or a date", "ε (--epsilon)"
NEEDS: Mapping[str, str] = {
    **dict.fromkeys(("range", "variance"), _NUMBERS),
    **dict.fromkeys(("delta_l", "delta_l_window"), f"{_NUMBERS}, and an interval (--interval)"),
    **dict.fromkeys(("risk", "clique", "chain", "cycle"), _EPSILON),
    "epsilon_m": f"{_NUMBERS}, and {_EPSILON}",
}


@dataclass(frozen=True)
class Parameters:
    """The parameters that some measures need. A measure without its parameter is left out."""

    epsilon: Any = None  # a share of the domain
    interval: Any = None  # δ of (δ, l), in the attribute's unit


@dataclass(frozen=True, eq=False)
class MeasuredPrinciple:
    """One measure of the table, or of one of its attributes."""

    key: str
    attribute: str  # empty for a measure of the whole table
    figure: Figure
    exact: bool = True  # False: the figure is an upper bound, since the largest shape would take too long to find

    @property
    def title(self) -> str:
        return MEASURES[self.key].title


def measure_attribute(counted: Counted, parameters: Parameters) -> Iterator[MeasuredPrinciple]:
    """All measures that the attribute's kind and the parameters allow."""
    column = counted.column
    varied, like = diversity(counted), beta_likeness(counted)
    figures: dict[str, Figure] = {
        "distinct_l": varied.distinct,
        "frequency_l": varied.frequency,
        "entropy_l": varied.entropy,
        "recursive_c": recursive_c(counted, 2).c,
        "alpha": alpha_k(counted).alpha,
        "closeness": closeness(counted).figure,
        "beta": like.basic,
        "enhanced_beta": like.enhanced,
        "delta_disclosure": delta_disclosure(counted).figure,
    }
    if column.kind.numeric:
        figures |= {"range": k_e(counted).e, "variance": variance(counted).variance}
        if parameters.interval is not None:
            near = delta_l(counted, parameters.interval)
            figures |= {"delta_l": near.definition, "delta_l_window": near.window}
        if parameters.epsilon is not None:
            figures["epsilon_m"] = epsilon_m(counted, float(exact(parameters.epsilon)) * column.width).figure
    for key, figure in figures.items():
        yield MeasuredPrinciple(key, column.name, figure)


def measure_shapes(columns: Sequence[Column], classes: Sequence[Codes], epsilon: Any) -> Iterator[MeasuredPrinciple]:
    """The shapes of all attributes together, where ε is given."""
    shapes = proximity_shapes(columns, classes, Distance(), epsilon)
    for key, shape in (("clique", shapes.clique), ("chain", shapes.chain), ("cycle", shapes.cycle)):
        yield MeasuredPrinciple(key, "", shape.figure, shape.exact)


def known_measure(key: str) -> str:
    if key not in MEASURES:
        raise InputRejected(f"'{key}' is not a measure.", f"Use one of {', '.join(MEASURES)}.")
    return key
