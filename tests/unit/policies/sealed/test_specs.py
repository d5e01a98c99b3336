"""A policy becomes column specs and a promise, and the promise is enough to read what was published."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Column, Kind, Role, Table
from headgate.core.computed_hierarchies import mask_hierarchy, widths_hierarchy
from headgate.core.encode import encode_column, encode_table
from headgate.core.errors import InputRejected, PolicyInvalid
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.published_table import publish_form
from headgate.utility.loss import information_loss
from policies.schema.loading import parse_policy
from policies.schema.policy import Policy
from policies.sealed.promise import Promise
from policies.sealed.specs import column_specs, domains_of, given_tables, insensitive_tables, needs_values, promise_of, specs_of
from tests.unit.claimed import proximity, required


def bits(origin: str, *values: str, rows: int = 4) -> dict[str, Column]:
    """Bitmap columns as the science publishes them: 0 is never sensitive here."""
    made = {}
    for value in values:
        codes = np.arange(rows, dtype=np.int32) % 2
        flags = np.array([False, value != "flu", value != "flu"])
        made[f"{origin}={value}"] = Column(
            f"{origin}={value}", Kind.CATEGORY, codes, np.array(["0", "1"], dtype=object), flags, origin=origin
        )
    return made


@pytest.fixture
def table(edited: Callable[..., Policy]) -> Table:
    frame = pd.DataFrame(
        {
            "age": [20, 21, 33, 34],
            "zip": ["10", "11", "20", "21"],
            "income": [1.5, 2, 3, None],
            "school": ["low", "high", "low", "low"],
            "ward": ["a"] * 4,
        }
    )
    specs = {name: spec for name, spec in column_specs(edited()).items() if name in frame}
    encoded = encode_table(frame, specs)
    return Table(
        {**encoded.columns, **bits("illness", "flu", "gout")},
        encoded.quasi,
        ("illness=flu", "illness=gout", *encoded.sensitive),
        encoded.insensitive,
    )


def test_specs_keep_the_order_roles_and_options_of_the_policy(edited: Callable[..., Policy]) -> None:
    specs = column_specs(edited(("nonsensitive: [flu]", "nonsensitive: [flu, null], absent: sensitive")))
    assert [spec.role for spec in specs.values()] == [
        Role.IDENTIFIER,
        *[Role.QUASI] * 2,
        *[Role.SENSITIVE] * 3,
        Role.INSENSITIVE,
        Role.DROPPED,
    ]
    assert specs["illness"].declared == ("flu", "gout")
    assert specs["illness"].nonsensitive == frozenset({"flu", None})
    assert specs["illness"].absent_sensitive
    assert specs["income"].domain == (0.0, 1000.0)
    assert specs["income"].weight == 2.0
    assert specs["school"].levels == ("low", "middle", "high")


def test_non_sensitive_numbers_and_days_are_those_of_the_data_however_they_are_spelt(edited: Callable[..., Policy]) -> None:
    income = column_specs(edited(("domain: [0, 1000], weight: 2", "nonsensitive: [0.50, 7.0]")))["income"]
    column = encode_column(pd.Series([0.5, 7, 8]), income)
    assert column.sensitive.tolist() == [False, False, True, True]
    born = column_specs(
        edited(("kind: number, domain: [0, 1000], weight: 2", "kind: date, nonsensitive: [1970-01-02], domain: [1970-01-01, 1970-01-31]"))
    )["income"]
    assert born.domain == (0.0, 30.0)
    assert encode_column(pd.Series(["1970-01-02", "1970-01-03"]), born).sensitive.tolist() == [False, True, True]


def test_code_lists_and_hierarchies_are_given_by_the_caller(example: str) -> None:
    policy = parse_policy(example, "p.yaml")
    specs = column_specs(policy, {"region": [("north", "*"), ("south", "*")]}, {"diagnosis": ["none", "A", "B"]})
    assert specs["diagnosis"].declared == ("none", "A", "B")
    assert isinstance(specs["region"].hierarchy, Hierarchy)
    with pytest.raises(InputRejected) as refusal:
        encode_column(pd.Series(["north", "east"]), specs["region"])
    assert refusal.value.cure == "Correct the data, or add a line for each to data/region.csv."
    assert specs["profile"].components == ("p1", "p2", "p3")
    assert specs["profile"].metric == "total-variation"
    with pytest.raises(InputRejected, match="was not read"):
        column_specs(policy, {}, {"diagnosis": ["none"]})
    with pytest.raises(InputRejected, match="code list"):
        column_specs(policy, {"region": [("north", "*")]}, {"diagnosis": ["A", "A"]})
    with pytest.raises(PolicyInvalid, match="nonsensitive"):
        column_specs(policy, {"region": [("north", "*")]}, {"diagnosis": ["A", "B"]})


def test_widths_make_intervals_over_the_numbers_present(edited: Callable[..., Policy]) -> None:
    assert widths_hierarchy([23, "20", 30.0, None, -1], [5, 10], "age") == [
        ("-1", "[-5..-1]", "[-10..-1]", "*"),
        ("20", "[20..24]", "[20..29]", "*"),
        ("23", "[20..24]", "[20..29]", "*"),
        ("30", "[30..34]", "[30..39]", "*"),
    ]
    policy = edited(("kind: integer}", "kind: integer, hierarchy: {widths: [5, 10]}}"))
    assert needs_values(policy) == ("age",)
    with pytest.raises(InputRejected, match="built from its values"):
        column_specs(policy)
    column = encode_column(pd.Series([23, 20, 30]), column_specs(policy, present={"age": [23, 20, 30]})["age"])
    assert column.hierarchy is not None
    assert column.hierarchy.labels[column.codes[0]].tolist() == ["23", "[20..24]", "[20..29]", "*"]
    with pytest.raises(InputRejected, match="not a whole number"):
        widths_hierarchy(["20", "x"], [5], "age")


def test_widths_of_a_date_are_bands_of_years_that_need_no_values(edited: Callable[..., Policy]) -> None:
    policy = edited(("age: {role: quasi, kind: integer}", "age: {role: quasi, kind: date, hierarchy: {widths: [4, 20]}}"))
    assert needs_values(policy) == ()
    frame = pd.DataFrame({"age": ["1983-05-01", "1980-12-31", "1984-01-01"]})
    table = encode_table(frame, {"age": column_specs(policy)["age"]})
    published = publish_form(table, np.array([0, 0, 1]), "t", ())
    assert published.cells["age"].texts[published.cells["age"].codes].tolist() == ["[1980..1983]", "[1980..1983]", "1984-01-01"]
    promise = promise_of(policy, table)
    assert promise.quasi[0].hierarchy == ()
    assert information_loss(published, domains_of(promise)).ncp == pytest.approx(information_loss(published, table.columns).ncp)


def test_a_mask_hides_one_more_character_a_level() -> None:
    assert mask_hierarchy(["20121", "20133", None, float("nan"), " "], 2, "zip") == [
        ("20121", "2012*", "201**", "*"),
        ("20133", "2013*", "201**", "*"),
    ]
    Hierarchy.from_rows(mask_hierarchy(["123", "12", "1299"], 1, "zip"), "zip")
    with pytest.raises(InputRejected, match="hides the whole"):
        mask_hierarchy(["123", "12"], 2, "zip")
    with pytest.raises(InputRejected, match=r"with a \*"):
        mask_hierarchy(["12*"], 1, "zip")


def test_a_promise_speaks_of_published_columns(edited: Callable[..., Policy], table: Table) -> None:
    policy = edited(
        ("delta: 0.5}", "delta: 0.50, each: {illness: {epsilon: 0, delta: 0.3}}}"),
        (
            "linkability: 0.8",
            "linkability: 0.80, closeness: 0.5, distinct_l: {illness: 2, school: 2}, delta_l: {income: {interval: 10, l: 2}}",
        ),
    )
    promise = promise_of(policy, table)
    assert promise.k == 3
    alone = (proximity("0", "0.3", "illness=flu"), proximity("0", "0.3", "illness=gout"))
    assert promise.of("dissimilarity") == (proximity("0.1", "0.5"), *alone)
    assert promise.of("linkability") == (required("linkability", "0.8"),)
    # A number leaves bitmap columns out.
    assert promise.of("closeness") == (required("closeness", "0.5", "income"), required("closeness", "0.5", "school"))
    assert promise.of("distinct_l") == tuple(required("distinct_l", 2, name) for name in ("illness=flu", "illness=gout", "school"))
    assert promise.of("delta_l") == (required("delta_l", 2, "income", interval="10"),)
    assert [attribute.name for attribute in promise.sensitive] == list(table.sensitive)
    flu = promise.sensitive[0]
    assert (flu.origin, flu.declared, flu.nonsensitive) == ("illness", ("0", "1"), ("0", "1", None))
    assert promise.sensitive[1].nonsensitive == ("0",)
    assert [quasi.values for quasi in promise.quasi] == [(), ("10", "11", "20", "21")]
    assert Promise.model_validate_json(promise.model_dump_json()) == promise


def test_a_promise_alone_reads_the_sensitive_columns_again(edited: Callable[..., Policy], table: Table) -> None:
    promise = promise_of(edited(), table)
    specs = specs_of(Promise.model_validate_json(promise.model_dump_json()))
    published = {"illness=flu": ["0", "1"], "illness=gout": ["1", "0"], "income": ["2", None], "school": ["low", "high"]}
    for name, cells in published.items():
        again, before = encode_column(pd.Series(cells, dtype=object), specs[name]), table[name]
        assert (again.kind, again.domain, again.weight) == (before.kind, before.domain, before.weight)
    assert specs["illness=gout"].nonsensitive == frozenset({"0"})


def test_domains_of_a_promise_are_those_of_the_table(edited: Callable[..., Policy], table: Table) -> None:
    for name, domain in domains_of(promise_of(edited(), table)).items():
        assert (domain.kind, domain.width) == (table[name].kind, table[name].width)
        assert domain.kind.numeric or domain.values.tolist() == table[name].values.tolist()


def test_given_tables_are_complete_and_disjoint_over_the_published_columns(edited: Callable[..., Policy], table: Table) -> None:
    policy = edited(("{method: codip*}", "{method: given, tables: [[illness], [income, school]]}"))
    assert given_tables(policy, table) == (("illness=flu", "illness=gout"), ("income", "school"))
    policy = edited(
        ("values: [flu, gout], nonsensitive: [flu]", "values: codes.csv"),
        ("{method: codip*}", "{method: given, tables: [['illness=flu'], [income, school]]}"),
    )
    with pytest.raises(PolicyInvalid, match="leaves 1 of 4"):
        given_tables(policy, table)
    policy = edited(
        ("values: [flu, gout], nonsensitive: [flu]", "values: codes.csv"),
        ("{method: codip*}", "{method: given, tables: [['illness=cold'], [income, school]]}"),
    )
    with pytest.raises(PolicyInvalid, match="illness=cold"):
        given_tables(policy, table)


def test_insensitive_attributes_go_to_one_table(edited: Callable[..., Policy]) -> None:
    assert insensitive_tables(edited(), 2) == (("ward",), ())
    policy = edited(("ward: {role: insensitive, kind: category}", "ward: {role: insensitive, kind: category, table: 2}"))
    assert insensitive_tables(policy, 2) == ((), ("ward",))
    with pytest.raises(PolicyInvalid, match="has 1 tables"):
        insensitive_tables(policy, 1)


def test_a_promise_does_not_name_the_values_that_a_hierarchy_was_made_from(edited: Callable[..., Policy]) -> None:
    """Widths and masks are built over the values present, and the published manifest listed them all as leaves: beside a cell [20..24] it
    said that nobody is 20, 21 or 24. What is measured from the promise alone is what is measured from the table."""
    policy = edited(
        ("kind: integer}", "kind: integer, domain: [0, 99], hierarchy: {widths: [5, 10]}}"),
        ("zip: {role: quasi, kind: category}", "zip: {role: quasi, kind: category, hierarchy: {mask: 1}}"),
    )
    frame = pd.DataFrame({"age": [22, 23, 37, 38], "zip": ["107", "109", "213", "213"]})
    specs = {name: spec for name, spec in column_specs(policy, present=frame.to_dict("list")).items() if name in frame}
    encoded = encode_table(frame, specs)
    table = Table({**encoded.columns, **bits("illness", "flu", "gout")}, encoded.quasi, ("illness=flu", "illness=gout"))
    promise = promise_of(policy, table)
    told = promise.model_dump_json()
    assert not [value for value in ("22", "23", "37", "38", "107", "109", "213") if f'"{value}"' in told]
    assert [len(identifier.hierarchy[0]) for identifier in promise.quasi] == [4, 3]
    for groups in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 2, 2]):
        published = publish_form(table, np.array(groups), "t", table.sensitive)
        assert information_loss(published, domains_of(promise)).ncp == pytest.approx(information_loss(published, table.columns).ncp)


def test_uniqueness_is_accepted_column_by_column() -> None:
    text = """\
