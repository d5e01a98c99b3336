"""MinRisk before anything is anonymized: which cells stay, what is told of the others, and who still knows them."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.encode import encode_table
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.risk.candidates.consistency import encode_dictionary
from policies.gates.attackers import OwnWeights
from policies.gates.disclosure_key import DisclosureKey
from policies.schema.anonymization import SuppressCells
from policies.schema.loading import parse_policy
from policies.sealed.specs import column_specs
from tasks.reading.dictionaries import Dictionaries, encode_dictionaries
from tasks.reading.ingest import ingest
from tasks.reading.suppress_cells import suppress, suppressed_cells
from tasks.release import gate_tables as gate
from tasks.release.choose_plan import choose_plan
from tasks.release.gate_tables import gate_table, judge_release
from tasks.release.make_tables import group_table, publish_table
from tasks.release.transform import read_dictionaries, suppress_cells, transform
from tasks.release.whose_records import whose_records
from tasks.release.workbench import Workbench
from tasks.runtime.listener import Listener
from tasks.tables.write import read_published

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


def table_of(rows):
    frame = pd.DataFrame([row[:5] for row in rows], columns=list(NAMES[:5]), dtype=object)
    frame["p1"] = [row[5] for row in rows]
    frame["p2"] = [None if row[5] is None else 1 - row[5] for row in rows]
    frame["ward"] = "w"
    return encode_table(frame, column_specs(parse_policy(TEXT, "p")))


def policy_of(wanted, weights):
    policy = parse_policy(TEXT, "p")
    cost = {"weights": {name: ".inf" if math.isinf(weight) else str(weight) for name, weight in weights.items()}} if weights else {}
    asked = DisclosureKey.model_validate({"max": "1", "sensitivity": {"form": "additive", **cost} if weights else {"form": "constant"}})
    return policy.model_copy(
        update={"suppress_cells": SuppressCells.model_validate(wanted), "gates": policy.gates.model_copy(update={"disclosure": asked})}
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
    assert suppress(parse_policy(TEXT, "p"), table, Dictionaries()) is table
    assert suppressed_cells(table, table) == {}


def test_all_attributes_are_chosen_from_unless_some_are_named_and_nothing_weighs_without_a_gate():
    """Of two people one has a rare age, the other a rare place; α(⊥)/α(x) = 2 there, 1 elsewhere."""
    table = table_of([(20, "a", "2025-01-01", "flu", 1.5, 0.5), (30, "a", "2025-01-01", "flu", 1.5, 0.5)])
    policy = parse_policy(TEXT, "p").model_copy(update={"suppress_cells": SuppressCells(keep=5)})
    assert suppressed_cells(table, suppress(policy, table, Dictionaries())) == {"age": 2}
    fewer = policy.model_copy(update={"suppress_cells": SuppressCells(keep=1, among=("age", "income"))})
    assert suppressed_cells(table, suppress(fewer, table, Dictionaries())) == {"age": 2}


def test_a_choice_without_a_shared_field_is_refused():
    table = table_of([(20, "a", None, "flu", 1.5, 0.5)] * 2)
    policy = parse_policy(TEXT, "p").model_copy(update={"suppress_cells": SuppressCells(keep=1, among=("income",))})
    with pytest.raises(InputRejected, match="share no field") as caught:
        suppress(policy, table, Dictionaries())
    assert caught.value.cure


# Through the steps of a release.


@pytest.fixture
def bench(clinic, tmp_path):
    """A release up to its finished plan; the test says what the policy asks for."""

    def make(keep=5, **asked):
        clinic.policy["attributes"]["notes"] = {"role": "dropped"}
        clinic.policy["anonymize"] = {"k": 6}
        clinic.policy["gates"] = {"linkability": 1, "disclosure": {"max": 1e9, **asked}}
        clinic.policy["suppress_cells"] = {"keep": keep, "among": ["age", "sex", "region", "admitted", "diagnosis", "income", "education"]}
        loaded = clinic.load()
        stage = tmp_path / "stage"
        stage.mkdir()
        nobody = SimpleNamespace()
        bench = Workbench("r", nobody, loaded, nobody, nobody, nobody, None, stage, b"seed", Listener(), "now")  # type: ignore[arg-type]
        bench.ingested = ingest(loaded)
        bench.rows = bench.ingested.rows
        read_dictionaries(bench)
        return bench

    return make


def finished(bench):
    told = suppress_cells(bench)
    transform(bench)
    choose_plan(bench)
    for name in bench.names:
        group_table(bench, name)
        publish_table(bench, name)
        gate_table(bench, name)
    judge_release(bench)
    return told


def test_the_number_told_is_that_of_the_cells_that_are_gone_and_sets_go_whole(bench):
    bench = bench()
    before = bench.ingested.table
    told = suppress_cells(bench)
    after = bench.after_suppression
    gone = {name: int((before[name].codes != after[name].codes).sum()) for name in before.columns}
    assert told == sum(gone.values()) > 0
    assert bench.suppressed_cells == {name: number for name, number in gone.items() if number}
    present = sum((before[name].codes >= 0).astype(int) for name in (*before.quasi, *before.sensitive))
    left = sum((after[name].codes >= 0).astype(int) for name in (*before.quasi, *before.sensitive))
    assert left.tolist() == np.minimum(present, 5).tolist()
    transform(bench)
    bits = [column for column in bench.table.columns.values() if column.origin == "diagnosis"]
    for bit in bits:
        assert ((bit.codes < 0) == (after["diagnosis"].codes < 0)).all()
    for bit in bits:
        assert (bench.original[bit.name].codes >= 0).all()


def test_attackers_and_count_queries_still_have_the_cells_that_are_gone(bench, monkeypatch):
    asked = []
    counted = gate.count_query_error
    monkeypatch.setattr(gate, "count_query_error", lambda table, *others: asked.append(table) or counted(table, *others))
    bench = bench(dictionaries=[{"source": True, "on": ["age", "sex"]}])
    before = bench.ingested.table
    finished(bench)
    (attacker,) = bench.attackers
    assert sum(bench.suppressed_cells.get(name, 0) for name in ("age", "sex")) > 0
    for name in ("age", "sex"):
        assert attacker.dictionary[name].codes.tolist() == before[name].codes.tolist()
        assert (attacker.dictionary[name].codes >= 0).all()
    assert len(asked) == len(bench.names)
    for table in asked:
        assert table["age"].codes.tolist() == before["age"].codes.tolist() != bench.table["age"].codes.tolist()


def test_people_keep_their_own_wishes_through_a_release(bench, clinic):
    wishes = {row["patient_id"]: place for place, row in enumerate(clinic.rows)}
    lines = [f"{who},{wish}" for who, wish in sorted(wishes.items(), reverse=True)]
    (clinic.folder / "people.csv").write_text("\n".join(["patient_id,all", *lines]) + "\n")
    cost = {"form": "additive", "weights": {"age": 1, "education": 1}, "people": {"path": "people.csv", "key": "patient_id"}}
    bench = bench(sensitivity=cost, dictionaries=[{"source": True, "on": ["sex"]}])
    finished(bench)
    (attacker,) = bench.attackers
    for name in bench.names:
        published = read_published(bench.stage / bench.written[name][0].path, bench.promise, name)
        people = whose_records(bench, published)
        assert sorted(people) == list(range(60))
        found = attacker.threat(published, people).risk
        here = "education" in published.sensitive
        for record, who in enumerate(people.tolist()):
            shown = str(published.cells["age"].texts[published.cells["age"].codes[record]]) not in ("", "*")
            shown += here and bench.table["education"].codes[who] >= 0
            assert found.per_record[record] * found.consistent[record] == pytest.approx(who * shown)


def test_a_plan_that_discloses_too_much_is_refused_with_the_step_that_would_be_enough(bench):
    """Thirty of the sixty are of either sex; with their ages they are fewer."""
    bench = bench(keep=7, dictionaries=[{"source": True, "on": ["age", "sex"]}], min_candidates=30)
    suppress_cells(bench)
    transform(bench)
    with pytest.raises(RequirementNotMet) as caught:
        choose_plan(bench)
    assert caught.value.code == 3
    assert caught.value.cure.startswith("In this table it would be enough to suppress age")
    assert caught.value.required == 30.0


def test_frequency_tables_are_no_register_to_choose_cells_by(clinic, refusal):
    (clinic.folder / "m.csv").write_text("field,value,count\nsex,male,3\n")
    clinic.policy["gates"]["disclosure"] = {"max": 9, "dictionaries": [{"marginals": "m.csv", "on": ["sex"], "name": "tables"}]}
    loaded = clinic.load()
    ingested = ingest(loaded)
    registers = encode_dictionaries(loaded, ingested.table)
    policy = loaded.policy.model_copy(update={"suppress_cells": SuppressCells(keep=1, dictionary="tables")})
    problem = refusal(lambda: suppress(policy, ingested.table, registers, None))
    assert "not frequency tables" in problem.message
