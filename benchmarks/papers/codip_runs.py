"""What the experiments of the CODIP paper (section 7) run: the table, the lattice measured node by node, and CheckPlan."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

import numpy as np
import pandas as pd

from benchmarks.lattice import numbered
from headgate.core.columns import Column, Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.levels import levels_of
from headgate.core.tolerance import at_most
from headgate.counting.class_counts import count
from headgate.grouping.conditions import conditions_of
from headgate.methods.full_domain.level_search import full_domain
from headgate.methods.full_domain.level_settings import LevelSettings
from headgate.methods.full_domain.objective import DISCERNIBILITY
from headgate.principles.closeness import closeness
from headgate.projection.bitmap import bitmap_column
from headgate.projection.codip import Merging
from headgate.projection.information import Associations, Plan
from headgate.projection.plan import TableVerdict

CATEGORIES = ("worker_class", "education", "industry", "employment_status", "business_status", "salary_class", "occupation")
NONZERO = ("wage_per_hour", "dividend", "capital_gain", "capital_loss")
HOUSEHOLD = "household_status"
QUASI = ("age", "race", "sex", "citizenship")
HOUSEHOLD_VALUES = ("married", "under18", "descendent", "subfamily")  # in the paper's order
PAPER_ROWS = 98_839
GIGA = 1e9  # the paper's unit of discernibility


@dataclass(frozen=True)
class Hierarchies:
    """Years of age in a node of each level; whether race has a level of white and others. The paper prints none of its hierarchies."""

    ages: tuple[int, ...] = (5, 10, 20, 40)
    races: bool = False


@dataclass(frozen=True)
class Node:
    """One node of the lattice, measured: its smallest group, Σ|E|², and of each sensitive attribute the largest EMD of a group."""

    levels: tuple[int, ...]
    smallest: int
    discernibility: int
    closeness: tuple[float, ...]


@dataclass(frozen=True)
class Demand:
    """k-anonymity, t-closeness of every attribute, and a discernibility Σ|E|² of at most `most`."""

    k: int
    t: str
    most: float


def people(rows: int | None = None, hierarchies: Hierarchies | None = None) -> Table:
    """The four quasi-identifiers with their hierarchies and the 15 effective sensitive attributes, every value sensitive."""
    path = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    frame = pd.read_parquet(str(path), columns=[*QUASI, *CATEGORIES, *NONZERO, HOUSEHOLD])
    plain = [encode_column(frame[name], ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE)) for name in (*CATEGORIES, *NONZERO)]
    spec = ColumnSpec(HOUSEHOLD, Kind.SET, Role.SENSITIVE, declared=HOUSEHOLD_VALUES, absent_sensitive=True)
    sensitive = (*plain, *bitmap_column(encode_column(frame[HOUSEHOLD], spec), spec))
    quasi = _quasi_identifiers(frame, hierarchies or Hierarchies())
    table = Table({one.name: one for one in (*quasi, *sensitive)}, QUASI, tuple(one.name for one in sensitive))
    return table if rows is None else table.take(np.arange(min(rows, table.rows)))


def _quasi_identifiers(frame: pd.DataFrame, hierarchies: Hierarchies) -> list[Column]:
    levels = {name: numbered(sorted(frame[name].unique()), ()) for name in ("race", "sex")}
    levels["age"] = numbered(range(91), hierarchies.ages)
    if hierarchies.races:
        levels["race"] = [(race, "white" if race == "White" else "other", "*") for race, _ in levels["race"]]
    places = sorted(frame["citizenship"].unique())
    levels["citizenship"] = [(place, "native" if place.startswith("Native") else "foreign", "*") for place in places]
    specs = [ColumnSpec(name, Kind.CATEGORY, Role.QUASI, hierarchy=Hierarchy.from_rows(levels[name], name)) for name in QUASI]
    return [encode_column(frame[spec.name], spec) for spec in specs]


def sensitive_of(table: Table) -> tuple[Column, ...]:
    return table.select(table.sensitive)


def measured_nodes(table: Table) -> list[Node]:
    """Every node of the lattice: nothing is pruned, so that all thresholds can be tried on the same figures."""
    quasi, sensitive = table.select(table.quasi), sensitive_of(table)
    levels = [levels_of(column) for column in quasi]
    found = []
    for place in itertools.product(*(range(len(one)) for one in levels)):
        key = np.zeros(table.rows, dtype=np.int64)
        for column, one, level in zip(quasi, levels, place, strict=True):
            key = key * (int(one.nodes[level].max()) + 1) + one.nodes[level][column.codes]
        groups = np.unique(key, return_inverse=True)[1].astype(np.int32)
        sizes = np.bincount(groups)
        worst = tuple(closeness(count(column, [groups])).t for column in sensitive)
        found.append(Node(place, int(sizes.min()), int((sizes * sizes).sum()), worst))
    return found


def best_node(nodes: Sequence[Node], attributes: Sequence[int], k: int, most: float = np.inf) -> Node | None:
    """The k-anonymous node at which the worst of these attributes is closest; None if no node is as discernible as asked."""
    valid = [node for node in nodes if node.smallest >= k and at_most(node.discernibility, most)]
    return min(valid, key=lambda node: (max(node.closeness[i] for i in attributes), node.discernibility), default=None)


def closeness_of(nodes: Sequence[Node], plan: Plan, k: int, most: float = np.inf) -> list[float] | None:
    """The largest EMD of every attribute, each table generalized for itself as best for closeness; None if one cannot be."""
    found = []
    for table in plan:
        node = best_node(nodes, table, k, most)
        if node is None:
            return None
        found += [node.closeness[i] for i in table]
    return found


def least_discernibility(nodes: Sequence[Node], plan: Plan, k: int, t: str) -> int:
    """The smallest Σ|E|² at which every table of the plan has a k-anonymous and t-close node: all rows in one group always are."""
    anonymous = [node for node in nodes if node.smallest >= k]
    return max(min(node.discernibility for node in anonymous if all(at_most(node.closeness[i], float(t)) for i in table)) for table in plan)


def merges(figures: Associations) -> dict[int, Plan]:
    """CODIP*'s plan of every number of tables, whatever it exposes."""
    merging = Merging(figures)
    found = {len(merging.tables): tuple(merging.tables)}
    while len(merging.tables) > 1:
        merging.merge()
        found[len(merging.tables)] = tuple(merging.tables)
    return found


