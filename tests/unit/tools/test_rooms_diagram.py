"""The import graph of the rooms: complete, reduced, and refused where it has a cycle."""

from __future__ import annotations

from graphlib import CycleError

import pytest

from tools.rooms_diagram import PACKAGES, drawn, module_imports, room_tables, united, without_implied


def test_imports_of_modules_become_imports_of_rooms() -> None:
    modules = {"a.x.one": {"a.y.two", "a.x.three", "b.z.four"}, "a.y.two": set[str](), "b.z.four": set[str]()}
    assert united(modules, 2, "a.") == {"a.x": {"a.y"}, "a.y": set()}
    assert united(modules, 1) == {"a": {"b"}, "b": set()}


def test_an_arrow_that_follows_from_two_others_is_left_out() -> None:
    assert without_implied({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_a_cycle_is_refused_by_name() -> None:
    with pytest.raises(CycleError, match="cycle"):
        without_implied({"a": {"b"}, "b": {"a"}})


def test_a_room_that_imports_no_other_is_drawn_too() -> None:
    assert drawn({"p.a": {"p.b"}, "p.b": set(), "p.alone": set()}, "TD").splitlines()[2:-1] == ["    a --> b", "    alone"]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_rooms_of_a_package_have_no_cycle_and_a_sentence_each(package: str) -> None:
    rooms = united(module_imports(), 2, f"{package}.")
    without_implied(rooms)
    assert len(rooms) > 3
    assert "| |" not in room_tables()
