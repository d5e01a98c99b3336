"""Cutting an order into stretches, against every way to cut it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.cut_orders import MOST, cut_line, empty_line, laid_out, lay_cells, to_pay_for_stretches

PRICE = 0.7  # of a row that is too many


@loop
def _cut(items, cells, k, line, price):
    size = lay_cells(items, cells, k, line)
    return size, cut_line(items, line, size, k, price)


@loop
def _to_pay(items, line, size, k, price):
    return to_pay_for_stretches(items, line, size, k, price)


@loop
def _laid_out(rows, k):
    return laid_out(rows, k)


def _stretches(line, size):
    """Each as the items of its rows."""
    found, end = [], size
    while end > 0:
        begin = int(line.begin[end])
        found.append(line.item[begin:end].tolist())
        end = begin
    return found


def _too_many(case, held, k):
    """For each limit, how many rows of a group are too many, shares of neighbourhoods added up; all if fewer than k would stay."""
    counts = {item: held.count(item) for item in set(held)}
    for name in case.names:
        cap = case.allowed(name, len(held))
        over = 0.0
        for item, rows in counts.items():
            near = case.near(name, counts, item)
            if near > cap and case.centre(name, case.like[item]):
                over += rows * (near - cap) / near
        yield float(len(held)) if over > 0 and len(held) - np.ceil(over - 1e-9) < k else over


def _best(rows, k, cost):
    """The least cost of cutting these rows, in their order, into groups of k … 2k − 1."""

    @lru_cache(None)
    def least(end):
        if end == 0:
            return 0.0
        begins = [begin for begin in range(max(0, end - 2 * k + 1), end - k + 1) if begin == 0 or begin >= k]
        return min((least(begin) + cost(rows[begin:end]) for begin in begins), default=np.inf)

    return least(len(rows))


@pytest.mark.parametrize("seed", range(8))
def test_no_other_way_to_cut_an_order_loses_less(told, seed):
    case, k = told(seed, 40, limited=False), 3
    cells = np.random.default_rng(seed).permutation(case.items.cells)
    line = empty_line(case.items, k)
    size, least = _cut(case.items, cells, k, line, np.empty(0))
    rows = line.item[:size].tolist()
    best = _best(tuple(rows), k, lambda held: len(held) * case.loss(list(held)))
    assert least == pytest.approx(best, abs=1e-9)
    found = _stretches(line, size)
    assert [item for held in reversed(found) for item in held] == rows
    assert all(k <= len(held) < 2 * k for held in found)
    assert sum(len(held) * case.loss(held) for held in found) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_rows_that_are_too_many_cost_their_price(told, seed):
    case, k = told(seed, 30), 3
    price = np.full(len(case.names), PRICE)
    line = empty_line(case.items, k)
    size, least = _cut(case.items, np.arange(case.items.cells), k, line, price)
    rows = tuple(line.item[:size].tolist())
    best = _best(rows, k, lambda held: len(held) * case.loss(list(held)) + PRICE * sum(_too_many(case, list(held), k)))
    assert least == pytest.approx(best, abs=1e-9)
    paid = sum(PRICE * sum(_too_many(case, held, k)) for held in _stretches(line, size))
    assert _to_pay(case.items, line, size, k, price) == pytest.approx(paid, abs=1e-9)


def test_a_cell_lies_so_that_any_stretch_of_it_is_a_fair_sample(told):
    """200 people of whom nobody can be told apart by colour, and four words; any 20 who follow each other have each word about 5 times."""
    case = told(3, 400, quasi=("colour",))
    line = empty_line(case.items, 100)
    cell = int(np.argmax(case.items.cell.rows[:-1]))
    begin, rows = int(line.spread_from[cell]), int(case.items.cell.rows[cell])
    lying = line.spread[begin : begin + rows]
    counts = {item: int((lying == item).sum()) for item in set(lying.tolist())}
    assert counts == {item: int(case.items.rows[item]) for item in range(case.items.cell[cell].start, case.items.cell[cell + 1].start)}
    window = rows // 4
    for item, count in counts.items():
        for first in range(0, rows - window, 3):
            here = int((lying[first : first + window] == item).sum())
            assert abs(here - count * window / rows) <= 3


@pytest.mark.parametrize("k", [2, 3, 10])
def test_rows_that_are_not_laid_out_need_no_company(k):
    """They are a multiple of k, and what is laid out is more than stretches from both sides can take."""
    for rows in range(1, 12 * k):
        laid = _laid_out(rows, k)
        assert (rows - laid) % k == 0
        assert laid == rows if rows < MOST * k else (MOST - 1) * k <= laid < MOST * k
