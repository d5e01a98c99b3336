"""Every command is either served with every option accounted for, or is not served."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from flows.cli import COMMANDS, audit, releases
from flows.service.served import HERE, SERVED, name_of, needs_home, place_of

GROUP = (audit.show, audit.verify, audit.cosign, audit.export)
REFUSED = {"explore", "attack"}  # they open the home, and read with its rights sources or whatever path is named


def function(name: str) -> Callable[..., Any]:
    module, called = place_of(name)
    return getattr(importlib.import_module(module), called)  # type: ignore[no-any-return]


def test_each_command_runs_here_or_is_served_or_is_refused() -> None:
    names = {name_of(command) for command in (*COMMANDS, *GROUP)}
    assert names == HERE | set(SERVED) | REFUSED
    assert name_of(releases.releases) == "releases"
    assert all(function(name_of(command)) is command for command in (*COMMANDS, *GROUP))


def holds_a_path(annotation: object) -> bool:
    options = get_args(annotation) or (annotation,)
    return any(option is Path or (option is not annotation and holds_a_path(option)) for option in options)


@pytest.mark.parametrize("name", sorted(SERVED))
def test_a_path_is_never_among_what_is_sent_as_it_is(name: str) -> None:
    """An option with a path in it is a file that the caller opens, one that they write, or their own key."""
    command, served = function(name), SERVED[name]
    hints = get_type_hints(command, include_extras=False)
    hints.pop("return")
    assert {option for option, hint in hints.items() if holds_a_path(hint)} <= {*served.files, served.output, "key"}
    assert not {*served.values} & {option for option, hint in hints.items() if holds_a_path(hint)}
    assert served.options <= set(hints)
    assert set(hints) - served.options <= {
        "verbose",
        "engine",
        "scheduler",
        "by_rule",
        "dry_run",
    }  # those say where the service works, or what it does for its operator
    assert holds_a_path(list[Path] | None)


def test_folders_and_policies_are_compared_where_they_lie() -> None:
    assert not needs_home("diff", {"before": "/srv/1", "after": "policy.yaml"})
    assert needs_home("diff", {"before": "/srv/1", "after": "deadbeef"})
    assert needs_home("show", {})
    assert needs_home("attack", {})
    assert not needs_home("verify", {})
