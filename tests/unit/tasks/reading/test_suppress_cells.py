"""MinRisk before anything is anonymized: which cells stay, what is told of the others, and who still knows them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.encode import encode_table
from headgate.core.errors import InputRejected
from headgate.risk.candidates.consistency import encode_dictionary
from policies.attackers.attacker import OwnWeights
from policies.gates.disclosure_key import DisclosureKey
from policies.schema.anonymization import SuppressCells
from policies.schema.loading import parse_policy
from policies.sealed.specs import column_specs
from tasks.reading.dictionaries import Dictionaries, encode_dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.suppress_cells import suppress, suppressed_cells

TEXT = """\
schema: 1
dataset: clinic
source: {kind: csv, path: clinic.csv}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 100]}
  zip: {role: quasi, kind: category}
  born: {role: quasi, kind: date}
  illness: {role: sensitive, kind: set, values: [flu, gout]}
  income: {role: sensitive, kind: number, domain: [0, 1000]}
  profile: {role: sensitive, kind: vector, columns: [p1, p2]}
  ward: {role: insensitive, kind: category}
anonymize: {k: 2}
gates: {linkability: 1}
publish: {to: clinic}
"""
NAMES = ("age", "zip", "born", "illness", "income", "profile")
ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, 20, 21, 30]),
        st.sampled_from([None, "a", "*", "[b..c]"]),
        st.sampled_from([None, "2025-01-01", "2025-01-20"]),
        st.sampled_from([None, "|", "flu", "flu|gout"]),
        st.sampled_from([None, 1.5, 900.0]),
        st.sampled_from([None, 0.25, 0.5]),
    ),
    min_size=2,
    max_size=9,
)
REGISTER = st.lists(st.tuples(st.sampled_from([None, 20, 30, 99]), st.sampled_from([None, "a", "z"])), min_size=1, max_size=6)
WEIGHT = st.sampled_from([0.0, 0.5, 2.0, math.inf])


POLICY = parse_policy(TEXT, "p")


def table_of(rows):
    frame = pd.DataFrame([row[:5] for row in rows], columns=list(NAMES[:5]), dtype=object)
    frame["p1"] = [row[5] for row in rows]
    frame["p2"] = [None if row[5] is None else 1 - row[5] for row in rows]
    frame["ward"] = "w"
    return encode_table(frame, column_specs(POLICY))


def policy_of(wanted, weights):
    cost = {"weights": {name: ".inf" if math.isinf(weight) else str(weight) for name, weight in weights.items()}} if weights else {}
    asked = DisclosureKey.model_validate({"max": "1", "sensitivity": {"form": "additive", **cost} if weights else {"form": "constant"}})
    return POLICY.model_copy(
        update={"suppress_cells": SuppressCells.model_validate(wanted), "gates": POLICY.gates.model_copy(update={"disclosure": asked})}
    )


def kept_by_hand(record, among, people, fields, weights, keep):
    """Algorithm 1: γ = e^w·N/α, where α people are consistent with the cell; the least stay, of equal ones the first."""
    gammas = []
    for place, name in enumerate(among):
        cell = record[NAMES.index(name)]
        if cell is None:
            continue
        alpha = len(people)
        if name in fields:
            alpha = sum(person[fields.index(name)] is None or person[fields.index(name)] == cell for person in people)
        gammas.append((math.exp(weights[name]) * (len(people) / alpha) if alpha else 0.0, place))
    return {among[place] for _, place in sorted(gammas)[:keep]}


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_the_cells_that_stay_are_those_of_the_algorithm(draw):
    rows, register = draw.draw(ROWS), draw.draw(REGISTER)
    table = table_of(rows)
    among = tuple(draw.draw(st.permutations(NAMES))[: draw.draw(st.integers(1, 6))])
    from_register = draw.draw(st.booleans())
    fields, people = (("age", "zip"), register) if from_register else (("age", "zip", "born"), [row[:3] for row in rows])
    among = among if set(among) & set(fields) else (*among, "age")
    keep = draw.draw(st.integers(1, len(among)))
    weights = draw.draw(st.dictionaries(st.sampled_from(NAMES), WEIGHT))
    each_row = st.lists(WEIGHT, min_size=len(rows), max_size=len(rows))
    everything, each = draw.draw(st.none() | each_row), draw.draw(st.dictionaries(st.sampled_from(NAMES), each_row, max_size=2))
    own = OwnWeights(None if everything is None else np.array(everything), {name: np.array(one) for name, one in each.items()})

    frame = pd.DataFrame(register, columns=["age", "zip"], dtype=object)
    registers = Dictionaries({"register": encode_dictionary(frame, table.columns, ("age", "zip"))})
    wanted = {"keep": keep, "among": list(among), "dictionary": "register" if from_register else "source"}
    after = suppress(policy_of(wanted, weights), table, registers, own if everything or each else None)

    for row, record in enumerate(rows):
        factor = 1.0 if everything is None else everything[row]
        own_weights = {name: each[name][row] if name in each else weights.get(name, 0.0) for name in NAMES}
        cost = {name: 0.0 if weight == 0 or factor == 0 else weight * factor for name, weight in own_weights.items()}
        kept = kept_by_hand(record, among, people, fields, cost, keep)
        assert len(kept) == min(keep, sum(record[NAMES.index(name)] is not None for name in among))
        for name in NAMES:
            expected = table[name].codes[row] if name in kept or name not in among else -1
            assert after[name].codes[row] == expected
    gone = {name: sum(a != b for a, b in zip(table[name].codes, after[name].codes, strict=True)) for name in NAMES}
    assert suppressed_cells(table, after) == {name: number for name, number in gone.items() if number}
    assert (after["ward"].codes == table["ward"].codes).all()


def test_without_the_wish_the_table_stays_itself():
    table = table_of([(20, "a", None, "flu", 1.5, 0.5)] * 2)
    assert suppress(POLICY, table, Dictionaries()) is table
    assert suppressed_cells(table, table) == {}


def test_all_attributes_are_chosen_from_unless_some_are_named_and_nothing_weighs_without_a_gate():
    """Of two people one has a rare age, the other a rare place; α(⊥)/α(x) = 2 there, 1 elsewhere."""
    table = table_of([(20, "a", "2025-01-01", "flu", 1.5, 0.5), (30, "a", "2025-01-01", "flu", 1.5, 0.5)])
    policy = POLICY.model_copy(update={"suppress_cells": SuppressCells(keep=5)})
    assert suppressed_cells(table, suppress(policy, table, Dictionaries())) == {"age": 2}
    fewer = policy.model_copy(update={"suppress_cells": SuppressCells(keep=1, among=("age", "income"))})
    assert suppressed_cells(table, suppress(fewer, table, Dictionaries())) == {"age": 2}


def test_a_choice_without_a_shared_field_is_refused():
    table = table_of([(20, "a", None, "flu", 1.5, 0.5)] * 2)
    policy = POLICY.model_copy(update={"suppress_cells": SuppressCells(keep=1, among=("income",))})
    with pytest.raises(InputRejected, match="share no field") as caught:
        suppress(policy, table, Dictionaries())
    assert caught.value.cure


def test_frequency_tables_are_no_register_to_choose_cells_by(clinic, refusal):
    (clinic.folder / "m.csv").write_text("field,value,count\nsex,male,3\n")
    clinic.policy["gates"]["disclosure"] = {"max": 9, "dictionaries": [{"marginals": "m.csv", "on": ["sex"], "name": "tables"}]}
    loaded = clinic.load()
    ingested = ingest(loaded)
    registers = encode_dictionaries(loaded, ingested.table)
    policy = loaded.policy.model_copy(update={"suppress_cells": SuppressCells(keep=1, dictionary="tables")})
    problem = refusal(lambda: suppress(policy, ingested.table, registers, None))
    assert "not frequency tables" in problem.message
