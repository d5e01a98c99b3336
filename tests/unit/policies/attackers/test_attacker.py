"""Figures and gates of disclosure against brute force over record × person pairs, in plain Python from the definition."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.core.columns import Column, Table
from headgate.core.encode import encode_table
from headgate.core.errors import Defect, InputRejected
from headgate.core.published_form.published_table import PublishedCells, PublishedTable, publish_form
from headgate.projection.bitmap import bitmap_table
from headgate.risk.candidates.consistency import encode_dictionary
from policies.attackers.attacker import OwnWeights, attackers_of, needs_whose, sensitivity_of, threats
from policies.attackers.sensitivity_key import SensitivityKey
from policies.gates.disclosure_key import DisclosureKey
from policies.gates.verdict import Verdict
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.sealed.specs import column_specs, promise_of

Rows = list[tuple[Any, ...]]
NAMES = ("age", "zip", "illness", "income")
PEOPLE = st.lists(
    st.tuples(
        st.sampled_from([None, 20, 21, 30, 45]),
        st.sampled_from([None, "a", "b", "c"]),
        st.sampled_from([None, (), ("flu",), ("flu", "gout")]),
        st.sampled_from([None, 100.0, 900.0]),
    ),
    min_size=2,
    max_size=8,
)
REGISTER = st.lists(st.tuples(st.sampled_from([None, 20, 30, 45, 77]), st.sampled_from([None, "a", "b", "z"])), min_size=1, max_size=7)
WEIGHT = st.sampled_from([0.0, 0.25, 1.0, 2.5, math.inf])
TEXT = """\
schema: 1
dataset: clinic
source: {kind: csv, path: clinic.csv}
attributes:
  age: {role: quasi, kind: integer}
  zip: {role: quasi, kind: category}
  illness: {role: sensitive, kind: set, values: [flu, gout]}
  income: {role: sensitive, kind: number, domain: [0, 1000]}
anonymize: {k: 2}
gates: {linkability: 1}
publish: {to: clinic}
"""


POLICY = parse_policy(TEXT, "p")


def policy_of(gate: Mapping[str, Any]) -> Policy:
    """The dictionaries and bounds of a gate, as they stand in a policy."""
    return POLICY.model_copy(update={"gates": POLICY.gates.model_copy(update={"disclosure": DisclosureKey.model_validate(gate)})})


def tables_of(rows: Rows) -> Table:
    frame = pd.DataFrame(rows, columns=list(NAMES), dtype=object)
    specs = column_specs(POLICY)
    return bitmap_table(encode_table(frame, specs), specs)


def register_of(rows: Sequence[tuple[Any, ...]], table: Table) -> Mapping[str, Column]:
    return encode_dictionary(pd.DataFrame(rows, columns=["age", "zip"], dtype=object), table.columns, ("age", "zip"))


def reordered(published: PublishedTable, order: Sequence[int]) -> PublishedTable:
    rows = np.array(order, dtype=np.intp)
    return PublishedTable(
        published.name,
        published.rows,
        published.group[rows],
        {name: PublishedCells(cells.codes[rows], cells.texts) for name, cells in published.cells.items()},
        {name: column.take(rows) for name, column in published.sensitive.items()},
        {},
    )


def fits(text: str, cell: Any) -> bool:
    """Whether a person's cell is consistent with a published text: a missing one is with everything, on either side."""
    if cell is None or text in ("", "*"):
        return True
    if text.startswith("["):
        low, high = text[1:-1].split("..")
        return int(low) <= int(cell) <= int(high)
    if text.startswith("{"):
        return text.startswith("{|") or str(cell) in text[1:-1].split("|")
    return str(cell) == text


def texts_of(published: PublishedTable, row: int) -> dict[str, str]:
    return {name: str(cells.texts[cells.codes[row]]) for name, cells in published.cells.items()}


def times(a: float, b: float) -> float:
    return 0.0 if a == 0 or b == 0 else a * b


