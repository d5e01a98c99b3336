"""What attackers may hold, in the same codes as the release's quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headgate.core.columns import Role, Table
from headgate.core.errors import HeadgateError, InputRejected
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.candidates.marginals import marginals_of
from headgate.risk.disclosure.expected_loss import Dictionary
from policies.attackers.dictionary_key import DictionaryKey
from tasks.reading.references import LoadedPolicy
from tasks.reading.registers import Keys, RegisterTexts, read_register
from tasks.reading.source_sql import open_sql


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
        return encode_dictionary(register.frame, table.columns, given.fields)
    except HeadgateError as refusal:
        problem = InputRejected(f"{register.where}: {refusal.message}", refusal.cure)
    raise problem
