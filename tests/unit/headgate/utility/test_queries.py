"""Count-query error against its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.published_form.published_table import from_frame, publish_form, to_frame
from headgate.utility import queries
from headgate.utility.queries import count_query_error
from tests.unit.headgate.utility.invented_people import SPECS, people


def estimate_by_hand(table: Table, groups: np.ndarray, query: list[tuple[str, int, int]], released: list[int]) -> tuple[float, int]:
    """Raw and estimated count of one query from the plain cells: fractions of the values that a group's cell stands for."""
    estimate, raw = 0.0, 0

    def domain(name: str) -> list[Any]:
        return list(range(10)) if name == "age" else table[name].values.tolist()

    def value(name: str, row: int) -> Any:
        code = table[name].codes[row]
        return None if code < 0 else table[name].values[code]

    for row in range(table.rows):
        raw += all(value(name, row) in domain(name)[a:b] for name, a, b in query)
    for row in released:
        share = 1.0
        mates = [other for other in released if groups[other] == groups[row]]
        for name, a, b in query:
            if name not in table.quasi:
                share *= value(name, row) in domain(name)[a:b]
                continue
            present = {value(name, mate) for mate in mates}
            some = {v for v in present if v is not None}
            gaps = any(value(name, other) is None for other in range(table.rows))
            if not some:
                stands: list[Any] = [None]
            elif len(present) == 1 or name == "eye":
                stands = list(present)
            elif None in present:
                stands = [*domain(name), None]
            elif name == "town":
                nodes = {v[0] for v in some}
                stands = [v for v in domain(name) if len(nodes) > 1 or v[0] in nodes] + ([None] if len(nodes) > 1 and gaps else [])
            else:
                stands = [v for v in domain(name) if min(some) <= v <= max(some)]
            share *= sum(v in domain(name)[a:b] for v in stands) / len(stands)
        estimate += share
    return estimate, raw