def cost_by_hand(form: str, shown: set[str], weights: Mapping[str, float], pairs: Mapping[tuple[str, str], float], factor: float) -> float:
    if form == "constant":
        return 1.0
    if form == "count":
        return times(factor, len(shown))
    total = math.fsum(times(weight, factor) for name, weight in weights.items() if name in shown)
    total += math.fsum(times(weight, factor) for pair, weight in pairs.items() if set(pair) <= shown)
    return math.exp(total) if form == "multiplicative" else total


def shown_by_hand(texts: Mapping[str, str], person: tuple[Any, ...], sensitive: Sequence[str]) -> set[str]:
    """Attributes of a record that are disclosed: published neither missing nor as everything."""
    cells = {name for name, text in texts.items() if text not in ("", "*")}
    return cells | {name for name in sensitive if person[NAMES.index(name)] is not None}


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_figures_are_those_of_the_definition(draw: st.DataObject) -> None:
    rows, register = draw.draw(PEOPLE), draw.draw(REGISTER)
    table = tables_of(rows)
    groups = np.unique(draw.draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows))), return_inverse=True)[1] - 1
    if groups.max() < 0:
        groups += 1
    sensitive = draw.draw(st.sampled_from([("illness", "income"), ("illness",), ("income",)]))
    columns = [name for name in table.sensitive if name.split("=")[0] in sensitive]
    published = publish_form(table, groups, "t", columns)
    order = draw.draw(st.permutations(range(published.rows)))
    published, people = reordered(published, order), np.flatnonzero(groups >= 0)[list(order)]

    form = draw.draw(st.sampled_from(["constant", "additive", "count", "interactions", "multiplicative"]))
    weighs = form not in ("constant", "count")
    weights = {name: draw.draw(WEIGHT) for name in draw.draw(st.sets(st.sampled_from(NAMES), min_size=1))} if weighs else {}
    pairs = {("age", "illness"): draw.draw(WEIGHT)} if form == "interactions" else {}
    each_row = st.lists(WEIGHT, min_size=len(rows), max_size=len(rows))
    everything = draw.draw(st.none() | each_row) if form != "constant" else None
    everything = draw.draw(each_row) if form == "count" and everything is None else everything
    each = {name: draw.draw(each_row) for name in draw.draw(st.sets(st.sampled_from(NAMES), max_size=2))} if weighs else {}
    own = (
        None
        if everything is None and not each
        else OwnWeights(None if everything is None else np.array(everything), {name: np.array(own) for name, own in each.items()})
    )
    cost: dict[str, Any] = {"form": form, "weights": {name: written(weight) for name, weight in weights.items()}}
    cost |= {"pairs": [{"of": list(pair), "weight": written(weight)} for pair, weight in pairs.items()]} if pairs else {}
    cost |= {"people": {"path": "w.csv", "key": "person"}} if own is not None else {}
    above = draw.draw(st.sampled_from([0, 0.25, 0.5, 1]))
    policy = policy_of(
        {
            "dictionaries": [
                {"name": "register", "path": "r.csv", "on": ["age", "zip"], "prior": "0.25"},
                {"source": True, "on": ["zip"], "prior": "0.75"},
            ],
            "mean": "1",
            "share": {"above": str(above), "at_most": "0.5"},
            "sensitivity": cost,
        }
    )
    attackers = attackers_of(policy.gates.disclosure, table, {"register": register_of(register, table)}, own)
    assert needs_whose(attackers) is (own is not None)
    figures = measure_table(promise_of(policy, table), published, threats(attackers, published, people))

    means = []
    for name, fields, persons in (
        ("register", ("age", "zip"), [dict(zip(("age", "zip"), person, strict=True)) for person in register]),
        ("source", ("zip",), [{"zip": person[1]} for person in rows]),
    ):
        losses, found = [], []
        for row in range(published.rows):
            who = int(people[row])
            texts = texts_of(published, row)
            own_weights = {**weights, **{attribute: numbers[who] for attribute, numbers in each.items()}}
            factor = 1.0 if everything is None else everything[who]
            shown = shown_by_hand(texts, rows[who], sensitive)
            consistent = sum(all(fits(texts[field], person[field]) for field in fields) for person in persons)
            losses.append(cost_by_hand(form, shown, own_weights, pairs, factor) / consistent if consistent else 0.0)
            found.append(consistent)
        mean, matched = sum(losses) / len(losses), any(found)
        means.append(mean if matched else math.nan)
        expected = [
            (figures.each("disclosure_mean"), mean if matched and math.isfinite(mean) else None),
            (figures.each("disclosure_max"), max(losses) if matched and math.isfinite(max(losses)) else None),
            (figures.each("disclosure_share"), sum(one > above + 1e-7 for one in losses) / len(losses) if matched else None),
            (figures.each("disclosure_candidates"), min(number for number in found if number) if matched else None),
            (figures.each("disclosure_unmatched"), found.count(0) / len(found)),
        ]
        for measured, wanted in expected:
            assert measured.get(name) == (None if wanted is None else pytest.approx(wanted))
    prior = math.fsum(times(share, mean) for share, mean in zip((0.25, 0.75), means, strict=True))
    assert figures.figure("disclosure_prior") == (pytest.approx(prior) if math.isfinite(prior) else None)


