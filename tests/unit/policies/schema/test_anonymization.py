"""How tables are chosen and grouped: keys that belong to one method, and promises that may be weakened."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError

from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.choice import METHODS
from headgate.methods.full_domain.full_domain_method import FullDomain
from headgate.methods.method import Method
from headgate.methods.mondrian.mondrian_method import Mondrian
from headgate.methods.xcolor.faithful_method import Faithful
from policies.schema.anonymization import Anonymize, DistanceKey, ProjectionKey, Relax, Suppress, SuppressCells
from policies.schema.loading import parse_policy
from tests.unit.policies.refused import Case, names_of, refusal, require_refused

BAD: list[Case] = [
    ("{method: codip*}", "{method: codip}", 13, ["projection.method", "'codip'", "did you mean codip*?"]),
    ("{method: codip*}", "{method: codip*, association_loss: 1.5}", 13, ["association_loss", "less than or equal to 1"]),
    ("{method: codip*}", "{method: given}", 13, ["without 'tables'"]),
    ("{method: codip*}", "{method: single, tables: [[income]]}", 13, ["only with method given"]),
    ("k: 3,", "k: 1,", 14, ["anonymize.k", "found '1'", "greater than or equal to 2"]),
    ("k: 3,", "k: '3',", 14, ["anonymize.k", "a whole number"]),
    ("k: 3,", "k: 2.5,", 14, ["anonymize.k", "found '2.5'"]),
    ("k: 3,", "k: true,", 14, ["anonymize.k", "found 'true'"]),
    ("k: 3,", "", 14, ["k", "required"]),
    ("epsilon: 0.1", "epsilon: -0.1", 14, ["anonymize.epsilon", "greater than or equal to 0"]),
    ("epsilon: 0.1", "epsilon: some", 14, ["anonymize.epsilon", "'some'", "a number"]),
    ("epsilon: 0.1", "epsilon: .nan", 14, ["anonymize.epsilon"]),
    ("delta: 0.5", "delta: 1.1", 14, ["anonymize.delta", "less than or equal to 1"]),
    (", delta: 0.5", "", 14, ["'epsilon' without 'delta'"]),
    ("k: 3,", "k: 3, method: xcolour,", 14, ["anonymize.method", "did you mean xcolor?"]),
    ("k: 3,", "k: 3, method: mondrian, variant: blocks,", 14, ["'variant' only with method xcolor"]),
    ("k: 3,", "k: 3, suppression: 0.1,", 14, ["'suppression' only with method full-domain"]),
    ("k: 3,", "k: 3, infeasible: ignore,", 14, ["infeasible", "{suppress: share of rows}"]),
    ("k: 3,", "k: 3, infeasible: {suppress: 2},", 14, ["infeasible.suppress", "less than or equal to 1"]),
    ("k: 3,", "k: 3, infeasible: {relax: 0.9},", 14, ["relax", "at most delta, 0.5"]),
    ("k: 3,", "k: 3, each: {income: {epsilon: 0, delta: 0.8}}, infeasible: {relax: 0.7},", 14, ["relax", "at most delta, 0.5"]),
    (
        "epsilon: 0.1, delta: 0.5}",
        "each: {income: {epsilon: 0, delta: 0.8}}, infeasible: {relax: 0.7}}",
        14,
        ["without a δ to relax", "epsilon and delta"],
    ),
    ("k: 3,", "k: 3, distance: {p: 0.5},", 14, ["distance.p", "greater than or equal to 1"]),
    ("k: 3,", "k: 3, distance: {combine: max},", 14, ["distance.combine", "lp or min"]),
    ("k: 3,", "k: 3, distance: {callable: os.system},", 14, ["distance.callable"]),
    ("k: 3,", "k: 3, distance: {callable: 'mine:f', p: 2},", 14, ["a callable alone"]),
]


@pytest.mark.parametrize("case", BAD, ids=names_of(BAD))
def test_what_cannot_be_meant_is_refused_in_its_place(small: str, case: Case) -> None:
    require_refused(small, case)


def anonymize(**keys: Any) -> Anonymize:
    return Anonymize.model_validate({"k": 3, **keys})


def test_forms_of_infeasible_keep_their_meaning() -> None:
    assert anonymize().infeasible == anonymize(infeasible="fail").infeasible == "fail"
    assert anonymize(infeasible={"suppress": "0.01"}).infeasible == Suppress(suppress=Decimal("0.01"))
    assert anonymize(epsilon="0.1", delta="0.5", infeasible={"relax": "0.50"}).infeasible == Relax(relax=Decimal("0.5"))


@pytest.mark.parametrize(
    ("keys", "method"),
    [
        ({}, Blocks()),
        ({"variant": "blocks"}, Blocks()),
        ({"variant": "faithful"}, Faithful()),
        ({"method": "mondrian"}, Mondrian()),
        ({"method": "mondrian", "strict": False}, Mondrian(strict=False)),
        ({"method": "full-domain", "objective": "arx"}, FullDomain("arx")),
    ],
)
def test_the_method_of_the_science_with_its_options(keys: dict[str, Any], method: Method) -> None:
    assert anonymize(**keys).chosen == method


@pytest.mark.parametrize("method", sorted({method.key for method in METHODS}))
@pytest.mark.parametrize(
    ("key", "value", "owner"),
    [
        ("variant", "faithful", "xcolor"),
        ("strict", False, "mondrian"),
        ("objective", "arx", "full-domain"),
        ("suppression", "0.1", "full-domain"),
    ],
)
def test_a_key_of_another_method_is_refused(method: str, key: str, value: Any, owner: str) -> None:
    if method == owner:
        assert getattr(anonymize(method=method, **{key: value}), key) is not None
    else:
        with pytest.raises(ValueError, match=f"'{key}' only with method {owner}"):
            anonymize(method=method, **{key: value})


def test_full_domain_suppresses_by_a_share_of_its_own() -> None:
    with pytest.raises(ValueError, match="'suppression', a share of the rows"):
        anonymize(method="full-domain", infeasible={"suppress": "0.1"})


def test_strict_belongs_to_mondrian(small: str) -> None:
    for keys in ("strict: true,", "method: xcolor, strict: false,"):
        assert "'strict' only with method mondrian" in refusal(small.replace("k: 3,", f"k: 3, {keys}")).message


def test_delta_is_relaxed_at_most_to_itself(small: str) -> None:
    assert anonymize(epsilon="0", delta="0.5", infeasible={"relax": "0.5"}).infeasible == Relax(relax=Decimal("0.5"))
    parse_policy(small.replace("k: 3,", "k: 3, infeasible: {relax: 0.5},"), "small.yaml")


def test_tables_are_given_with_the_method_given_and_only_there() -> None:
    assert ProjectionKey.model_validate({"method": "given", "tables": [["a"], ["b", "c"]]}).tables == (("a",), ("b", "c"))
    for keys in ({"method": "given"}, {"method": "optimal", "tables": [["a"]]}, {"method": "given", "tables": []}):
        with pytest.raises(ValidationError):
            ProjectionKey.model_validate(keys)


def test_a_callable_is_a_distance_of_its_own() -> None:
    assert DistanceKey.model_validate({"callable": "mine.own:between"}).callable == "mine.own:between"
    assert DistanceKey.model_validate({"combine": "lp", "p": 2}).p == 2
    for keys in ({"callable": "m:f", "combine": "lp"}, {"combine": "min", "p": 2}, {"callable": "m:f.g"}, {"callable": "os; rm:f"}):
        with pytest.raises(ValidationError):
            DistanceKey.model_validate(keys)


def test_at_least_one_cell_of_a_record_stays() -> None:
    assert SuppressCells.model_validate({"keep": 1}).dictionary == "source"
    for keys in ({"keep": 0}, {}, {"keep": 2, "among": ["age", "age"]}):
        with pytest.raises(ValidationError):
            SuppressCells.model_validate(keys)
