"""Which dictionary bounds which (decision-theoretic-privacy-risk, Theorem 1): R against one that refines another is the larger one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column, Table
from headgate.core.errors import Defect
from headgate.risk.disclosure.decision import agrees, bound_holds, refines
from policies.attackers.attacker import Attacker
from policies.gates.figures import TableFigures
from tasks.reading.dictionaries import Dictionaries
from tasks.reading.identifiers import IdentifierValues

MEAN_LOSS = "disclosure_mean"


@dataclass(frozen=True, eq=False)
class Held:
    """A dictionary whose people are told apart by an identifier of the policy, and so can be compared with another's."""

    attacker: Attacker
    columns: Mapping[str, Column]
    identifier: str
    people: NDArray[Any]
    is_source: bool


@dataclass(frozen=True, eq=False)
class DictionaryComparison:
    """What it takes to compare dictionaries person by person: who holds them, the people of the source, and those who were released."""

    attackers: tuple[Attacker, ...]
    dictionaries: Dictionaries
    identifiers: IdentifierValues
    attributes: tuple[str, ...]
    original: Table
    kept: NDArray[np.bool_]
    figures: tuple[TableFigures, ...]

    def released(self) -> Released:
        rows = np.flatnonzero(self.kept)
        named = {name: texts[rows] for name in self.attributes if (texts := self.identifiers.of(name)) is not None}
        return Released(self.original.take(rows), named)


@dataclass(frozen=True, eq=False)
class Released:
    """The people who were released, as the source has them."""

    table: Table
    people: Mapping[str, NDArray[Any]]  # by identifier


def bounds(comparison: DictionaryComparison) -> Iterator[str]:
    """Of every pair of dictionaries whose people can be compared. That the source is bounded is not said: it is the worst case itself."""
    released = comparison.released() if comparison.attackers else None
    for estimate, true in permutations(_comparable(comparison), 2):
        same = estimate.attacker is true.attacker or estimate.identifier != true.identifier
        if released is not None and not same and not true.is_source and _refines(estimate, true, released):
            yield from _sentence(comparison.figures, estimate.attacker.name, true.attacker.name)


def _comparable(comparison: DictionaryComparison) -> Iterator[Held]:
    dictionaries, identifiers = comparison.dictionaries, comparison.identifiers
    for attacker in comparison.attackers:
        if not isinstance(attacker.dictionary, Mapping):
            continue
        if attacker.name not in dictionaries.encoded:
            for name in comparison.attributes:
                everybody = identifiers.of(name)
                if everybody is not None:
                    yield Held(attacker, attacker.dictionary, name, everybody, True)
        elif attacker.name in dictionaries.keys and identifiers.of(dictionaries.keys[attacker.name].name) is not None:
            keys = dictionaries.keys[attacker.name]
            yield Held(attacker, attacker.dictionary, keys.name, keys.texts, False)


def _refines(estimate: Held, true: Held, released: Released) -> bool:
    """θ̂ ⪯ θ_true, and θ̂ has an entry that agrees with each record's person. One that takes more texts for the same counts more people."""
    fields, known = true.attacker.fields, estimate.attacker.fields
    if not set(fields) <= set(known):
        return False
    if any(estimate.attacker.similar.get(name, 1.0) < true.attacker.similar.get(name, 1.0) for name in fields):
        return False
    if not refines(estimate.columns, true.columns, estimate.people, true.people, fields):
        return False
    return agrees(estimate.columns, estimate.people, released.table.columns, released.people[estimate.identifier], known)


def _sentence(tables: Iterable[TableFigures], estimate: str, true: str) -> Iterator[str]:
    pairs = [(table.figure(MEAN_LOSS, true), table.figure(MEAN_LOSS, estimate)) for table in tables]
    measured = [(real, bound) for real, bound in pairs if real is not None and bound is not None]
    if not all(bound_holds(real, bound) for real, bound in measured):
        raise Defect(f"The risk against {true} is above its bound.", "Please report this: Theorem 1 excludes it.")
    if measured:
        worst = max(measured)
        yield (
            f"{estimate} bounds {true}: everybody in it is there too, and no cell there contradicts it, so no table can risk more "
            f"against {true} (Theorem 1). Measured, in the table that is worst off: {worst[0]:.6g}, at most {worst[1]:.6g}."
        )