def written(weight: float) -> str:
    return ".inf" if math.isinf(weight) else str(weight)


@pytest.fixture
def clinic() -> tuple[Table, PublishedTable]:
    """Three who are found together and one alone: |ρ| = 3, 3, 3, 1 against the source."""
    table = tables_of([(20, "a", ("flu",), 1.0), (20, "a", ("flu",), 2.0), (20, "a", (), 3.0), (45, "b", ("gout",), 4.0)])
    return table, publish_form(table, np.array([0, 0, 0, 1]), "t", table.sensitive)


def judged(gate: Mapping[str, Any], table: Table, published: PublishedTable, register: Any = None) -> dict[str, Verdict]:
    policy = policy_of(gate)
    promise = promise_of(policy, table)
    attackers = attackers_of(policy.gates.disclosure, table, {} if register is None else {"register": register})
    figures = measure_table(promise, published, threats(attackers, published))
    verdicts = judge(promise, [figures])
    return {f"{verdict.dictionary}.{verdict.bound}": verdict for verdict in verdicts if verdict.gate == "disclosure"}


@pytest.mark.parametrize(
    ("bound", "figure", "equal", "beyond"),
    [
        ("mean", 0.5, "0.5", "0.499999"),
        ("max", 1.0, "1", "0.999999"),
        ("candidates", 1.0, 1, 2),
        ("share", 0.25, {"above": "0.9", "at_most": "0.25"}, {"above": "0.9", "at_most": "0.249999"}),
    ],
)
def test_each_bound_holds_at_equality_and_fails_a_notch_beyond(
    clinic: tuple[Table, PublishedTable], bound: str, figure: float, equal: Any, beyond: Any
) -> None:
    """ℓ is 1/3 three times and 1 once: R = 1/2."""
    key = "min_candidates" if bound == "candidates" else bound
    for value, passed in ((equal, True), (beyond, False)):
        verdict = judged({key: value}, *clinic)[f"source.{bound}"]
        assert verdict.measured == pytest.approx(figure)
        assert verdict.passed is passed
        assert passed or verdict.remedy.endswith(".")


@pytest.mark.parametrize(("above", "share"), [("0.3333333333", 0.25), ("0.33333333", 1.0), ("1", 0.0), ("0.999", 0.25), ("0", 1.0)])
def test_a_loss_is_above_the_named_one_by_more_than_rounding(clinic: tuple[Table, PublishedTable], above: str, share: float) -> None:
    """A third is not above 0.3333333333 (that is within 1e-9), but above 0.33333333."""
    verdict = judged({"share": {"above": above, "at_most": "0"}}, *clinic)["source.share"]
    assert verdict.measured == share
    assert verdict.passed is (share == 0)


