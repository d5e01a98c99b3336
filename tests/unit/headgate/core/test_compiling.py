"""Records mean the same to loops and to Python."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import headgate.grouping
import headgate.methods.blocks
from headgate.core.compiling import dividing, empty_records, joined, loop, record, starts_of, unset_records

ROOT = Path(__file__).resolve().parents[4]
WITHOUT_WRAPPER = {"inlined", "inner", "making"}
COMPILED = {"copied", "dividing", "loop"} | WITHOUT_WRAPPER
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


@dividing
def _share(part, whole):
    return part / whole


def test_a_dividing_loop_refuses_to_divide_by_zero_as_python_does():
    assert _share(1, 4) == 0.25
    with pytest.raises(ZeroDivisionError):
        _share(1, 0)


def test_one_module_says_how_loops_are_compiled():
    importing = [path.name for path in (ROOT / "headgate").rglob("*.py") if "import numba" in path.read_text("utf-8")]
    assert importing == ["compiling.py"]


def _marks(function: ast.FunctionDef) -> set[str]:
    return {mark.id for mark in function.decorator_list if isinstance(mark, ast.Name)}


def _names_in_python(tree: ast.AST) -> set[str]:
    """Names that are read anywhere but in a compiled loop."""
    if isinstance(tree, ast.FunctionDef) and _marks(tree) & COMPILED:
        return set()
    own = {tree.id} if isinstance(tree, ast.Name) else {tree.attr} if isinstance(tree, ast.Attribute) else set()
    return own.union(*map(_names_in_python, ast.iter_child_nodes(tree)))


def _defined_in(path: Path) -> set[str]:
    """The loops without a wrapper that a file defines."""
    text = path.read_text("utf-8")
    if not any(f"\n@{mark}\n" in text for mark in WITHOUT_WRAPPER):
        return set()
    return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and _marks(node) & WITHOUT_WRAPPER}


@cache
def _loops_of_modules() -> dict[str, set[str]]:
    defined = {path: _defined_in(path) for path in (ROOT / "headgate").rglob("*.py")}
    return {".".join(path.relative_to(ROOT).with_suffix("").parts): loops for path, loops in defined.items() if loops}


def _reached_from(path: Path) -> set[str]:
    """The loops without a wrapper that a file defines or imports."""
    reached = _defined_in(path)
    for module, names in re.findall(r"^from (headgate\.[\w.]+) import (\([^)]*\)|.*)", path.read_text("utf-8"), re.MULTILINE):
        reached |= _loops_of_modules().get(module, set()) & set(re.findall(r"\w+", names))
    return reached


@pytest.mark.parametrize("room", ["headgate", "policies", "tasks", "tests", "tools", "benchmarks"])
def test_python_calls_no_loop_that_has_no_wrapper(room):
    """It would end the process."""
    for path in (ROOT / room).rglob("*.py"):
        if reached := _reached_from(path):
            assert not reached & _names_in_python(ast.parse(path.read_text("utf-8"))), path
