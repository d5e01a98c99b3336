"""What attackers may hold, in the same codes as the release's quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from headgate.core.columns import Column, Role, Table
from headgate.core.errors import CellsRejected, HeadgateError, InputRejected
from headgate.core.kinds.date import DAYS
from headgate.core.kinds.number import NUMBERS
from headgate.core.spelling import value_text
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.candidates.marginals import marginals_of
from headgate.risk.disclosure.expected_loss import Dictionary
from policies.attackers.dictionary_key import DictionaryKey
from tasks.reading.references import LoadedPolicy
from tasks.reading.registers import Keys, RegisterTexts, read_register
from tasks.reading.source_sql import open_sql

AS_IT_IS = (
    "A register is read as it stands: `decimal`, `date`, `map` and so on are of the source alone. Write its numbers as 1234.5 and its days "
    "as YYYY-MM-DD. For codes, declare kind: category."
)


@dataclass(frozen=True, eq=False)
class Dictionaries:
    """By name. Only registers that have a key can be compared person by person. `queried`: the digests of the results of queries, which
    are no part of the policy's."""

    encoded: Mapping[str, Dictionary] = field(default_factory=dict)
    keys: Mapping[str, Keys] = field(default_factory=dict)
    queried: Mapping[str, str] = field(default_factory=dict)


def encode_dictionaries(loaded: LoadedPolicy, table: Table) -> Dictionaries:
    """All that the policy names, but the source itself. A query is run now: its result is data, and no part of the
    policy's digest."""
    attackers, identifiers = loaded.policy.gates.attackers, loaded.policy.named(Role.IDENTIFIER)
    encoded: dict[str, Dictionary] = {}
    keys: dict[str, Keys] = {}
    queried: dict[str, str] = {}
    for given in attackers.dictionaries if attackers is not None else ():
        if given.source:
            continue
        sql = given.sql
        register = loaded.references.dictionaries.get(given.called)
        if sql is not None:
            result = open_sql(sql.url_env, sql.query, f"the dictionary {given.called}")
            queried[given.called] = result.digest
            register = read_register(given, result, identifiers)
        if register is None:
            raise InputRejected(f"The dictionary '{given.called}' was not read.", "Give the file that the policy names.")
        encoded[given.called] = _encoded(given, register, table)
        if register.keys is not None:
            keys[given.called] = register.keys
    return Dictionaries(encoded, keys, queried)


def _encoded(given: DictionaryKey, register: RegisterTexts, table: Table) -> Dictionary:
    try:
        if given.marginals is not None:
            return marginals_of(register.frame, table.columns, given.fields, given.individuals)
        empty = [name for name in given.fields if register.frame[name].isna().all()]
        if empty:
            raise InputRejected(f"Column '{given.columns[empty[0]]}' has only empty cells.", "Give its cells, or leave it out of `on`.")
        for name in given.fields:
            _require_common(register.frame[name], table.columns[name], given, name)
        return encode_dictionary(register.frame, table.columns, given.fields)
    except CellsRejected as refusal:
        problem = InputRejected(f"{register.where}: {refusal.message}", AS_IT_IS if refusal.cure in (NUMBERS, DAYS) else refusal.cure)
    except HeadgateError as refusal:
        problem = InputRejected(f"{register.where}: {refusal.message}", refusal.cure)
    raise problem


def _require_common(cells: pd.Series, domain: Column, given: DictionaryKey, name: str) -> None:
    """A register whose values are written in another way fits nobody, so that no risk would be found at all."""
    if domain.kind.numeric or domain.hierarchy is not None or name in given.similar:
        return  # a hierarchy places values that the release lacks
    known = {str(value) for value in domain.values}
    seen = {value_text(cell).strip() for cell in cells.dropna().unique()} - {""}
    if seen and known and not seen & known:
        raise InputRejected(
            f"No value of '{given.columns[name]}' is one of '{name}' in the release, so this register would find nobody.",
            "Write its values as they are released, after `map` and `region`; or leave the column out of `on`.",
        )