def test_only_the_asked_bounds_are_judged_against_every_dictionary(clinic: tuple[Table, PublishedTable]) -> None:
    table, published = clinic
    register = register_of([(20, "a"), (45, None)], table)
    gate = {"max": "1", "min_candidates": 1, "dictionaries": [{"name": "register", "path": "r", "on": ["age", "zip"]}, {"source": True}]}
    assert list(judged(gate, table, published, register)) == ["register.max", "register.candidates", "source.max", "source.candidates"]


def test_with_priors_the_mean_bounds_their_expectation_and_no_single_one(clinic: tuple[Table, PublishedTable]) -> None:
    """R is 1/2 against the source; against a register of four who fit everybody it is 1/4: 0.6 · 1/2 + 0.4 · 1/4 = 0.4."""
    table, published = clinic
    register = register_of([(None, None)] * 4, table)
    found = [
        {"name": "register", "path": "r.csv", "on": ["age", "zip"], "prior": "0.4"},
        {"source": True, "prior": "0.6"},
    ]
    verdicts = judged({"mean": "0.4", "dictionaries": found}, table, published, register)
    assert list(verdicts) == ["prior.mean"]
    assert (verdicts["prior.mean"].measured, verdicts["prior.mean"].passed) == (pytest.approx(0.4), True)
    verdicts = judged({"mean": "0.3999", "max": "1", "dictionaries": found}, table, published, register)
    assert {gate: verdict.passed for gate, verdict in verdicts.items()} == {"prior.mean": False, "register.max": True, "source.max": True}


def test_a_dictionary_that_fits_nobody_refuses_whatever_the_bounds(clinic: tuple[Table, PublishedTable]) -> None:
    table, published = clinic
    elsewhere = register_of([(77, "z")], table)
    gate = {"mean": "99", "max": "99", "min_candidates": 1, "share": {"above": "0", "at_most": "1"}}
    gate["dictionaries"] = [{"name": "register", "path": "r.csv", "on": ["age", "zip"]}]
    verdicts = judged(gate, table, published, elsewhere)
    assert set(verdicts) == {"register.mean", "register.max", "register.share", "register.candidates"}
    for verdict in verdicts.values():
        assert (verdict.measured, verdict.passed) == (None, False)
        assert "Nobody in 'register' matches any record" in verdict.remedy
    gate["dictionaries"] = [{"name": "register", "path": "r.csv", "on": ["age", "zip"], "prior": "0"}, {"source": True, "prior": "1"}]
    assert not judged(gate, table, published, elsewhere)["prior.mean"].passed


def test_an_infinite_figure_refuses_and_its_share_is_still_measured(clinic: tuple[Table, PublishedTable]) -> None:
    gate = {"mean": "1e30", "max": "1e30", "share": {"above": "1e9", "at_most": "0.9999"}, "min_candidates": 1}
    verdicts = judged({**gate, "sensitivity": {"form": "additive", "weights": {"illness": ".inf"}}}, *clinic)
    assert {bound: verdict.passed for bound, verdict in verdicts.items()} == {
        "source.mean": False,
        "source.max": False,
        "source.share": False,
        "source.candidates": True,
    }
    assert (verdicts["source.mean"].measured, verdicts["source.max"].measured) == (None, None)
    assert verdicts["source.share"].measured == 1.0


def test_who_weighs_differently_must_be_known(clinic: tuple[Table, PublishedTable]) -> None:
    table, published = clinic
    own = OwnWeights(np.ones(4))
    (attacker,) = attackers_of(policy_of({"max": "1"}).gates.disclosure, table, {}, own)
    for people in (None, np.arange(3)):
        with pytest.raises(Defect, match="Whose records") as caught:
            attacker.threat(published, people)
        assert caught.value.cure


