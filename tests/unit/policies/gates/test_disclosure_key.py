"""What a policy may say of attackers and of cells to suppress; whatever else it says is refused with its line and what is accepted."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal

import pytest

from policies.gates.attackers import sensitivity_of
from policies.gates.disclosure_key import DisclosureKey, SensitivityKey
from policies.schema.anonymization import SuppressCells
from policies.schema.digest import policy_digest
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy, files_of
from tests.unit.policies.refused import refusal

REGISTER = "{path: r.csv, on: [age]}"
GATES = "gates: {linkability: 0.8}\n"


def with_gate(small: str, *lines: str) -> str:
    """The gate on lines of its own, from line 18 on: after `disclosure:` in line 17."""
    written = "".join(f"    {line}\n" for line in lines)
    return small.replace(GATES, f"gates:\n  linkability: 0.8\n  disclosure:\n{written}")


def gate_of(small: str, *lines: str) -> DisclosureKey:
    gate = parse_policy(with_gate(small, *lines), "small.yaml").gates.disclosure
    assert gate is not None
    return gate


def cost_of(small: str, *lines: str) -> SensitivityKey:
    cost = gate_of(small, "max: 1", "sensitivity:", *(f"  {line}" for line in lines)).sensitivity
    assert cost is not None
    return cost


def dictionaries(*written: str) -> tuple[str, ...]:
    return ("max: 1", "dictionaries:", *(f"  - {one}" for one in written))


def sensitivity(*written: str) -> tuple[str, ...]:
    return ("max: 1", "sensitivity:", *(f"  {one}" for one in written))


# The lines of the gate, the line of the file that the problem is reported on, and phrases of the message.
BAD: list[tuple[Sequence[str], int, list[str]]] = [
    (["dictionaries: []"], 17, ["without a bound", "min_candidates"]),
    (["share: {above: 0.1}"], 18, ["share: found nothing", "'at_most', which is required"]),
    (["share: {at_most: 0.1}"], 18, ["share: found nothing", "'above', which is required"]),
    (["share: {above: 0.1, at_most: 1.1}"], 18, ["share.at_most", "less than or equal to 1"]),
    (["share: {above: -1, at_most: 0}"], 18, ["share.above", "greater than or equal to 0"]),
    (["share: {above: .inf, at_most: 0}"], 18, ["share.above", "number"]),
    (["mean: -0.1"], 18, ["mean", "greater than or equal to 0"]),
    (["mean: .nan"], 18, ["mean", "number"]),
    (["max: .inf"], 18, ["max", "number"]),
    (["min_candidates: 0"], 18, ["min_candidates", "greater than or equal to 1"]),
    (["min_candidates: 2.5"], 18, ["min_candidates", "whole number"]),
    (["maximum: 1"], 18, ["unknown key", "did you mean max?"]),
    (dictionaries("{on: [age]}"), 20, ["without its content", "path: FILE"]),
    (dictionaries("{path: r.csv, marginals: m.csv, on: [age]}"), 20, ["path and marginals in one dictionary", "one of path: FILE"]),
    (dictionaries("{path: r.csv, sql: {url_env: DB, query: q}, source: true, on: [age]}"), 20, ["path and sql and source"]),
    (dictionaries("{source: false, on: [age]}"), 20, ["source", "'false'", "True"]),
    (dictionaries("{path: r.csv}"), 20, ["without shared attributes", "on: [attribute"]),
    (dictionaries("{path: r.csv, on: []}"), 20, ["on", "at least 1"]),
    (dictionaries("{path: r.csv, on: {}}"), 20, ["on", "no field"]),
    (dictionaries("{path: r.csv, on: age}"), 20, ["on", "'age'", "a list"]),
    (dictionaries("{path: r.csv, on: [age, age]}"), 20, ["on", "a list without repeated values"]),
    (dictionaries("{path: r.csv, on: {age: years, zip: years}}"), 20, ["on", "named twice", "a column of its own"]),
    (dictionaries("{path: r.csv, on: {age: ''}}"), 20, ["on.age", "at least 1 character"]),
    (dictionaries("{path: r.csv, on: [agge]}"), 20, ["'agge', which is not a quasi-identifier", "did you mean age?"]),
    (dictionaries("{path: r.csv, on: {agge: age}}"), 20, ["'agge', which is not a quasi-identifier"]),
    (dictionaries("{path: r.csv, on: [income]}"), 20, ["'income', which is not a quasi-identifier", "age or zip"]),
    (dictionaries("{source: true, on: {age: years}}"), 20, ["columns named for the source", "on: [attribute"]),
    (dictionaries("{source: true, key: person}"), 20, ["'key' with source", "only with path or sql"]),
    (dictionaries("{marginals: m.csv, on: [age], key: person}"), 20, ["'key' with marginals"]),
    (dictionaries("{marginals: m.csv, on: [zip], similar: {zip: 0.8}}"), 20, ["'similar' with marginals"]),
    (dictionaries("{path: r.csv, on: [age], individuals: 9}"), 20, ["'individuals' with path", "only with marginals"]),
    (dictionaries("{marginals: m.csv, on: [age], individuals: 0}"), 20, ["individuals", "greater than or equal to 1"]),
    (dictionaries("{marginals: m.csv, on: [age], individuals: 2.5}"), 20, ["individuals", "whole number"]),
    (dictionaries("{path: r.csv, on: [age], similar: {zip: 0.8}}"), 20, ["similar.zip", "'zip', which is not shared", "under 'on'"]),
    (dictionaries("{path: r.csv, on: [age], similar: {age: 0.8}}"), 20, ["similar.age", "which is of kind integer", "without a hier"]),
    (dictionaries("{path: r.csv, on: [zip], similar: {zip: 0}}"), 20, ["similar.zip", "greater than 0"]),
    (dictionaries("{path: r.csv, on: [zip], similar: {zip: 1.01}}"), 20, ["similar.zip", "less than or equal to 1"]),
    (dictionaries("{path: r.csv, on: [zip], similar: {zip: .nan}}"), 20, ["similar.zip", "number"]),
    (dictionaries("{sql: {query: select 1}, on: [age]}"), 20, ["sql: found nothing", "'url_env', which is required"]),
    (dictionaries("{sql: {url_env: 'db://u:p@h', query: select 1}, on: [age]}"), 20, ["url_env", "environment variable"]),
    (dictionaries(REGISTER, REGISTER), 19, ["two dictionaries with the same name", "a 'name' for each"]),
    (dictionaries(REGISTER, "{name: r.csv, marginals: m.csv, on: [age]}"), 19, ["two dictionaries with the same name"]),
    (dictionaries("{source: true}", "{name: source, path: r.csv, on: [age]}"), 19, ["two dictionaries with the same name"]),
    (dictionaries("{name: source, path: r.csv, on: [age]}"), 19, ["called 'source' that is not the source", "another name"]),
    (dictionaries("{name: prior, path: r.csv, on: [age]}"), 19, ["called 'prior'", "another name"]),
    (dictionaries("{path: r.csv, on: [age], prior: 1.1}"), 20, ["prior", "less than or equal to 1"]),
    (dictionaries("{path: r.csv, on: [age], prior: -0.1}"), 20, ["prior", "greater than or equal to 0"]),
    (["mean: 1", *dictionaries("{source: true, prior: 0.5}", REGISTER)], 20, ["a prior for 1 of 2", "a prior for each, or for none"]),
    (
        ["mean: 1", *dictionaries("{source: true, prior: 0.5}", "{path: r.csv, on: [age], prior: 0.4999999999}")],
        20,
        ["sum to 0.9999999999", "that sum to 1"],
    ),
    (dictionaries("{source: true, prior: 1}"), 19, ["priors without a bound that uses them", "mean: …"]),
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
def test_a_gate_that_cannot_be_meant_is_refused_in_its_place(small: str, lines: Sequence[str], line: int, phrases: list[str]) -> None:
    message = refusal(with_gate(small, *lines)).message
    for phrase in phrases:
        assert phrase in message, message
    assert re.search(rf"small\.yaml, line {line}, gates\.disclosure", message), message


@pytest.mark.parametrize(
    ("written", "line", "phrases"),
    [
        ("{keep: 0}", 17, ["suppress_cells.keep", "greater than or equal to 1"]),
        ("{keep: 1.5}", 17, ["suppress_cells.keep", "whole number"]),
        ("{among: [age]}", 17, ["keep", "required"]),
        ("{keep: 6}", 17, ["suppress_cells.keep", "6 of 5 attributes", "at most 5"]),
        ("{keep: 3, among: [age, zip]}", 17, ["suppress_cells.keep", "3 of 2 attributes", "at most 2"]),
        ("{keep: 1, among: []}", 17, ["suppress_cells.among", "at least 1"]),
        ("{keep: 1, among: [age, age]}", 17, ["suppress_cells.among", "a list without repeated values"]),
        ("{keep: 1, among: [age, ward]}", 17, ["suppress_cells.among", "'ward'", "quasi-identifier or sensitive"]),
        ("{keep: 1, among: [age, incom]}", 17, ["suppress_cells.among", "'incom'", "did you mean income?"]),
        ("{keep: 1, dictionary: register}", 17, ["suppress_cells.dictionary", "'register'", "source"]),
        ("{keep: 1, dictionary: tables}", 17, ["suppress_cells.dictionary", "'tables'", "source or r.csv"]),
        ("{keep: 1, dictionary: everybody}", 17, ["suppress_cells.dictionary", "'everybody'", "source or r.csv"]),
        ("{keep: 1, kept: 2}", 17, ["unknown key 'kept'", "did you mean keep?"]),
    ],
)
def test_cells_that_cannot_be_suppressed_so_are_refused(small: str, written: str, line: int, phrases: list[str]) -> None:
    others = "{name: tables, marginals: m.csv, on: [age]}, {name: everybody, source: true}"
    gate = f"disclosure: {{max: 1, dictionaries: [{REGISTER}, {others}]}}"
    text = small.replace(GATES, f"gates: {{linkability: 0.8, {gate}}}\n") + f"suppress_cells: {written}\n"
    message = refusal(text).message
    for phrase in phrases:
        assert phrase in message, message
    assert f"small.yaml, line {line}, " in message


def test_all_attributes_may_be_kept_and_a_register_chosen_by(small: str) -> None:
    text = with_gate(small, *dictionaries("{name: voters, path: r.csv, on: [age]}", "{source: true, name: everybody}"))
    assert parse_policy(text + "suppress_cells: {keep: 5}\n", "p").suppress_cells == SuppressCells(keep=5)
    chosen = parse_policy(text + "suppress_cells: {keep: 2, among: [age, income], dictionary: voters}\n", "p").suppress_cells
    assert chosen == SuppressCells(keep=2, among=("age", "income"), dictionary="voters")
    assert parse_policy(small, "p").suppress_cells is None
    for name in ("source", "voters"):
        parse_policy(text + f"suppress_cells: {{keep: 5, dictionary: {name}}}\n", "p")


def test_similar_texts_are_no_matter_of_hierarchies(small: str) -> None:
    text = with_gate(small, *dictionaries("{path: r.csv, on: [zip], similar: {zip: 0.8}}"))
    parse_policy(text, "p")
    tree = text.replace("zip: {role: quasi, kind: category}", "zip: {role: quasi, kind: category, hierarchy: z.csv}")
    assert "'zip', which has a hierarchy" in refusal(tree).message


def test_a_dictionary_is_called_by_its_name_or_by_what_it_is(small: str) -> None:
    gate = gate_of(
        small,
        *dictionaries(
            "{name: voters, path: v.csv, on: [age]}",
            "{path: r.csv, on: {age: years, zip: post code}}",
            "{marginals: m.csv, on: [zip], individuals: 900}",
            "{sql: {url_env: DB, query: select 1}, on: [age], key: id}",
            "{source: true}",
        ),
    )
    assert tuple(dictionary.called for dictionary in gate.all_dictionaries) == ("voters", "r.csv", "m.csv", "query DB", "source")
    assert gate.dictionaries[0].columns == {"age": "age"}
    assert gate.dictionaries[1].columns == {"age": "years", "zip": "post code"}
    assert gate.dictionaries[1].fields == ("age", "zip")
    assert (gate.dictionaries[4].fields, gate.by_prior) == ((), False)
    assert tuple(dictionary.called for dictionary in gate_of(small, "mean: 0.1").all_dictionaries) == ("source",)


@pytest.mark.parametrize(
    "priors", [("0.7", "0.2", "0.1"), ("0.1", "0.2", "0.70"), ("1", "0", "0"), ("0.3333333333", "0.3333333333", "0.3333333334")]
)
def test_priors_are_summed_as_they_are_written(small: str, priors: tuple[str, str, str]) -> None:
    """As floats 0.7 + 0.2 + 0.1 is less than 1."""
    written = [f"{{path: {place}.csv, on: [age], prior: {prior}}}" for place, prior in enumerate(priors)]
    assert gate_of(small, "mean: 1", *dictionaries(*written)[1:]).by_prior


@pytest.mark.parametrize("spelt", [".inf", ".Inf", "+.inf", "inf", "Infinity", "'.inf'"])
def test_an_infinite_weight_is_one_and_stays_one(small: str, spelt: str) -> None:
    cost = cost_of(small, f"weights: {{age: {spelt}, zip: 0.50}}")
    assert cost.weights == {"age": Decimal("Infinity"), "zip": Decimal("0.5")}
    assert cost.model_dump(mode="json")["weights"] == {"age": ".inf", "zip": "0.5"}
    assert SensitivityKey.model_validate_json(cost.model_dump_json()) == cost
    assert sensitivity_of(cost).weights == {"age": math.inf, "zip": 0.5}


def digest_of(text: str) -> str:
    policy = parse_policy(text, "small.yaml")
    return policy_digest(policy, {path: hashlib.sha256(path.encode()).hexdigest() for path in files_of(policy).values()})


def test_the_digest_tells_infinite_weights_from_finite_ones_and_not_from_each_other(small: str) -> None:
    digests = [digest_of(with_gate(small, *sensitivity(f"weights: {{age: {weight}}}"))) for weight in (".inf", "inf", "9", "9.0")]
    assert digests[0] == digests[1] != digests[2] == digests[3]


def test_a_policy_with_every_key_survives_json_and_back(small: str) -> None:
    text = with_gate(
        small,
        "mean: 0.1",
        "share: {above: 0.5, at_most: 0.01}",
        "min_candidates: 3",
        *dictionaries(
            "{path: r.csv, on: {age: years, zip: post}, key: id, similar: {zip: 0.85}, prior: 0.5}",
            "{marginals: m.csv, on: [zip], individuals: 900, prior: 0.25}",
            "{sql: {url_env: DB, query: select 1}, on: [age], prior: 0.25}",
        ),
        "sensitivity:",
        "  form: interactions",
        "  weights: {illness: .inf}",
        "  pairs: [{of: [age, income], weight: .inf}, {of: [zip, income], weight: 0.5}]",
        "  people: {path: p.csv, key: person}",
    )
    text += "suppress_cells: {keep: 2, dictionary: r.csv}\n"
    policy = parse_policy(text, "p")
    assert Policy.model_validate_json(policy.model_dump_json(by_alias=True)) == policy
    cost = policy.gates.disclosure.sensitivity if policy.gates.disclosure else None
    assert cost is not None
    assert sensitivity_of(cost).pairs == {("age", "income"): math.inf, ("zip", "income"): 0.5}
    assert cost.weighed == ("illness", "age", "income", "zip")
    assert set(files_of(policy).values()) == {"r.csv", "m.csv", "p.csv"}


@pytest.mark.parametrize("kind", ["path: r.csv, on: [age]", "marginals: r.csv, on: [age]"])
def test_another_register_is_another_policy_and_another_name_of_its_file_is_not(small: str, kind: str) -> None:
    text = with_gate(small, *dictionaries(f"{{name: one, {kind}}}"))
    policy, moved = parse_policy(text, "p"), parse_policy(text.replace("r.csv", "elsewhere/r.csv"), "p")
    one, other = ("1" * 64, "2" * 64)
    assert policy_digest(policy, {"r.csv": one}) == policy_digest(moved, {"elsewhere/r.csv": one})
    assert policy_digest(policy, {"r.csv": one}) != policy_digest(policy, {"r.csv": other})


def test_another_table_of_weights_or_another_query_is_another_policy(small: str, edited: Callable[..., Policy]) -> None:
    weighed = parse_policy(with_gate(small, *sensitivity("people: {path: p.csv, key: person}")), "p")
    assert policy_digest(weighed, {"p.csv": "1" * 64}) != policy_digest(weighed, {"p.csv": "2" * 64})
    asked = "gates: {linkability: 0.8, disclosure: {max: 1, dictionaries: [{sql: {url_env: DB, query: select 1}, on: [age]}]}}\n"
    assert digest_of(small.replace(GATES, asked)) != digest_of(small.replace(GATES, asked.replace("select 1", "select 2")))
    assert policy_digest(edited(), {}) != digest_of(small + "suppress_cells: {keep: 5}\n")