schema: 1
dataset: people
source: {kind: csv, path: people.csv}
attributes:
  age: {role: quasi, kind: integer}
  income: {role: sensitive, kind: number, unique: accepted}
  number: {role: insensitive, kind: category}
anonymize: {k: 2}
gates: {linkability: 1}
publish: {to: people}
"""
    policy = parse_policy(text, "p")
    frame = pd.DataFrame({name: range(4) for name in policy.attributes}).astype(str)
    promise = promise_of(policy, encode_table(frame, column_specs(policy)))
    assert promise.unique_accepted == ("income",)
    assert [(each.attribute, each.bound, each.required) for each in promise.of("uniqueness")] == [("number", "values", "0.9")]


@pytest.mark.parametrize("role", ["identifier", "dropped"])
def test_a_row_is_a_person_only_where_an_identifier_says_so(role: str) -> None:
    text = """\
schema: 1
dataset: visits
source: {kind: csv, path: visits.csv}
attributes:
  person: {role: ROLE}
  age: {role: quasi, kind: integer}
  income: {role: sensitive, kind: number}
anonymize: {k: 2}
gates: {linkability: 1}
publish: {to: visits}
""".replace("ROLE", role)
    policy = parse_policy(text, "p")
    frame = pd.DataFrame({name: [1, 2, 1, 2] for name in policy.attributes}).astype(str)
    assert promise_of(policy, encode_table(frame, column_specs(policy))).people_checked is (role == "identifier")