def test_a_dictionary_that_was_not_read_is_no_attacker(clinic: tuple[Table, PublishedTable]) -> None:
    policy = policy_of({"max": "1", "dictionaries": [{"name": "voters", "path": "r.csv", "on": ["age"]}]})
    with pytest.raises(InputRejected, match="'voters' was not read"):
        attackers_of(policy.gates.disclosure, clinic[0], {})
    assert attackers_of(None, clinic[0], {}) == ()


def test_similar_texts_widen_who_a_record_may_be(clinic: tuple[Table, PublishedTable]) -> None:
    """JARO(MARTHA, MARHTA) = 0.944…, the textbook's example."""
    rows: Rows = [(20, "MARTHA", (), 1.0), (21, "DIXON", (), 2.0)]
    table = tables_of(rows)
    published = publish_form(table, np.array([0, 1]), "t", table.sensitive)
    register = encode_dictionary(pd.DataFrame({"zip": ["MARHTA", "MARTHA", "DICKSONX"]}), table.columns, ("zip",))
    key = {"name": "register", "path": "r.csv", "on": ["zip"]}
    for least, wanted in (("0.95", [1, 0]), ("0.94", [2, 0]), ("0.76", [2, 1])):
        policy = policy_of({"max": "1", "dictionaries": [{**key, "similar": {"zip": least}}]})
        (attacker,) = attackers_of(policy.gates.disclosure, table, {"register": register})
        assert attacker.threat(published).risk.consistent.tolist() == wanted


def test_a_set_counts_once_however_many_bits_it_has() -> None:
    table = tables_of([(20, "a", ("flu", "gout"), 1.0), (20, "a", None, None)])
    published = publish_form(table, np.array([0, 0]), "t", table.sensitive)
    policy = policy_of({"max": "9", "sensitivity": {"form": "count", "people": {"path": "w.csv", "key": "person"}}})
    (attacker,) = attackers_of(policy.gates.disclosure, table, {}, OwnWeights(np.array([1.0, 1.0])))
    assert attacker.threat(published, np.arange(2)).risk.per_record.tolist() == [4 / 2, 2 / 2]


def test_weights_of_a_pair_cost_only_where_both_are_published() -> None:
    table = tables_of([(20, "a", ("flu",), 1.0), (20, "a", ("flu",), 2.0)])
    cost = {"form": "interactions", "weights": {"age": "1"}, "pairs": [{"of": ["age", "income"], "weight": "6"}]}
    (attacker,) = attackers_of(policy_of({"max": "9", "sensitivity": cost}).gates.disclosure, table, {})
    together = publish_form(table, np.array([0, 0]), "t", ("income",))
    apart = publish_form(table, np.array([0, 0]), "t", [name for name in table.sensitive if name != "income"])
    assert (attacker.threat(together).risk.max, attacker.threat(apart).risk.max) == (7 / 2, 1 / 2)


def test_a_loss_of_nothing_stays_nothing_under_an_infinite_weight() -> None:
    """0·∞ = 0: who minds nothing, and who has nothing to hide, cost nothing."""
    table = tables_of([(20, "a", ("flu",), 1.0), (20, "a", ("flu",), None), (20, "a", ("flu",), 3.0)])
    published = publish_form(table, np.array([0, 0, 0]), "t", ("income",))
    policy = policy_of({"max": "9", "sensitivity": {"form": "additive", "weights": {"income": ".inf"}}})
    (attacker,) = attackers_of(policy.gates.disclosure, table, {}, OwnWeights(np.array([0.0, 1.0, 1.0])))
    assert attacker.threat(published, np.arange(3)).risk.per_record.tolist() == [0.0, 0.0, math.inf]


def test_without_a_sensitivity_every_record_costs_one() -> None:
    assert sensitivity_of(None).of({"x": np.array([True, False])}, 2).tolist() == [1.0, 1.0]
    counted = SensitivityKey.model_validate({"form": "additive", "weights": {"x": "0.5"}})
    assert sensitivity_of(counted).of({"x": np.array([True, False])}, 2).tolist() == [0.5, 0.0]
