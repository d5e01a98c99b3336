"""The science as a library: frames in, frozen results out, no policy needed.

Kinds follow the dtype (numbers are `number` with the observed range as domain, everything else `category`), weights are equal and
all values are sensitive, unless the arguments say otherwise. Rows are taken by position; index labels mean nothing.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.bounds import feasibility as bounds
from headgate.bounds.certificates import Certificate
from headgate.bounds.feasibility import Feasibility
from headgate.core.columns import Column, Role, Table
from headgate.core.distance import Distance, PairFunction
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.household_column import household_column
from headgate.core.published_form.published_table import publish_form, to_frame
from headgate.core.seeds import checked_seed
from headgate.core.tolerance import exact
from headgate.grouping.conditions import Bounds, Households
from headgate.grouping.limits import dissimilarity
from headgate.library.frame_columns import NonSensitive
from headgate.library.frame_columns import table as table_of
from headgate.library.group_requirements import Each, Requirements
from headgate.methods.anonymize import anonymize
from headgate.methods.choice import choose
from headgate.methods.full_domain.level_search import FullDomainResult
from headgate.methods.full_domain.level_search import full_domain as search_lattice
from headgate.methods.full_domain.level_settings import LevelCondition, LevelSettings
from headgate.methods.partition import Partition
from headgate.methods.settings import Infeasible, Settings
from headgate.projection.codip import codip_star
from headgate.projection.plan import CheckTable, Projection


@dataclass(frozen=True, eq=False)
class FramePartition:
    """A partition of the rows of a frame. `groups`: an integer per row, by position; −1 for suppressed rows."""

    partition: Partition
    table: Table

    @property
    def groups(self) -> NDArray[np.int32]:
        return self.partition.groups

    @property
    def reached(self) -> bool:
        return self.partition.reached

    @property
    def risk(self) -> float | None:
        return self.partition.risk

    @property
    def delta_reached(self) -> float | None:
        return self.partition.delta_reached

    @property
    def certificate(self) -> Certificate | None:
        return self.partition.certificate

    @property
    def suppressed(self) -> int:
        return self.partition.suppressed

    @property
    def loss(self) -> float:
        """Normalized certainty penalty of the released rows."""
        return self.partition.loss

    def release(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The published table: generalized quasi-identifiers, sensitive columns as in the source, a random `group`, rows shuffled.

        Raises if the requirement was not reached."""
        self.partition.require()
        names = [*self.table.quasi, *self.table.sensitive]
        absent = [name for name in names if name not in frame.columns]
        if absent or len(frame) != self.table.rows:
            raise InputRejected(
                "This is not the frame that was partitioned.", f"Give the frame of {self.table.rows} rows with the same columns."
            )
        again = encode_table(frame, _specs_like(self.table))
        for name in names:
            if not np.array_equal(_cells(again[name]), _cells(self.table[name])):
                raise InputRejected(
                    f"Column '{name}' has changed since the frame was partitioned.", "Give the same frame, rows in the same order."
                )
        # The order of rows and the numbers of groups must not follow from the seed of the groups, which may be known.
        return to_frame(publish_form(self.table, self.groups, "release", self.table.sensitive), secrets.randbits(128))


def xcolor(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    k: int = 10,
    epsilon: Any = 0.1,
    delta: Any = 0.6,
    distance: Distance | PairFunction | None = None,
    variant: str = "blocks",
    seed: int = 0,
    infeasible: Any = "fail",
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    nonsensitive: NonSensitive | None = None,
    household: str | None = None,
    each: Each = None,
    linkability: Bounds = None,
    delta_l: Each = None,
) -> FramePartition:
    """Groups of at least k in which every sensitive value has at most (1−δ)(|G|−1) others within ε: (ε, δ)^k-dissimilarity; ε and δ None:
    not required. `household`: a column that says who lives together; a group then holds at least k households too.

    As in a policy: `each` is {attribute: {"epsilon": …, "delta": …}} for one attribute alone; `linkability` the largest share of a group
    that may have one sensitive value, of every attribute or {attribute: share}; `delta_l` is {attribute: {"interval": …, "l": …}}."""
    table, composite = _compared(frame, quasi, sensitive, distance, kinds, hierarchies, nonsensitive)
    table = _with_household(table, frame, household)
    required = Requirements(epsilon, delta, each, linkability, delta_l).without_windows()
    settings = Settings(required.group_size(k), required.limits(table, composite), infeasible=Infeasible.of(infeasible))
    return FramePartition(anonymize(choose("xcolor", variant), table, table.sensitive, settings, checked_seed(seed)), table)


