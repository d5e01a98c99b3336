"""What is said beside the gate: which single step would be enough, or helps most, and how the risk is spread."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Table
from headgate.core.encode import encode_table
from headgate.core.published_form.published_table import PublishedTable, publish_form
from headgate.risk.candidates.consistency import encode_dictionary
from headgate.risk.disclosure.decision import risk_distribution
from policies.attackers.attacker import OwnWeights, attackers_of, threats
from policies.gates.disclosure_key import DisclosureKey
from policies.gates.verdict import Comparison, Verdict
from policies.judging.exposure import AttributeChange, Exposure, exposures, with_cures
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.schema.requirements import Gates
from policies.sealed.specs import column_specs, promise_of

TEXT = """\
schema: 1
dataset: clinic
source: {kind: csv, path: clinic.csv}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 100]}
  zip: {role: quasi, kind: category}
  region: {role: quasi, kind: category, hierarchy: region.csv}
  income: {role: sensitive, kind: number, domain: [0, 1000]}
anonymize: {k: 2}
gates: {linkability: 1}
publish: {to: clinic}
"""
REGIONS = (("north-a", "north", "*"), ("north-b", "north", "*"), ("south-a", "south", "*"), ("south-b", "south", "*"))
DROP = "To suppress an attribute, give it role: dropped and take it out of the gate."
WRITE = "To make an attribute coarser, write coarser cells in the source."
WITHOUT = f"For this table, one step is enough: suppress region. {DROP}"
EITHER = f"For this table, one of these steps is enough: make region one step coarser; suppress region. {DROP} {WRITE}"
MOST = "No single step is enough; the one that helps most: "
GATES = Gates(linkability=Decimal(1), disclosure=DisclosureKey(max=Decimal("0.5")))
NOW = AttributeChange("as it is", 1.0, 1.0, None, 1.0, False)
ROWS = [(20, "a", "north-a", 1.0), (20, "a", "north-b", 2.0), (20, "a", "south-a", 3.0), (20, "a", "south-b", 4.0)]


def refused(dictionary: str, table: str) -> Verdict:
    return Verdict(
        gate="disclosure",
        table=table,
        dictionary=dictionary,
        bound="max",
        comparison=Comparison.AT_MOST,
        measured=1.0,
        required=0.5,
        passed=False,
        remedy="As it was.",
    )


def policy_of(gate: Mapping[str, Any]) -> Policy:
    policy = parse_policy(TEXT, "p")
    return policy.model_copy(update={"gates": policy.gates.model_copy(update={"disclosure": DisclosureKey.model_validate(gate)})})


@pytest.fixture
def table() -> Table:
    frame = pd.DataFrame(ROWS, columns=["age", "zip", "region", "income"])
    return encode_table(frame, column_specs(parse_policy(TEXT, "p"), {"region": REGIONS}))


@pytest.fixture
def published(table: Table) -> PublishedTable:
    """Each one is in a group of his own: |ρ| = 1, and 2 where regions are one step coarser, 4 without them."""
    return publish_form(table, np.arange(4), "table-1", ("income",))


def cured(gate: Mapping[str, Any], table: Table, published: PublishedTable, register: Any = None) -> dict[str, Verdict]:
    policy = policy_of(gate)
    promise = promise_of(policy, table)
    attackers = attackers_of(policy.gates.disclosure, table, {} if register is None else {"register": register})
    verdicts = judge(promise, [measure_table(promise, published, threats(attackers, published))])
    wanted = policy.gates.disclosure
    assert wanted is not None
    gates = Gates(linkability=Decimal(1), disclosure=wanted)
    after = with_cures(verdicts, exposures(published, threats(attackers, published), gates), gates)
    assert [verdict.model_copy(update={"remedy": ""}) for verdict in after] == [
        verdict.model_copy(update={"remedy": ""}) for verdict in verdicts
    ]
    return {verdict.name: verdict for verdict in after}


@pytest.mark.parametrize(
    ("gate", "bound", "sentence"),
    [
        (
            {"max": "0.5"},
            "max",
            EITHER,
        ),
        (
            {"mean": "0.5"},
            "mean",
            EITHER,
        ),
        ({"max": "0.49"}, "max", WITHOUT),
        (
            {"min_candidates": 4},
            "candidates",
            WITHOUT,
        ),
        (
            {"min_candidates": 5},
            "candidates",
            f"{MOST}suppress region (candidates would be 4).",
        ),
        ({"max": "0.2"}, "max", "No single step is enough; the one that helps most: suppress region (max would be 0.25)."),
        ({"mean": "0.2", "max": "1"}, "mean", "No single step is enough; the one that helps most: suppress region (mean would be 0.25)."),
        (
            {"share": {"above": "0.3", "at_most": "0"}},
            "share",
            WITHOUT,
        ),
        (
            {"share": {"above": "0.2", "at_most": "0.5"}},
            "share",
            "No single step is enough; the one that helps most: make age one step coarser (share would be 1).",
        ),
    ],
)
def test_the_remedy_names_the_steps_that_are_enough_or_else_the_nearest(
    gate: Mapping[str, Any], bound: str, sentence: str, table: Table, published: PublishedTable
) -> None:
    verdict = cured(gate, table, published)[f"disclosure.{bound} against source"]
    assert not verdict.passed
    assert verdict.remedy.startswith(sentence + " ")
    way = "lower gates.disclosure.min_candidates" if bound == "candidates" else f"higher gates.disclosure.{bound}"
    assert verdict.remedy.endswith(f"accept a {way}." if bound != "share" else "higher gates.disclosure.share.at_most.")


def test_a_step_is_enough_only_if_it_keeps_every_bound_on_the_dictionary(table: Table, published: PublishedTable) -> None:
    verdicts = cured({"max": "0.5", "min_candidates": 3}, table, published)
    for bound in ("max", "candidates"):
        assert verdicts[f"disclosure.{bound} against source"].remedy.startswith(WITHOUT)


def test_what_holds_and_what_is_no_disclosure_gets_no_other_remedy(table: Table, published: PublishedTable) -> None:
    verdicts = cured({"max": "1", "min_candidates": 9}, table, published)
    assert verdicts["disclosure.max against source"].remedy == ""
    assert not verdicts["k"].passed
    assert verdicts["k"].remedy.startswith("Raise anonymize.k, or")


def test_each_table_and_dictionary_has_a_cure_of_its_own(table: Table, published: PublishedTable) -> None:
    """A register of the young by age and zip: who is 20 is one of three there."""
    register = encode_dictionary(pd.DataFrame({"age": [20, 20, 20, 25], "zip": list("aaab")}), table.columns, ("age", "zip"))
    found = [{"name": "register", "path": "r.csv", "on": ["age", "zip"]}, {"source": True, "on": ["region"]}]
    verdicts = cured({"min_candidates": 4, "dictionaries": found}, table, published, register)
    assert verdicts["disclosure.candidates against source"].remedy.startswith(
        f"Against 'source' alone, one step is enough: suppress region. Another bound on this table would still be broken. {DROP} "
    )
    assert verdicts["disclosure.candidates against register"].remedy.startswith(
        "No single step is enough; the one that helps most: make age one step "
    )
    verdict = refused("source", "table-2")
    known = Exposure(
        "table-1", "source", ("age",), risk_distribution(np.ones(1)), NOW, (AttributeChange("suppress age", 0.1, 0.1, None, 9.0, True),)
    )
    assert with_cures([verdict], [known], GATES) == (verdict,)
    assert with_cures([verdict.model_copy(update={"table": "table-1"})], [known], GATES)[0].remedy == (
        f"For this table, one step is enough: suppress age. {DROP} As it was."
    )


def test_two_steps_read_as_two() -> None:
    steps = tuple(AttributeChange(change, 0.1, 0.1, None, 9.0, True) for change in ("suppress age", "make region one step coarser"))
    known = Exposure("t", "a.b: c", ("age",), risk_distribution(np.ones(1)), NOW, steps)  # a name with dots and a colon
    verdict = refused("a.b: c", "t")
    assert with_cures([verdict], [known], GATES)[0].remedy == (
        f"For this table, one of these steps is enough: suppress age; make region one step coarser. {DROP} {WRITE} As it was."
    )


def test_an_infinite_risk_is_cured_by_what_forbids_it(table: Table, published: PublishedTable) -> None:
    gate = {"max": "1", "sensitivity": {"form": "additive", "weights": {"income": ".inf", "zip": "1"}}}
    verdict = cured(gate, table, published)["disclosure.max against source"]
    assert verdict.measured is None
    assert verdict.remedy.startswith(f"For this table, one step is enough: suppress income. {DROP} The loss is infinite")


def test_a_dictionary_that_fits_nobody_is_not_cured_by_a_step(table: Table, published: PublishedTable) -> None:
    """Without its ages, which it writes otherwise, it would fit; that makes it no better dictionary."""
    register = encode_dictionary(pd.DataFrame({"age": [1920, 1930], "zip": ["a", "a"]}), table.columns, ("age", "zip"))
    verdicts = cured(
        {"max": "1", "dictionaries": [{"name": "register", "path": "r.csv", "on": ["age", "zip"]}]}, table, published, register
    )
    remedy = verdicts["disclosure.max against register"].remedy
    assert "enough" not in remedy
    assert "helps most" not in remedy
    assert remedy.startswith("Nobody in 'register' matches any record")


def test_with_priors_no_step_need_keep_the_mean_of_a_single_dictionary(table: Table, published: PublishedTable) -> None:
    gate = {"mean": "0.1", "max": "0.5", "dictionaries": [{"source": True, "prior": "1"}]}
    verdicts = cured(gate, table, published)
    assert verdicts["disclosure.max against source"].remedy.startswith(
        "Against 'source' alone, one of these steps is enough: make region one step coarser; suppress region. Another bound "
    )
    assert verdicts["disclosure.mean against prior"].remedy.startswith(
        "No single step is enough; the one that helps most: suppress region (mean would be 0.25)."
    )


def test_with_priors_a_step_must_keep_the_expected_mean_too(table: Table, published: PublishedTable) -> None:
    """Without its regions the source finds one of four instead of one of one; the register, which has no regions, one of four before."""
    register = encode_dictionary(pd.DataFrame({"age": [20] * 4}), table.columns, ("age",))
    found = [
        {"name": "register", "path": "r.csv", "on": ["age"], "prior": "0.5"},
        {"source": True, "on": ["age", "zip", "region"], "prior": "0.5"},
    ]
    for mean, sentence in (
        ("0.375", "For this table, one of these steps is enough: make region one step"),
        ("0.25", "For this table, one step is enough: suppress region."),
        ("0.2", "(mean would be 0.25)"),
    ):
        verdicts = cured({"mean": mean, "dictionaries": found}, table, published, register)
        assert verdicts["disclosure.mean against prior"].measured == pytest.approx(0.5 * 0.25 + 0.5 * 1)
        assert sentence in verdicts["disclosure.mean against prior"].remedy


def test_what_weighs_infinitely_is_forbidden_whatever_is_asked(table: Table, published: PublishedTable) -> None:
    """A gate that asked for candidates only let it pass."""
    gate = {"min_candidates": 1, "sensitivity": {"form": "additive", "weights": {"income": ".inf"}}}
    verdict = cured(gate, table, published)["disclosure.max against source"]
    assert (verdict.measured, verdict.required, verdict.passed) == (None, None, False)
    assert "The loss is infinite" in verdict.remedy


def test_the_spread_is_that_of_the_records_as_their_people_weigh_them(table: Table) -> None:
    published = publish_form(table, np.array([0, 0, 1, 1]), "t", ("income",))
    policy = policy_of({"max": "9", "sensitivity": {"form": "additive", "weights": {"income": "2"}}})
    attackers = attackers_of(policy.gates.disclosure, table, {}, OwnWeights(np.array([0.0, 1.0, 4.0, 5.0])))
    wanted = policy.gates.disclosure
    assert wanted is not None
    (one,) = exposures(published, threats(attackers, published, np.arange(4)), Gates(linkability=Decimal(1), disclosure=wanted))
    assert (one.table, one.dictionary, one.fields) == ("t", "source", ("age", "zip", "region"))
    assert one.spread.quantiles == {0.5: 1.0, 0.9: 5.0, 0.99: 5.0, 1.0: 5.0}  # ℓ = 0, 1, 4 and 5
    assert {step.change: step.mean for step in one.steps}["suppress income"] == 0.0
    assert {step.change: step.max for step in one.steps}["suppress region"] == pytest.approx(10 / 4)
    assert one.personal
    (other,) = exposures(published, threats(attackers_of(wanted, table, {}), published), Gates(linkability=Decimal(1), disclosure=wanted))
    assert not other.personal
