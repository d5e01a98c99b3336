"""Numbers are rounded and coded before anything else sees them, and never for a few people alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import MISSING, Table
from headgate.core.encode import encode_table
from headgate.core.errors import InputRejected
from headgate.core.household_column import household_column
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.sealed.numbers import numbers_as_published, numbers_by_published_rows, numbers_not_as_promised
from policies.sealed.promise import PublishedAs
from policies.sealed.published_values import published_values
from policies.sealed.specs import column_specs, promise_of

TEXT = """\
schema: 1
dataset: people
source: {kind: csv, path: people.csv}
attributes:
  age:    {role: quasi, kind: integer}
  income: {role: sensitive, kind: number, domain: [0, 500000], publish_as: {round: 1000, top: 250000}, nonsensitive: [0]}
anonymize: {method: mondrian, k: 3}
gates: {linkability: 1}
publish: {to: people}
"""
INCOMES = [400.0, 501.0, 1500.0, 2500.0, None, 250400.0, 250600.0, 300000.0, 499999.0, 251000.0]


def people(how: str = "", incomes: list[float | None] = INCOMES) -> tuple[Policy, Table]:
    policy = parse_policy(TEXT.replace("{round: 1000, top: 250000}, nonsensitive: [0]", how) if how else TEXT, "p")
    specs = column_specs(policy)
    frame = pd.DataFrame({"age": range(len(incomes)), "income": pd.Series(incomes, dtype=object)})
    return policy, numbers_as_published(policy, encode_table(frame, specs), specs)


def cells(table: Table) -> list[float | None]:
    column = table["income"]
    return [None if code < 0 else float(column.values[code]) for code in column.codes]


def test_cells_domain_and_what_is_sensitive_follow() -> None:
    _, table = people()
    assert cells(table) == [0, 1000, 2000, 2000, None, 250000, 250000, 250000, 250000, 250000]
    column = table["income"]
    assert column.values.tolist() == [0, 1000, 2000, 250000]
    assert column.domain == (0, 250000)
    assert column.sensitive.tolist() == [False, True, True, True, True]


def test_fewer_than_k_people_beyond_a_bound_are_refused_with_the_share_that_would_do() -> None:
    with pytest.raises(InputRejected) as refused:
        people("{round: 1000, top: 300000}")
    assert refused.value.message == (
        "In 'income', 1 row lies above publish_as.top 300000; at least k = 3 must, since they are published as the bound."
    )
    assert "Write top: 0.5, " in refused.value.cure
    assert max(float(cell or 0) for cell in cells(people("{round: 1000, top: 0.5}")[1])) == 250000
    with pytest.raises(InputRejected, match=r"2 rows lie below publish_as.bottom 1500.*Write bottom: 0\.3"):
        people("{bottom: 1500}", [0, 501, *map(float, range(2000, 2008))])


def test_a_share_that_leaves_too_few_beyond_is_refused_too() -> None:
    with pytest.raises(InputRejected, match=r"0 rows lie above publish_as.top 0\.995.*Take top out"):
        people("{top: 0.995}", [1.0] * 10)
    with pytest.raises(InputRejected, match=r"0 rows lie above publish_as.top 0\.5.*Take top out"):
        people("{top: 0.5}", [None] * 10)
    with pytest.raises(InputRejected, match="the bottom is not below the top"):
        people("{top: 0.3, bottom: 10}", [float(number) for number in range(20)])


@pytest.mark.parametrize("key", ["top", "bottom"])
def test_a_share_is_the_same_from_either_end(key: str) -> None:
    incomes = [float(number) for number in range(0, 300, 3)]
    _, table = people(f"{{round: 10, {key}: {0.9 if key == 'top' else 0.1}}}", incomes)  # type: ignore[arg-type]
    rounded = [float(round(income / 10) * 10) for income in incomes]
    end = sorted(rounded)[89 if key == "top" else 10]
    expected = [min(income, end) if key == "top" else max(income, end) for income in rounded]
    assert cells(table) == expected


def test_the_promise_says_what_was_declared_and_what_a_share_became() -> None:
    policy, table = people("{round: 1000, top: 0.5}")
    promise = promise_of(policy, published_values(policy, table))
    assert promise.sensitive[0].published_as == PublishedAs(declared={"round": "1000", "top": "0.5"}, top=250000)
    assert promise.sensitive[0].domain == (0, 250000)
    assert list(numbers_not_as_promised(promise, {"income": table["income"]})) == []


def test_a_bound_from_the_data_that_no_published_row_holds_is_not_told() -> None:
    policy, table = people("{round: 1000, top: 0.5}")
    promise = promise_of(policy, published_values(policy, table.take(np.arange(4))))
    assert promise.sensitive[0].published_as == PublishedAs(declared={"round": "1000", "top": "0.5"})
    assert promise.sensitive[0].domain == (0, 500000)
    policy, table = people()
    declared = promise_of(policy, published_values(policy, table.take(np.arange(4)))).sensitive[0]
    assert declared.published_as == PublishedAs(declared={"round": "1000", "top": "250000"}, top=250000)


def test_a_share_is_resolved_on_the_cells_that_are_published_alone() -> None:
    """A cell that MinRisk took out is as little published as a row that is suppressed."""
    policy = parse_policy(TEXT.replace("{round: 1000, top: 250000}, nonsensitive: [0]", "{round: 10, top: 0.5}"), "p")
    specs = column_specs(policy)
    source = encode_table(pd.DataFrame({"age": range(20), "income": [float(10 * number) for number in range(20)]}), specs)
    rows, everybody = np.arange(14), np.arange(20)
    gone = replace(source["income"], codes=np.where(everybody < 3, MISSING, source["income"].codes).astype(np.int32))
    shown = replace(source, columns={**source.columns, "income": gone})

    def top(table: Table, published: np.ndarray) -> float:
        form = numbers_by_published_rows(policy, source, specs, table, published)["income"].number_form
        assert form is not None
        assert form.top is not None
        return float(form.top)

    assert [top(source, everybody), top(source, rows), top(shown, rows)] == [90, 60, 80]


@pytest.mark.parametrize(("income", "wrong"), [(1500.0, 1), (251000.0, 1), (249000.0, 0)])
def test_a_published_number_that_is_no_multiple_or_beyond_a_bound_is_found(income: float, wrong: int) -> None:
    policy, table = people()
    promise = promise_of(policy, table)
    frame = pd.DataFrame({"age": range(3), "income": pd.Series([1000.0, None, income])})
    column = encode_table(frame, column_specs(policy))["income"]
    assert list(numbers_not_as_promised(promise, {"income": column})) == ([("income", 1)] if wrong else [])


def test_whole_numbers_stay_whole() -> None:
    policy = parse_policy(TEXT.replace("kind: number", "kind: integer"), "p")
    specs = column_specs(policy)
    frame = pd.DataFrame({"age": range(4), "income": [1499, 260000, 270000, 280000]})
    column = numbers_as_published(policy, encode_table(frame, specs), specs)["income"]
    assert column.values.dtype == np.int64
    assert column.values.tolist() == [1000, 250000]


def surveyed(weights: list[object], how: str = "") -> tuple[Policy, Table]:
    policy = parse_policy(TEXT.replace("anonymize:", f"  wgt: {{role: weight, kind: number{how}}}\nanonymize:"), "p")
    specs = column_specs(policy)
    frame = pd.DataFrame({"age": range(len(INCOMES)), "income": pd.Series(INCOMES, dtype=object), "wgt": pd.Series(weights, dtype=object)})
    return policy, numbers_as_published(policy, encode_table(frame, specs), specs)


def test_weights_are_rounded_to_whole_people_or_as_the_policy_says() -> None:
    weights = [1.4, 2.5, 3.5, 10.0, 11.0, 12.6, 99.9, 7.0, 8.0, 9.0]
    _, table = surveyed(list(weights))
    assert table["wgt"].values[table["wgt"].codes].tolist() == [1, 2, 4, 10, 11, 13, 100, 7, 8, 9]
    policy, table = surveyed(list(weights), ", publish_as: {round: 0.5}")
    assert table["wgt"].values[table["wgt"].codes].tolist()[:2] == [1.5, 2.5]
    promise = promise_of(policy, table)
    assert promise.weight is not None
    assert (promise.weight.name, promise.weight.half_step, promise.insensitive) == ("wgt", 0.25, ("wgt",))


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (None, "is missing in 1 row"),
        (0.0, "is not a positive number in 1 row"),
        (-3.0, "is not a positive number in 1 row"),
        (0.4, "is rounded to 0 in 1 row"),
    ],
)
def test_a_row_that_would_stand_for_nobody_is_refused(first: float | None, said: str) -> None:
    with pytest.raises(InputRejected, match=f"The weight 'wgt' {said}"):
        surveyed([first, *[5.0] * 9])


def test_a_published_weight_that_is_not_rounded_as_promised_is_found() -> None:
    policy, table = surveyed([5.0] * 10, ", publish_as: {round: 5}")
    promise = promise_of(policy, table)
    texts = replace(table["wgt"], values=np.array(["7"], dtype=object))  # as a published column is read
    assert list(numbers_not_as_promised(promise, {"wgt": texts})) == [("wgt", 10)]
    assert list(numbers_not_as_promised(promise, {"wgt": replace(texts, values=np.array(["10"], dtype=object))})) == []


def families(weights: list[float], homes: list[int], how: str = "") -> Table:
    policy = parse_policy(
        TEXT.replace("anonymize:", f"  wgt: {{role: weight, kind: number{how}}}\n  hh: {{role: household}}\nanonymize:"), "p"
    )
    specs = column_specs(policy)
    frame = pd.DataFrame({"age": range(len(homes)), "income": pd.Series([1500.0] * (len(homes) - 4) + [300000.0] * 4), "wgt": weights})
    encoded = encode_table(frame, {name: spec for name, spec in specs.items() if name in frame})
    home = household_column("hh", np.array(homes, dtype=np.int32))
    return numbers_as_published(policy, replace(encoded, columns={**encoded.columns, "hh": home}, household="hh"), specs)


def test_a_weight_that_tells_who_lives_together_is_refused() -> None:
    """Each of three families has a weight of its own: no value occurs once, and yet every family could be put together again."""
    weights, homes = [120.0] * 5 + [130.0] * 4 + [170.0] * 3, [0] * 5 + [1] * 4 + [2] * 3
    how = ", publish_as: {round: %s}"
    with pytest.raises(InputRejected, match="100% of the rows have a weight 'wgt' that no other household has"):
        families(weights, homes, how % "10")
    assert families(weights, homes, f"{how % '10'}, unique: accepted").weight == "wgt"
    assert families(weights, homes, how % "100").weight == "wgt"
