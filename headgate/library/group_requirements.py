"""What callers of the library can require of every group, in the words of a policy, as the limits and conditions of the methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headgate.core.columns import Column, Table
from headgate.core.distance import Distance
from headgate.core.errors import InputRejected
from headgate.core.tolerance import exact
from headgate.grouping import limits
from headgate.grouping.conditions import Bounds, Condition, conditions_of, each_bound, frequencies_of
from headgate.grouping.limits import NeighbourhoodLimit
from headgate.methods.full_domain.windows import DEFINITION, READINGS, WINDOW, WindowL

Each = Mapping[str, Mapping[str, Any]] | None  # {attribute: {setting: …}}


@dataclass(frozen=True)
class Requirements:
    """The arguments of `xcolor`, `mondrian` and `full_domain` that say what every group must keep besides k."""

    epsilon: Any = None
    delta: Any = None
    each: Each = None
    linkability: Bounds = None
    delta_l: Each = None
    frequency: Bounds = None
    distinct_l: Bounds = None
    entropy_l: Bounds = None
    recursive: Any = None
    closeness: Bounds = None

    @property
    def named(self) -> tuple[str, ...]:
        """The attributes that they name."""
        given = (self.each, self.linkability, self.delta_l, self.frequency, self.distinct_l, self.entropy_l, self.recursive, self.closeness)
        return tuple(dict.fromkeys(name for bounds in given if isinstance(bounds, Mapping) for name in bounds))

    def group_size(self, k: Any) -> int:
        """(ε, δ) fails in a group of one unless δ is 0, even where the row has no sensitive value."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer):
            raise InputRejected("k is not a whole number.", "Give the size of the smallest group, such as 10.")
        deltas = [self.delta, *(given["delta"] for _, given in self._each(("epsilon", "delta"), self.each, "each"))]
        return 2 if k == 1 and any(delta is not None and exact(delta) > 0 for delta in deltas) else int(k)

    def limits(self, table: Table, distance: Distance) -> tuple[NeighbourhoodLimit, ...]:
        """What all methods keep: of the table's sensitive attributes together, then of each."""
        if (self.epsilon is None) != (self.delta is None):
            raise InputRejected("Only one of ε and δ is given.", "Give both, or neither.")
        if not table.sensitive and any(getattr(self, option) is not None for option in self.__dataclass_fields__):
            raise InputRejected("This condition needs a sensitive attribute.", "Name at least one.")
        columns = table.select(table.sensitive)
        whole = () if self.epsilon is None else (limits.dissimilarity(columns, self.epsilon, self.delta, distance),)
        return (
            *whole,
            *self._of_attributes({column.name: column for column in columns}, distance),
            *frequencies_of(columns, self.frequency),
        )

    def _of_attributes(self, columns: Mapping[str, Column], distance: Distance) -> Iterator[NeighbourhoodLimit]:
        for name, given in self._each(("epsilon", "delta"), self.each, "each", tuple(columns)):
            alone = replace(distance, function=None, weights={name: 1.0}, combine="lp")
            yield limits.dissimilarity([columns[name]], given["epsilon"], given["delta"], alone, f"dissimilarity of {name}")
        for name, share in each_bound(tuple(columns), self.linkability, "linkability"):
            if exact(share) != 1:  # every group keeps that
                yield limits.linkability(columns[name], share)
        for name, given in self._delta_l(tuple(columns)):
            if given.get("reading", DEFINITION) == DEFINITION:
                yield limits.delta_l(columns[name], given["interval"], given["l"])

    def conditions(self, table: Table) -> tuple[Condition, ...]:
        """What methods that cut or climb keep too."""
        own = {"distinct_l": self.distinct_l, "entropy_l": self.entropy_l, "recursive": self.recursive, "closeness": self.closeness}
        return conditions_of(table.sensitive, **own)

    def windows(self, table: Table) -> tuple[WindowL, ...]:
        """What only whole levels keep."""
        return tuple(
            WindowL(name, exact(given["interval"]), exact(given["l"]))
            for name, given in self._delta_l(table.sensitive)
            if given.get("reading") == WINDOW
        )

    def without_windows(self) -> Requirements:
        if any(given.get("reading") == WINDOW for _, given in self._delta_l()):
            raise InputRejected(
                "Only `full_domain` can keep the window reading of (δ, l).", "Leave out `reading`: the definition is the stricter one."
            )
        return self

    def _delta_l(self, names: tuple[str, ...] | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name, given in self._each(("interval", "l"), self.delta_l, "delta_l", names, ("reading",)):
            if given.get("reading", DEFINITION) not in READINGS:
                raise InputRejected(f"The reading of (δ, l) for '{name}' is unknown.", f"Use one of {', '.join(READINGS)}.")
            yield name, given

    @staticmethod
    def _each(
        keys: tuple[str, ...], given: Any, what: str, names: tuple[str, ...] | None = None, optional: tuple[str, ...] = ()
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """What is given for each attribute; refused unless it has these keys."""
        if given is None:
            return
        wanted = f"Give {what}={{attribute: {{{', '.join(f'{key!r}: …' for key in keys)}}}}}."
        if not isinstance(given, Mapping):
            raise InputRejected(f"'{what}' does not say what is required of which attribute.", wanted)
        for name, own in each_bound(tuple(given) if names is None else names, given, what):
            if not isinstance(own, Mapping) or not set(keys) <= set(own) <= {*keys, *optional}:
                raise InputRejected(f"'{what}' for '{name}' is not understood.", wanted)
            yield name, own