def feasibility(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    k: int = 10,
    epsilon: Any = 0.1,
    delta: Any = 0.6,
    distance: Distance | PairFunction | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    nonsensitive: NonSensitive | None = None,
) -> Feasibility:
    """What is known about `xcolor` with these arguments before grouping: guaranteed, refuted or open, with the slack of Lemma 2."""
    table, composite = _compared(frame, quasi, sensitive, distance, kinds, hierarchies, nonsensitive)
    columns = table.select(table.sensitive)
    limit = dissimilarity(columns, epsilon, delta, composite)
    return bounds.feasibility((limit,), Requirements(epsilon, delta).group_size(k), columns, table.select(table.quasi))


def mondrian(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    k: int = 10,
    sensitive: Sequence[str] = (),
    epsilon: Any = None,
    delta: Any = None,
    frequency: Bounds = None,
    distinct_l: Bounds = None,
    entropy_l: Bounds = None,
    recursive: Any = None,
    closeness: Bounds = None,
    strict: bool = True,
    distance: Distance | PairFunction | None = None,
    seed: int = 0,
    infeasible: Any = "fail",
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    nonsensitive: NonSensitive | None = None,
    household: str | None = None,
    each: Each = None,
    linkability: Bounds = None,
    delta_l: Each = None,
) -> FramePartition:
    """Mondrian with k; optionally with (ε, δ), diversity and closeness of the sensitive attributes as conditions for a cut.

    `frequency`, `distinct_l`, `entropy_l`, `closeness`: one bound for every sensitive attribute, or {attribute: bound}; `recursive` is
    (c, l), or {attribute: (c, l)}; `each`, `linkability`, `delta_l` as for `xcolor`. Without `strict` equal quasi-identifiers may be
    divided between groups. `seed` breaks ties when rows are suppressed."""
    table, composite = _compared(frame, quasi, sensitive, distance, kinds, hierarchies, nonsensitive)
    table = _with_household(table, frame, household)
    required = Requirements(epsilon, delta, each, linkability, delta_l, frequency, distinct_l, entropy_l, recursive, closeness)
    limits = required.without_windows().limits(table, composite)
    settings = Settings(required.group_size(k), limits, required.conditions(table), Infeasible.of(infeasible))
    return FramePartition(anonymize(choose("mondrian", strict=strict), table, table.sensitive, settings, checked_seed(seed)), table)


def full_domain(
    frame: pd.DataFrame,
    hierarchies: Mapping[str, Any],
    k: int = 10,
    suppression: Any = 0.0,
    objective: str = "ncp",
    quasi: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    epsilon: Any = None,
    delta: Any = None,
    frequency: Bounds = None,
    distinct_l: Bounds = None,
    entropy_l: Bounds = None,
    recursive: Any = None,
    closeness: Bounds = None,
    distance: Distance | PairFunction | None = None,
    kinds: Mapping[str, str] | None = None,
    nonsensitive: NonSensitive | None = None,
    household: str | None = None,
    each: Each = None,
    linkability: Bounds = None,
    delta_l: Each = None,
) -> FullDomainResult:
    """One level of its hierarchy for each quasi-identifier: the best of all nodes that keep every condition.

    Quasi-identifiers are those with a hierarchy, unless `quasi` names them: without one a value is exact or `*`. Attributes that a
    condition names are sensitive too. `suppression` is the share of rows that may be left out. `each`, `linkability` and `delta_l` as for
    `xcolor`; `delta_l` also with "reading": "window", which counts rows that are all similar to each other."""
    required = Requirements(epsilon, delta, each, linkability, delta_l, frequency, distinct_l, entropy_l, recursive, closeness)
    protected = tuple(dict.fromkeys([*sensitive, *required.named]))
    chosen = tuple(hierarchies if quasi is None else quasi)
    if quasi is None:
        chosen = tuple(name for name in chosen if name not in protected)
    table, composite = _compared(frame, chosen, protected, distance, kinds, hierarchies, nonsensitive)
    table = _with_household(table, frame, household)
    size, limits = required.group_size(k), required.limits(table, composite)
    conditions: tuple[LevelCondition, ...] = (*required.conditions(table), *required.windows(table))
    if table.household is not None:
        conditions = (*conditions, Households(table.household, size))
    return search_lattice(table, table.sensitive, LevelSettings(size, exact(suppression), objective, conditions, limits))


