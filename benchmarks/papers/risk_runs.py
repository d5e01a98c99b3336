"""What the experiments of the disclosure-risk paper run: records, weights, dictionaries that hold each other, rules and their losses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import MISSING, Column, Kind, Role
from headgate.core.encode import ColumnSpec, encode_column
from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates.consistency import consistent_individuals
from headgate.risk.disclosure.sensitivity import Sensitivity, loss
from headgate.risk.suppression.min_risk import exact_cells, min_risk_cells
from headgate.risk.suppression.rules import Rule, suppressed

RELEASED = 0.1  # of the table: the part that is disclosed
ORDER_SEED = 3
FORMS = {"multiplicative": Sensitivity.multiplicative, "additive": Sensitivity.additive}


@dataclass(frozen=True, eq=False)
class People:
    """The whole table in random order, the first of it released; a weight and an order of attributes for each record."""

    keys: NDArray[np.str_]
    columns: Mapping[str, Column]
    released: NDArray[np.str_]
    weights: Mapping[str, NDArray[np.float64]]  # w_{j,rec}, uniform on [0, 1)
    order: NDArray[np.intp]  # records × attributes: which are disclosed first

    @property
    def rows(self) -> int:
        return len(self.keys)

    @property
    def width(self) -> int:
        return len(self.columns)

    @cached_property
    def own(self) -> dict[str, Column]:
        return {name: column.take(np.arange(len(self.released))) for name, column in self.columns.items()}

    @cached_property
    def cells(self) -> dict[str, PublishedCells]:
        return {name: exact_cells(column) for name, column in self.own.items()}

    def dictionary(self, share: float) -> dict[str, Column]:
        """The first of the table, and so the released records with it, or as many of them as fit."""
        return self._rows(np.arange(round(share * self.rows)))

    def at_random(self, share: float) -> dict[str, Column]:
        """As many rows drawn from the whole table; of the released records only those that chance picks. Larger ones hold smaller ones."""
        return self._rows(np.random.default_rng(ORDER_SEED).permutation(self.rows)[: round(share * self.rows)])

    def _rows(self, rows: NDArray[np.intp]) -> dict[str, Column]:
        return {name: column.take(rows) for name, column in self.columns.items()}

    def first(self, records: int) -> People:
        weights = {name: own[:records] for name, own in self.weights.items()}
        return replace(self, released=self.released[:records], weights=weights, order=self.order[:records])

    def unweighted(self) -> People:
        return replace(self, weights={name: np.zeros_like(own) for name, own in self.weights.items()})


@dataclass(frozen=True, eq=False)
class Losses:
    """ℓ of each record by the form of Φ, the share of records that fit nobody, and how near Φ3 comes to Φ5 in any record."""

    losses: dict[str, NDArray[np.float64]]
    unmatched: float
    closest: float


@dataclass(frozen=True, eq=False)
class Keyed:
    keys: NDArray[np.str_]
    columns: dict[str, Column]


@dataclass(frozen=True, eq=False)
class Situation:
    """The database's dictionary θ̂ and the attacker's θ_true; `kept` says whether θ̂ has the released records, as Theorem 1 asks."""

    estimate: Keyed
    true: Keyed
    size: float
    gaps: float
    kept: bool


def census(rows: int) -> pd.DataFrame:
    """The first rows of the census table, in random order, with all its attributes."""
    path = files("policies.shipped") / "census_income" / "data" / "census.parquet"
    table = pd.read_parquet(str(path))
    return table.iloc[np.random.default_rng(ORDER_SEED).permutation(len(table))[:rows]].set_index("record")


def people_of(rows: int, seed: int) -> People:
    table, draw = census(rows), np.random.default_rng(seed)
    columns = {name: encode_column(table[name], ColumnSpec(name, Kind.CATEGORY, Role.QUASI)) for name in table.columns}
    keys = table.index.to_numpy(dtype=str)
    released = keys[: round(RELEASED * rows)]
    weights = {name: draw.random(len(released)) for name in columns}
    order = np.argsort(draw.random((len(released), len(columns))), axis=1)
    return People(keys, columns, released, weights, order)


def random_rule(people: People, keep: int) -> Rule:
    """`keep` attributes of each record by chance; more of them hold fewer."""
    rule = np.zeros(people.order.shape, dtype=bool)
    np.put_along_axis(rule, people.order[:, :keep], True, axis=1)
    return rule


def rule_of(people: People, dictionary: Mapping[str, Column], name: str, keep: int) -> Rule:
    return random_rule(people, keep) if name == "random" else min_risk_cells(people.cells, dictionary, dict(people.weights), keep)


def losses(people: People, dictionary: Mapping[str, Column], rule: Rule) -> Losses:
    consistent = consistent_individuals(suppressed(people.cells, rule), dictionary, list(people.columns))
    disclosed = {name: rule[:, i] for i, name in enumerate(people.columns)}
    phi = {form: make(people.weights).of(disclosed, len(rule)) for form, make in FORMS.items()}
    found = {form: loss(one, consistent) for form, one in phi.items()}
    return Losses(found, float((consistent == 0).mean()), float((phi["multiplicative"] - phi["additive"]).min()))


def situations(people: People, estimate: float, sizes: tuple[float, ...], gaps: float) -> Iterator[Situation]:
    """θ̂ is the first of the table, θ_true ever more of it, whole and with gaps; then θ̂ from people who are not released."""
    own = round(estimate * people.rows)
    known = Keyed(people.keys[:own], people.dictionary(estimate))
    for size in sizes:
        many = round(size * people.rows)
        whole = Keyed(people.keys[:many], people.dictionary(size))
        yield Situation(known, whole, size, 0.0, True)
        yield Situation(known, _with_gaps(whole, gaps), size, gaps, True)
    others = np.arange(len(people.released), len(people.released) + own)
    strangers = Keyed(people.keys[others], {name: column.take(others) for name, column in people.columns.items()})
    yield Situation(strangers, Keyed(people.keys, dict(people.columns)), 1.0, 0.0, False)


def _with_gaps(dictionary: Keyed, share: float) -> Keyed:
    draw = np.random.default_rng(ORDER_SEED)
    return replace(
        dictionary,
        columns={
            name: replace(column, codes=np.where(draw.random(len(column)) < share, MISSING, column.codes).astype(np.int32))
            for name, column in dictionary.columns.items()
        },
    )
