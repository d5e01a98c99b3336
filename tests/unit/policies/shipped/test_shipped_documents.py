"""The pages under docs/ and the code cannot part: keys, commands, the diagram of states and the links are compared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import asyncssh
import pytest

from flows.cli import app
from flows.cli.audit import audit_app
from policies.ledger.states import State
from policies.ledger.transitions import state_diagram
from policies.schema.loading import parse_file
from policies.schema.notify_key import NotifyKey
from policies.schema.operator_file import OPERATORS_PAGE, Operator
from policies.schema.policy import Policy
from policies.words.fields import Section

ROOT = Path(__file__).parents[4]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])


def sections(of: type[Section] = Section) -> Iterator[type[Section]]:
    for section in of.__subclasses__():
        yield section
        yield from sections(section)


def operators_sections() -> list[type[Section]]:
    """Those that only the operator's file has."""
    return [section for section in sections() if section.__module__ in (Operator.__module__, NotifyKey.__module__)]


def words_in_code(page: str) -> set[str]:
    """Every word inside backticks."""
    codes = (block or code for block, code in re.findall(r"```(.*?)```|`([^`]+)`", page, re.DOTALL))
    return {word for code in codes for word in re.findall(r"[a-z_]+", code)}


def test_every_key_of_a_policy_is_on_the_reference_page() -> None:
    known = words_in_code((ROOT / "docs" / "reference-policy.md").read_text("utf-8"))
    found = [section for section in sections() if section not in operators_sections()]
    assert Policy in found
    for section in found:
        for name, field in section.model_fields.items():
            assert (field.alias or name) in known, f"{section.__name__}.{name}"


def test_every_key_of_the_operators_file_is_in_the_operators_guide() -> None:
    guide = (ROOT / "docs" / "guide-operator.md").read_text("utf-8")
    examples = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    key = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().split()[1]
    parsed = [parse_file(Operator, example.replace("AAAA…", key), "operator.yaml", OPERATORS_PAGE) for example in examples]
    assert any(each.runners for each in parsed)
    assert any(each.notify for each in parsed)
    for section in operators_sections():
        for name in section.model_fields:
            assert any(f"{name}:" in example for example in examples), f"{section.__name__}.{name}"


def test_every_command_is_on_the_reference_page() -> None:
    page = (ROOT / "docs" / "reference-cli.md").read_text("utf-8")
    names = [str(command.name or getattr(command.callback, "__name__", "")) for command in app.registered_commands]
    assert "release" in names
    for name in names:
        assert f"`{name}" in page, name
    for command in audit_app.registered_commands:
        assert f"`audit {command.name}" in page, command.name


def test_the_diagram_of_states_is_the_table_of_transitions() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert f"```mermaid\n{state_diagram()}```" in page, "write policies.ledger.transitions.state_diagram() into docs/architecture.md"
    for state in State:
        assert f"`{state}`" in page, state


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_is_reached_from_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index, page.name


def test_every_file_that_the_architecture_names_exists() -> None:
    """Names in capitals stand for files to come: `policies/gates/NAME.py`."""
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    paths = re.findall(r"`((?:headgate|policies|tasks|flows|tools)/[a-zA-Z_/.]*)`", page)
    assert len(paths) > 30
    assert [path for path in paths if not re.search("[A-Z]{3}", path) and not (ROOT / path).exists()] == []
