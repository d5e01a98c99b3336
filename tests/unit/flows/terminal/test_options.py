"""Arguments and options mean the same in every command that takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from flows.cli import COMMANDS
from flows.cli.audit import audit_app
from flows.terminal.options import CandidateId, Json, Key, Output, PolicyFile, Reason, ReleaseId, Report, TableFile, Verbose

BY_NAME = {
    "json": Json,
    "verbose": Verbose,
    "key": Key,
    "candidate": CandidateId,
    "reason": Reason,
    "output": Output,
    "policy": PolicyFile,
    "report": Report,
}
AUDIT = [command.callback for command in audit_app.registered_commands if command.callback is not None]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A command that takes all options, and what it was given."""
    monkeypatch.delenv("HEADGATE_KEY", raising=False)
    seen: dict[str, Any] = {}
    application = typer.Typer()

    @application.command()
    def command(
        candidate: CandidateId,
        release: ReleaseId,
        policy: PolicyFile,
        table: TableFile,
        reason: Reason,
        key: Key = None,
        output: Output = None,
        report: Report = None,
        json: Json = False,
        verbose: Verbose = False,
    ) -> None:
        seen.update(locals())

    def invoke(*arguments: str) -> dict[str, Any]:
        seen.clear()
        result = CliRunner().invoke(application, list(arguments))
        return {**seen, "code": result.exit_code}

    return invoke


def test_arguments_come_in_order_and_options_by_name(given: Any) -> None:
    everything = ("--reason", "why", "--key", "k", "-o", "out", "--report", "page.html", "--json", "--verbose")
    got = given("c", "r", "p.yaml", "t.csv", *everything)
    assert (got["code"], got["candidate"], got["release"], got["policy"], got["table"]) == (0, "c", "r", Path("p.yaml"), Path("t.csv"))
    assert (got["reason"], got["key"], got["output"], got["report"]) == ("why", Path("k"), Path("out"), Path("page.html"))
    assert got["json"] is got["verbose"] is True


def test_only_a_reason_must_be_given(given: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert given("c", "r", "p", "t")["code"] == 2
    got = given("c", "r", "p", "t", "--reason", "why")
    assert (got["key"], got["output"], got["report"], got["json"], got["verbose"]) == (None, None, None, False, False)
    monkeypatch.setenv("HEADGATE_KEY", "from the environment")
    assert given("c", "r", "p", "t", "--reason", "why")["key"] == Path("from the environment")
    assert given("c", "r", "p", "t", "--reason", "why", "--key", "mine")["key"] == Path("mine")


LOOKING = ("show", "attack")


@pytest.mark.parametrize("command", [*COMMANDS, *AUDIT], ids=lambda command: command.__name__)
def test_every_command_takes_what_has_a_name_here_in_the_same_way(command: Any) -> None:
    """But for eight: those that look at a candidate find it by its release too; `check` needs a policy only to list what it refuses;
    `attack` knows the policy already, unless its file has moved;
    `serve` and `deploy` need a key to register policies only; that of `restore` opens the home's keys; and `audit cosign` keeps what it
    signs in a file in any case."""
    own = {("check", "policy"), ("attack", "policy"), ("serve", "key"), ("deploy", "key"), ("restore", "key"), ("cosign", "output")} | {
        (name, "candidate") for name in LOOKING
    }
    wrong = {
        name
        for name, form in typer.main.get_params_from_function(command).items()
        if name in BY_NAME and not same(form, BY_NAME[name]) and (command.__name__, name) not in own
    }
    assert wrong == set()


def same(parameter: Any, form: Any) -> bool:
    (declared,) = form.__metadata__
    return vars(declared).get("help") == vars(parameter.default).get("help")
