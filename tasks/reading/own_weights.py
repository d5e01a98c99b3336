"""What people themselves want weighed, joined to the rows of the source before their identifiers end. It is never published."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from headgate.core.columns import Role
from headgate.core.errors import InputRejected
from policies.attackers.attacker import OwnWeights
from policies.attackers.sensitivity_key import PeopleKey, SensitivityKey
from policies.schema.policy import Policy
from tasks.reading.arrow_frame import texts_of, trimmed_texts, unique_keys
from tasks.reading.references import LoadedPolicy
from tasks.reading.source import Source, require_columns
from tasks.runtime.wording import inside

EVERYTHING = "all"  # the column of a person's factor on all weights


def preference_of(policy: Policy) -> str | None:
    """The dropped column that is read for it."""
    cost = cost_of(policy)
    return None if cost is None else cost.preference


def cost_of(policy: Policy) -> SensitivityKey | None:
    """What identifying somebody costs, where the policy says so."""
    attackers = policy.gates.attackers
    return None if attackers is None else attackers.sensitivity


def own_weights(loaded: LoadedPolicy, cells: pa.Table, where: str) -> OwnWeights | None:
    """`cells`: the source's identifiers and, where the policy names it, the column of preferences."""
    cost = cost_of(loaded.policy)
    if cost is not None and cost.preference is not None:
        return OwnWeights(_numbers(cells, cost.preference, where))
    if cost is None or cost.people is None:
        return None
    if loaded.references.people is None:
        raise InputRejected(f"The table of weights '{cost.people.path}' was not read.", "Give the file that the policy names.")
    table = loaded.references.people.opened()
    _check_fits(cost, table)
    weights = _of_people(cost.people, table, cells, where, loaded.policy)
    return OwnWeights(weights.pop(EVERYTHING, None), weights)


def _check_fits(cost: SensitivityKey, table: Source) -> None:
    """A factor on weights that nobody gives would weigh nothing, and so find no risk at all."""
    each = [name for name in table.names if cost.people is not None and name not in (cost.people.key, EVERYTHING)]
    if cost.form == "count" and EVERYTHING not in table.names:
        raise InputRejected(f"{table.name} has no column '{EVERYTHING}'.", "Form count needs it: one weight per person.")
    if cost.form == "count" and each:
        raise InputRejected(
            f"{table.name} weighs '{each[0]}', but form count weighs no attribute.", "Remove the column, or form: additive."
        )
    if cost.form != "count" and EVERYTHING in table.names and not each and not cost.weighed:
        cure = "Give weights in the policy, or a column named after an attribute."
        raise InputRejected(f"{table.name} holds a factor on all weights, but no weights are given.", cure)


def _of_people(key: PeopleKey, table: Source, cells: pa.Table, where: str, policy: Policy) -> dict[str, NDArray[np.float64]]:
    """A number for every row of the source, by column: nobody may be left out, for nobody's wishes can be guessed."""
    require_columns(table, (key.key,))
    published = [name for name, attribute in policy.attributes.items() if attribute.published]
    unknown = [name for name in table.names if name not in (key.key, EVERYTHING, *published)]
    if unknown:
        raise InputRejected(
            f"{table.name} has a column '{unknown[0]}', which is not a published attribute.",
            f"Name columns after published attributes, or '{EVERYTHING}' for a factor on all weights.",
        )
    if len(table.names) < 2:
        raise InputRejected(f"{table.name} has no weights.", f"Add a column named after an attribute, or '{EVERYTHING}'.")
    read = table.read(table.names)
    listed = unique_keys(read.column(key.key), key.key, table.name)
    place = pa.compute.index_in(trimmed_texts(cells.column(key.key), key.key, where).combine_chunks(), value_set=listed)
    if place.null_count:
        raise InputRejected(f"{table.name} lacks {place.null_count:,} of the {len(place):,} people of the source.", "List everybody once.")
    rows = place.to_numpy()
    return {name: _numbers(read, name, table.name)[rows] for name in table.names if name != key.key}


def _numbers(cells: pa.Table, name: str, where: str) -> NDArray[np.float64]:
    """From 0 up; `.inf` or `inf` forbids that the person is found at all."""
    texts = texts_of(cells.column(name), name, where).to_pylist()
    distinct: Mapping[str | None, float] = {text: _number(text) for text in set(texts)}
    numbers = np.array([distinct[text] for text in texts], dtype=np.float64)
    wrong = int(np.count_nonzero(~(numbers >= 0)))
    if wrong:
        rows = "1 row" if wrong == 1 else f"{wrong:,} rows"
        cure = "Give every row a number from 0 up."
        raise InputRejected(f"Column '{name}' of {inside(where)} is missing, negative or not a number in {rows}.", cure)
    return numbers


def _number(text: str | None) -> float:
    if text is None or text.strip() == ".inf":
        return math.nan if text is None else math.inf
    try:
        return float(text)
    except ValueError:
        return math.nan


def columns_read(policy: Policy) -> tuple[str, ...]:
    """Columns of the source that are read for this alone."""
    name = preference_of(policy)
    return () if name is None or policy.attributes[name].role is not Role.DROPPED else (name,)
