"""The rules of the tree: where tests stand, what modules are called, how long they get. `make check` limits what a function may branch."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from flows.cli import COMMANDS
from policies.gates.every_gate import GATES

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("headgate", "policies", "tasks", "flows", "console")
MODULES = sorted(path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LONGEST = 400
OURS = (*PACKAGES, "tests", "tools", "benchmarks")
SOURCES = sorted(path.relative_to(ROOT) for package in OURS for path in (ROOT / package).rglob("*.py"))


def has_code(path: Path) -> bool:
    """Anything but imports and a docstring."""
    statements = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    return any(not isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr) for statement in statements)


def named_by_key(room: tuple[str, ...]) -> set[str]:
    """Gates have the names of their policy keys, commands those of the command line and stores those of their scheme, whatever else has
    such a name."""
    if room in (("tasks", "ledger"), ("tasks", "stores")):
        return {path.stem for path in MODULES if path.parts[:2] == room and path.stem.startswith("store_")}
    if room == ("policies", "gates"):
        return {gate.name for gate in GATES}
    return {*(command.__name__ for command in COMMANDS), "audit"} if room == ("flows", "cli") else set()


def place_of_tests(path: Path) -> Path:
    return Path("tests/unit") / path.parent / f"test_{path.stem}.py"


def test_every_module_has_its_tests_where_the_tree_says() -> None:
    with_code = [path for path in MODULES if path.name != "__init__.py" and has_code(path)]
    assert {str(path) for path in with_code if not (ROOT / place_of_tests(path)).exists()} == set()


def test_no_two_modules_have_the_same_name() -> None:
    places = defaultdict(list)
    for path in MODULES:
        if path.name != "__init__.py" and path.stem not in named_by_key(path.parts[:2]):
            places[path.stem].append(str(path))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_no_module_is_too_long_to_read() -> None:
    lines = {str(path): len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: count for path, count in lines.items() if count > LONGEST} == {}


def names_of(module: str) -> set[str] | None:
    """Every name that a module of ours binds outside its functions, and the modules in it; None where there is no such module."""
    place = ROOT.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    beside = {path.stem for path in place.iterdir()} if place.is_dir() else set()
    if not file.exists():
        return beside or None
    names, statements = set(beside), list(ast.parse(file.read_text(encoding="utf-8")).body)
    for statement in statements:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names.update(alias.asname or alias.name.split(".")[0] for alias in aliases)
            case _:  # assignments, and whatever stands in an `if`, a `with` or a `try`
                names.update(node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
                statements += [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]
    return names


def stale_imports(source: str, known: dict[str, set[str] | None]) -> list[str]:
    """What is imported from a first-party module that has no such name, wherever the import stands."""
    stale = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom) or node.level or (node.module or "").split(".")[0] not in OURS:
            continue
        module = str(node.module)
        names = known[module] if module in known else known.setdefault(module, names_of(module))
        if names is None or "__getattr__" not in names:
            stale += [f"from {module} import {alias.name}" for alias in node.names if names is None or alias.name not in names]
    return stale


@pytest.mark.slow
def test_every_name_imported_from_a_module_is_there() -> None:
    known: dict[str, set[str] | None] = {}
    stale = {str(path): stale_imports((ROOT / path).read_text(encoding="utf-8"), known) for path in SOURCES}
    assert {path: names for path, names in stale.items() if names} == {}


def test_an_import_that_went_stale_is_seen_inside_a_function_too() -> None:
    source = "def read():\n    from policies.judging.verdicts import judge, no_such_name\n    from policies.no_such_module import judge\n"
    assert stale_imports(source, {}) == ["from policies.judging.verdicts import no_such_name", "from policies.no_such_module import judge"]
