"""The command line is instant until a command needs something heavy."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"prefect", "mlflow", "great_expectations", "pandas", "numpy", "numba", "matplotlib", "asyncssh", "sqlalchemy", "pydantic", "rich"}


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)


def test_help_imports_nothing_heavy() -> None:
    result = python(
        "import sys, json\nfrom flows.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit as stop:\n    assert not stop.code\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})), file=sys.stderr)"
    )
    loaded = set(json.loads(result.stderr.splitlines()[-1]))
    assert "Usage: headgate" in result.stdout
    assert not loaded & (HEAVY | {"scipy", "pyarrow"})


def test_the_help_of_every_command_imports_nothing_that_measures_or_stores() -> None:
    """pydantic comes with typer's own handling of options."""
    from flows.cli import COMMANDS

    result = python(
        "import sys, json\nfrom flows.cli import COMMANDS, main\n"
        "names = [[command.__name__.replace('_', '-')] for command in COMMANDS]\n"
        "for command in [*names, ['audit'], ['audit', 'list'], ['audit', 'export']]:\n"
        "    try:\n        main([*command, '--help'])\n    except SystemExit as stop:\n        assert not stop.code, command\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})), file=sys.stderr)"
    )
    loaded = set(json.loads(result.stderr.splitlines()[-1]))
    assert result.stdout.count("Usage: ") == len(COMMANDS) + 3
    assert not loaded & ((HEAVY | {"scipy", "pyarrow", "headgate", "policies", "tasks"}) - {"pydantic"})


@pytest.mark.long
def test_help_takes_at_most_six_times_the_import_of_typer() -> None:
    headgate = Path(sys.executable).with_name("headgate")

    def spent() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    def best(command: list[str]) -> float:
        """On the processor, whoever else uses it."""
        taken = []
        for _ in range(5):
            before = spent()
            subprocess.run(command, capture_output=True, timeout=60, check=True)
            taken.append(spent() - before)
        return min(taken)

    assert best([str(headgate), "--help"]) <= 6 * best([sys.executable, "-c", "import typer"])


@pytest.mark.slow
@pytest.mark.parametrize("package", ["headgate", "policies"])
def test_importing_the_science_and_the_policies_imports_no_server_or_store(package: str) -> None:
    result = python(
        f"import pkgutil, importlib, sys, json, {package}\n"
        f"for module in pkgutil.walk_packages({package}.__path__, '{package}.'):\n"
        "    if not module.name.endswith(('generate', 'convert')):\n        importlib.import_module(module.name)\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    loaded = set(json.loads(result.stdout))
    assert not loaded & {"prefect", "mlflow", "great_expectations", "sqlalchemy", "fastapi", "asyncssh", "matplotlib"}


def test_every_command_has_a_help_of_its_own() -> None:
    from flows.cli import app
    from flows.cli.audit import audit_app

    names = {command.name or command.callback.__name__ for command in [*app.registered_commands, *audit_app.registered_commands]}
    assert {
        "init",
        "release",
        "advise",
        "explore",
        "check",
        "show",
        "attack",
        "statement",
        "approve",
        "request-changes",
        "reject",
        "publish",
        "releases",
        "withdraw",
        "verify",
        "serve",
        "demo",
    } <= names
    assert {"list", "export"} <= names
    assert all(command.callback.__doc__ for command in [*app.registered_commands, *audit_app.registered_commands])