def codip(
    frame: pd.DataFrame,
    sensitive: Sequence[str],
    association_loss: float = 0.3,
    join_threat: float = 0.3,
    nonsensitive: NonSensitive | None = None,
    check: CheckTable | None = None,
    monotone: bool = False,
    kinds: Mapping[str, str] | None = None,
) -> Projection:
    """CODIP*: which sensitive attributes to publish together. `check` is called with the attributes of one table and says whether it
    may stand; without it only the two thresholds decide."""
    table = table_of(frame, (), sensitive, kinds or {}, {}, nonsensitive)
    return codip_star(table.select(table.sensitive), association_loss, join_threat, check, monotone)


def _compared(
    frame: pd.DataFrame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    distance: Distance | PairFunction | None,
    kinds: Mapping[str, str] | None,
    hierarchies: Mapping[str, Any] | None,
    nonsensitive: NonSensitive | None,
) -> tuple[Table, Distance]:
    """The encoded frame, and the distance between its rows. Arguments come before the distance's own kinds and hierarchies."""
    composite = _distance(distance, sensitive)
    kinds, hierarchies = {**composite.kinds, **(kinds or {})}, {**composite.hierarchies, **(hierarchies or {})}
    return table_of(frame, quasi, sensitive, kinds, hierarchies, nonsensitive), composite


def _with_household(table: Table, frame: pd.DataFrame, household: str | None) -> Table:
    if household is None:
        return table
    if household not in frame.columns or household in table.columns:
        raise InputRejected(f"'{household}' cannot say who lives together.", "Name a column of the frame that has no other role.")
    column = household_column(household, pd.factorize(frame[household])[0].astype(np.int32))
    return replace(table, columns={**table.columns, household: column}, household=household)


def _distance(distance: Distance | PairFunction | None, sensitive: Sequence[str]) -> Distance:
    if distance is None:
        return Distance()
    if isinstance(distance, Distance):
        unknown = [name for name in distance.weights if name not in sensitive]
        if unknown:
            raise InputRejected(f"A weight of the distance is for '{unknown[0]}', which is not sensitive.", "Correct the name.")
        return distance
    if callable(distance):
        return Distance(function=distance)
    raise InputRejected("`distance` is neither a Distance nor a function.", "Give hg.Distance(…) or a symmetric function of two values.")


def _specs_like(table: Table) -> dict[str, ColumnSpec]:
    """Specs that encode the same frame in the same way again."""

    def spec(column: Column, role: Role) -> ColumnSpec:
        levels = tuple(str(value) for value in column.values) if "levels" in column.kind.rules.keys else ()
        return ColumnSpec(
            column.name,
            column.kind,
            role,
            levels=levels,
            hierarchy=column.hierarchy,
            separator=column.separator,
            year_bands=column.year_bands,
        )

    quasi = {name: spec(table[name], Role.QUASI) for name in table.quasi}
    return quasi | {name: spec(table[name], Role.SENSITIVE) for name in table.sensitive}


def _cells(column: Column) -> NDArray[Any]:
    values = np.empty(len(column.values) + 1, dtype=object)
    values[:-1] = list(column.values)
    values[-1] = None
    return values[column.codes]
