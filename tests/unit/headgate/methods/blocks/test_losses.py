"""What groups lose, and what is published of them."""

from __future__ import annotations

import numpy as np
import pytest

from headgate.core.compiling import loop
from headgate.methods.blocks.draft import empty_groups
from headgate.methods.blocks.groups import part_of
from headgate.methods.blocks.losses import keys_of_groups, loss_with, loss_without
from tests.unit.headgate.methods.blocks.changed_groups import GROUPS, changed_groups, filled, parts_of


@loop
def _without(groups, group, item):
    """What is lost without an item, and without its cell."""
    part, cell = part_of(groups, group, item), groups.items.item[item].cell
    return loss_without(groups, group, part, np.int64(-1)), loss_without(groups, group, np.int64(-1), cell)


@loop
def _with(groups, group, cell):
    return loss_with(groups, group, cell)


def test_groups_have_one_key_where_they_are_published_alike_and_only_there(told):
    """Groups of every few cells, of tables in which people differ by few colours and towns, so that many come out alike."""
    alike = other = 0
    for seed in range(24):
        case = told(seed, 40, quasi=[("colour",), ("colour", "town"), ("age", "school")][seed % 3])
        groups = empty_groups(case.items, 30, 4_000)
        draw = np.random.default_rng(seed)
        for group in range(30):
            many = int(draw.integers(1, 6))
            cells = np.sort(draw.choice(case.items.cells, min(many, case.items.cells), replace=False)).astype(np.int64)
            filled(groups, group, cells)
        keys = keys_of_groups(groups)
        forms = [case.form(groups.part.number[parts_of(groups, group)].tolist()) for group in range(30)]
        for one in range(30):
            for two in range(one):
                assert (keys[one] == keys[two]) == (forms[one] == forms[two]), seed
                alike, other = alike + (forms[one] == forms[two]), other + (forms[one] != forms[two])
    assert min(alike, other) > 200


@pytest.mark.parametrize("seed", range(12))
def test_losses_with_a_cell_and_without_one_are_exact(told, seed):
    case, groups, held, _, _ = changed_groups(told, seed)
    for group in range(GROUPS):
        for item in held[group]:
            cell = case.items.item.cell[item]
            alone, without_cell = _without(groups, group, item)
            assert alone == pytest.approx(case.loss(other for other in held[group] if other != item), abs=1e-12)
            assert without_cell == pytest.approx(case.loss(o for o in held[group] if case.items.item.cell[o] != cell), abs=1e-12)
        if held[group]:
            for item in range(len(case.items.item)):
                wider = _with(groups, group, case.items.item.cell[item])
                assert wider == pytest.approx(case.loss([*held[group], item]), abs=1e-12)