@pytest.mark.parametrize(("qd", "qs"), [(2, 1), (4, 2), (9, 9), (0, 2), (1, 0)])
def test_query_errors_are_those_of_the_definition(qd: int, qs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = people(60, 4)
    groups = (np.random.default_rng(2).permutation(60) // 6).astype(np.int32)
    groups[groups == 9] = -1
    published = publish_form(table, groups, "one", ("ill", "pay", "level"))
    drawn: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    draw = queries._draw

    def listen(*given: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        drawn.append(draw(*given))
        return drawn[-1]

    monkeypatch.setattr(queries, "_draw", listen)
    found = count_query_error(table, published, qd, qs, 0.3, 40, 11)
    names = [*table.quasi, "ill", "pay", "level"]
    released = [row for row in range(60) if groups[row] >= 0]
    wanted, redrawn = [], 0
    for chosen, low, high in drawn:
        for i in range(len(chosen)):
            query = [(names[a], int(x), int(y)) for a, x, y in zip(chosen[i], low[i], high[i], strict=True)]
            assert len({name for name, _, _ in query}) == len(query) == min(qd, 4) + min(qs, 3)
            for name, a, b in query:
                places = 10 if name == "age" else len(table[name].values)
                assert b - a == max(1, round(places * 0.3 ** (1 / len(query))))
                assert 0 <= a < b <= places
            estimate, raw = estimate_by_hand(table, groups, query, released)
            if raw:
                wanted.append(abs(estimate - raw) / raw)
            else:
                redrawn += 1
    assert found.errors.tolist() == pytest.approx(wanted)
    assert (found.mean, found.median, found.redrawn) == pytest.approx((np.mean(wanted), np.median(wanted), redrawn))


def test_many_values_and_many_rows_give_the_errors_of_looking_at_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of which no two rows share one, more rows than fit into a few words, groups that are no multiple of anything."""
    rng = np.random.default_rng(8)
    rows = 1500
    frame = pd.DataFrame({"age": rng.integers(0, 10, rows), "size": rng.random(rows), "pay": rng.lognormal(9, 1, rows), "ill": "none"})
    table = encode_table(frame, {name: SPECS[name] for name in frame})
    groups = np.minimum(rng.permutation(rows) // 7, 210).astype(np.int32)
    groups[rng.random(rows) < 0.1] = -1
    groups = (np.unique(groups, return_inverse=True)[1] - 1).astype(np.int32)
    published = publish_form(table, groups, "one", ("pay", "ill"))
    drawn: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    draw = queries._draw
    monkeypatch.setattr(queries, "_draw", lambda *given: drawn.append(draw(*given)) or drawn[-1])
    found = count_query_error(table, published, 2, 1, 0.002, 150, 5)
    place = {name: frame[name].rank(method="dense").to_numpy() - 1 for name in ("size", "pay", "ill")} | {"age": frame["age"].to_numpy()}
    names, kept = ["age", "size", "pay", "ill"], groups >= 0
    spans = {name: pd.Series(place[name][kept]).groupby(groups[kept]).agg(["min", "max"]) for name in ("age", "size")}
    wanted, redrawn = [], 0
    for chosen, lows, highs in (one for batch in drawn for one in zip(*batch, strict=True)):
        query = {names[i]: (a, b) for i, a, b in zip(chosen, lows, highs, strict=True)}
        inside = {name: (place[name] >= a) & (place[name] < b) for name, (a, b) in query.items()}
        raw = np.logical_and.reduce(list(inside.values())).sum()
        weight = np.logical_and.reduce([inside[name] for name in inside if name in ("pay", "ill")])[kept].astype(float)
        for name, (a, b) in query.items():
            if name in spans:
                low, high = spans[name]["min"].to_numpy()[groups[kept]], spans[name]["max"].to_numpy()[groups[kept]]
                weight *= np.maximum(np.minimum(b - 1, high) - np.maximum(a, low) + 1, 0) / (high - low + 1)
        if raw:
            wanted.append(abs(weight.sum() - raw) / raw)
        redrawn += raw == 0
    assert found.errors.tolist() == pytest.approx(wanted)
    assert found.redrawn == redrawn > 0


def test_a_seed_asks_the_same_queries_for_ever() -> None:
    """Measured by the implementation that counted row by row; a published error must be the same when it is measured again."""
    table = people(500, 4)
    found = count_query_error(table, publish_form(table, np.arange(500) // 7, "one", ("ill", "pay", "level")), 3, 1, 0.1, 200, 11)
    assert (found.mean, found.median, found.redrawn) == pytest.approx((0.14422345192090066, 0.12364860008818374, 0))


def test_an_integer_with_a_domain_of_a_billion_places_can_be_asked_about() -> None:
    table = people(100, 2, gaps=False)
    spec = ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 10**12))
    wide = encode_table(
        pd.DataFrame({"age": np.arange(100) * 10**10, "ill": table["ill"].values[table["ill"].codes]}), {"age": spec, "ill": SPECS["ill"]}
    )
    published = publish_form(wide, np.arange(100) // 5, "one", ("ill",))
    assert len(count_query_error(wide, published, 1, 1, 0.3, 50, 1).errors) == 50


def test_queries_on_a_table_read_again_give_the_same_error() -> None:
    table = people(80, 9)
    published = publish_form(table, np.arange(80) // 8, "one", ("ill", "pay"))
    again = from_frame(to_frame(published, 5), "one", table.quasi, {name: SPECS[name] for name in ("ill", "pay")})
    one, other = (count_query_error(table, form, 2, 2, 0.2, 50, 1) for form in (published, again))
    assert one.errors.tolist() == pytest.approx(other.errors.tolist())


def test_a_table_published_without_any_generalization_answers_exactly() -> None:
    table = people(30, 1, gaps=False)
    published = publish_form(table, np.arange(30), "one", ("ill", "pay"))
    assert count_query_error(table, published, 3, 2, 0.3, 50, 1).mean == 0


def test_queries_that_count_nobody_end_in_a_refusal_not_in_a_loop() -> None:
    table = people(3, 1, gaps=False)
    lonely = Table({**table.columns, "age": table["age"].take(np.zeros(3, dtype=int))}, table.quasi, table.sensitive)
    published = publish_form(lonely, np.zeros(3, dtype=int), "one", ("ill", "pay", "level"))
    with pytest.raises(RequirementNotMet, match="could not be measured"):
        count_query_error(lonely, published, 4, 3, 1e-6, 100, 1)


@pytest.mark.parametrize("name", ["age", "size", "eye", "town", "ill", "pay", "level"])
def test_an_attribute_that_is_missing_in_every_row_is_never_asked_about(name: str) -> None:
    """Such a column is legal, but queries on it counted nobody: the whole release was refused because its error could not be measured."""
    table = people(40, 3, gaps=False)
    raw = pd.DataFrame({column: np.append(one.values, None)[one.codes] for column, one in table.columns.items()})
    empty = encode_table(raw.assign(**{name: None}), SPECS)
    published = publish_form(empty, np.arange(40) // 8, "one", empty.sensitive)
    assert len(count_query_error(empty, published, 4, 3, 0.5, 50, 1).errors) == 50


def test_settings_without_sense_are_refused() -> None:
    table = people(10, 1)
    published = publish_form(table, np.zeros(10, dtype=int), "one", ("ill",))
    for setting in ((1, 1, 0.0, 5), (1, 1, 2.0, 5), (1, 1, 0.1, 0), (-1, 1, 0.1, 5)):
        with pytest.raises(InputRejected):
            count_query_error(table, published, *setting, 1)
    with pytest.raises(RequirementNotMet):
        count_query_error(table, published, 0, 0, 0.1, 5, 1)
