"""Records mean the same to loops and to Python."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest

import headgate.grouping
import headgate.methods.blocks
from headgate.grouping.compiling import empty_records, joined, loop, record, starts_of, unset_records

PAIR = record(many=np.int64, share=np.float64, flag=np.bool_)


@loop
def _count_up(pairs):
    for i in range(len(pairs)):
        own = pairs[i]
        own.many += i
        own.share, own.flag = own.many / 2, i > 1
    return pairs[len(pairs) - 1].many


def test_a_loop_reads_and_writes_the_fields_that_python_sees():
    pairs = empty_records(4, PAIR)
    pairs.many = 10
    assert _count_up(pairs) == 13
    assert pairs.many.tolist() == [10, 11, 12, 13]
    assert pairs[3].share == 6.5
    assert pairs.flag.tolist() == [False, False, True, True]


def test_records_with_several_dimensions_and_without_zeros_have_their_fields():
    assert unset_records((3, 2), PAIR).many.shape == (3, 2)
    assert not empty_records((3, 2), PAIR).share.any()


def _kinds_of_records():
    for package in (headgate.grouping, headgate.methods.blocks):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, np.dtype) and value.names:
                    yield f"{module.name}.{name}", value


@pytest.mark.parametrize(("name", "kind"), list(_kinds_of_records()))
def test_no_field_has_a_name_that_numpys_scalars_use_themselves(name, kind):
    """Without numba, `part.item` would be the method `item`, and nobody would hear of it."""
    assert not [field for field in kind.names if hasattr(np.void, field)]


def test_pieces_are_joined_and_begin_where_the_ones_before_end():
    pieces = [np.arange(3), np.empty(0), np.arange(2)]
    assert starts_of(pieces).tolist() == [0, 3, 3, 5]
    assert joined(pieces, np.int32).tolist() == [0, 1, 2, 0, 1]
    assert joined([], np.bool_).tolist() == []
    assert starts_of([]).tolist() == [0]