def among(figures: Associations, chosen: Sequence[int]) -> Associations:
    """The same figures of some of the attributes."""
    square = np.ix_(chosen, chosen)
    return replace(
        figures,
        names=tuple(figures.names[i] for i in chosen),
        entropy=figures.entropy[list(chosen)],
        information=figures.information[square],
        exposable=figures.exposable[square],
    )


def tables_of_codip(figures: Associations, alpha: float, beta: float) -> int | None:
    """How many tables CODIP* puts out when nothing but Γα and Γβ is asked; None if it fails."""
    kept = [plan for plan in merges(figures).values() if at_most(figures.information_exposure(plan), beta)]
    last = min(kept, key=len)
    return len(last) if at_most(figures.association_loss(last), alpha) else None


def in_two(figures: Associations) -> list[Plan]:
    """Every way to publish two tables."""
    size = len(figures.names)
    return [
        tuple(tuple(i for i in range(size) if (mask >> i & 1) == side) for side in (0, 1))
        for mask in range(2, 1 << size, 2)  # the first attribute is always in the first table
    ]


def check_table(table: Table, demand: Demand) -> Callable[[tuple[str, ...]], TableVerdict]:
    """The paper's CheckPlan of one table (Figure 2, steps 9–15): the most discernible of its k-anonymous and t-close generalizations
    must be as discernible as asked."""
    known: dict[tuple[str, ...], TableVerdict] = {}

    def check(names: tuple[str, ...]) -> TableVerdict:
        if names not in known:
            conditions = conditions_of(names, closeness=demand.t)
            found = full_domain(table, names, LevelSettings(demand.k, objective=DISCERNIBILITY, conditions=conditions))
            passed = found.reached and at_most(found.loss, demand.most)
            known[names] = TableVerdict(
                passed, "" if passed else f"no generalization with k = {demand.k} and t = {demand.t} is fine enough"
            )
        return known[names]

    return check
