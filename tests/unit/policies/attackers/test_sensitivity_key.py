"""What a policy may say of what people mind; whatever else it says is refused with its line and what is accepted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import pytest

from policies.attackers.attacker import sensitivity_of
from policies.attackers.sensitivity_key import SensitivityKey
from tests.unit.policies.attackers.gate_lines import (
    BadLines,
    check_refused,
    cost_of,
    digest_of,
    sensitivity,
    with_gate,
)

BAD: list[BadLines] = [
    (sensitivity("{}"), 19, ["no weight with form multiplicative", "at least one attribute"]),
    (sensitivity("weights: {age: -1}"), 20, ["weights.age", "'-1'", "greater than or equal to 0"]),
    (sensitivity("weights: {age: .nan}"), 20, ["weights.age", "'.nan'", "number"]),
    (sensitivity("weights: {age: nan}"), 20, ["weights.age", "number"]),
    (sensitivity("weights: {age: -.inf}"), 20, ["weights.age", "number"]),
    (sensitivity("weights: {age: much}"), 20, ["weights.age", "'much'", "number"]),
    (sensitivity("weights: {age: true}"), 20, ["weights.age", "number"]),
    (sensitivity("weights: {age: 1e31}"), 20, ["weights.age", "1e30"]),
    (sensitivity("weights: {agge: 1}"), 20, ["weights", "'agge', which is not published", "did you mean age?"]),
    (sensitivity("weights: {notes: 1}"), 20, ["'notes', which is not published"]),
    (sensitivity("weights: {person: 1}"), 20, ["'person', which is not published"]),
    (sensitivity("form: constant", "weights: {age: 1}"), 21, ["'weights' with form constant"]),
    (sensitivity("form: count", "weights: {age: 1}", "preference: notes"), 21, ["'weights' with form count"]),
    (sensitivity("form: count"), 20, ["form count without people's own weights", "preference: COLUMN"]),
    (sensitivity("form: constant", "preference: notes"), 20, ["people's own weights with form constant", "another form"]),
    (sensitivity("form: sum", "weights: {age: 1}"), 20, ["form", "'sum'", "constant, additive"]),
    (sensitivity("form: interactions", "weights: {age: 1}"), 19, ["no 'pairs' with form interactions"]),
    (sensitivity("weights: {age: 1}", "pairs: [{of: [age, zip], weight: 1}]"), 21, ["'pairs' with form multiplicative"]),
    (
        sensitivity("form: interactions", "weights: {age: 1}", "pairs: [{of: [age, age], weight: 1}]"),
        22,
        ["pairs.0.of", "an attribute with itself", "two attributes"],
    ),
    (
        sensitivity("form: interactions", "weights: {age: 1}", "pairs: [{of: [age, zip, ward], weight: 1}]"),
        22,
        ["pairs.0.of", "at most 2"],
    ),
    (sensitivity("form: interactions", "weights: {age: 1}", "pairs: [{of: [age], weight: 1}]"), 22, ["pairs.0.of", "2 values"]),
    (
        sensitivity("form: interactions", "weights: {age: 1}", "pairs: [{of: [age, zipp], weight: 1}]"),
        22,
        ["pairs", "'zipp', which is not published", "did you mean zip?"],
    ),
    (
        sensitivity("form: interactions", "weights: {age: 1}", "pairs: [{of: [age, zip], weight: -1}]"),
        22,
        ["pairs.0.weight", "greater than or equal to 0"],
    ),
    (sensitivity("weights: {age: 1}", "preference: income"), 21, ["preference", "'income'", "role: dropped: notes", "never published"]),
    (sensitivity("weights: {age: 1}", "preference: note"), 21, ["preference", "'note'", "did you mean notes?"]),
    (
        sensitivity("weights: {age: 1}", "people: {path: p.csv, key: age}"),
        21,
        ["people.key", "'age', which is not an identifier", "person"],
    ),
    (sensitivity("weights: {age: 1}", "people: {path: p.csv, key: persson}"), 21, ["people.key", "did you mean person?"]),
    (sensitivity("weights: {age: 1}", "people: {key: person}"), 21, ["people: found nothing", "'path', which is required"]),
    (
        sensitivity("weights: {age: 1}", "preference: notes", "people: {path: p.csv, key: person}"),
        21,
        ["'preference' beside 'people'", "one of them"],
    ),
]


@pytest.mark.parametrize(("lines", "line", "phrases"), BAD, ids=[" | ".join(case[0])[-70:] for case in BAD])
def test_a_sensitivity_that_cannot_be_meant_is_refused_in_its_place(
    small: str, lines: Sequence[str], line: int, phrases: list[str]
) -> None:
    check_refused(small, lines, line, phrases)


@pytest.mark.parametrize("spelt", [".inf", ".Inf", "+.inf", "inf", "Infinity", "'.inf'"])
def test_an_infinite_weight_is_one_and_stays_one(small: str, spelt: str) -> None:
    cost = cost_of(small, f"weights: {{age: {spelt}, zip: 0.50}}")
    assert cost.weights == {"age": Decimal("Infinity"), "zip": Decimal("0.5")}
    assert cost.model_dump(mode="json")["weights"] == {"age": ".inf", "zip": "0.5"}
    assert SensitivityKey.model_validate_json(cost.model_dump_json()) == cost
    assert sensitivity_of(cost).weights == {"age": math.inf, "zip": 0.5}


def test_the_digest_tells_infinite_weights_from_finite_ones_and_not_from_each_other(small: str) -> None:
    digests = [digest_of(with_gate(small, *sensitivity(f"weights: {{age: {weight}}}"))) for weight in (".inf", "inf", "9", "9.0")]
    assert digests[0] == digests[1] != digests[2] == digests[3]
