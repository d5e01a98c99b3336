"""Which commands are served over the socket, and what becomes of each of their options there. What is not listed is not served."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flows.terminal.options import is_id

ROOM = "flows.cli."
# These open no home, or are the operator's own: they run where they are started.
HERE = frozenset(
    {
        "init",
        "check",
        "advise",
        "verify",
        "read",
        "estimate",
        "demo",
        "serve",
        "deploy",
        "console",
        "notify",
        "metrics",
        "doctor",
        "backup",
        "restore",
    }
)


@dataclass(frozen=True)
class Served:
    """`values` are sent as they are; of them `ids` name candidates or releases, and where none of them does, the command needs no home.
    `files` are opened by the caller, and sent as bytes. `signs`: the caller's key may be asked for a
    signature. `output`: the option that names a file, which the caller writes; `named`: the names that the service may give it where that
    option does not."""

    values: tuple[str, ...]
    ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    signs: bool = False
    output: str = ""
    named: str = ""

    @property
    def options(self) -> frozenset[str]:
        return frozenset({*self.values, *self.files, *(("key",) if self.signs else ()), *((self.output,) if self.output else ())})


DECISION = Served(("candidate", "reason", "json"), files=("signature",), signs=True)
ON_RELEASE = Served(("release", "reason", "json"), files=("signature",), signs=True)
SERVED = {
    "release": Served(("if_changed", "json"), files=("policy", "source"), signs=True),
    "show": Served(("candidate", "language", "json"), output="report"),
    "statement": Served(("release", "reason", "principal", "action")),
    "approve": DECISION,
    "request_changes": DECISION,
    "reject": DECISION,
    "publish": Served(("candidate", "json")),
    "releases": Served(("json", "calendar", "dataset", "state", "since")),
    "diff": Served(("before", "after", "json"), ids=("before", "after")),
    "withdraw": ON_RELEASE,
    "resume": ON_RELEASE,
    "abandon": ON_RELEASE,
    "purge": ON_RELEASE,
    "audit show": Served(("release", "json")),
    "audit verify": Served(("json",), files=("cosigned", "head", "signers")),
    "audit cosign": Served((), signs=True, output="output", named=r"cosigned-head\.dsse\.json"),
    "audit export": Served(("release", "bundle"), files=("cosigned",), output="output", named=r"evidence-[\w-]{1,64}\.tar\.gz"),
}


def needs_home(name: str, options: Mapping[str, Any]) -> bool:
    """Folders and files are compared where they lie, with the rights of whoever asks."""
    ids = SERVED[name].ids if name in SERVED else ()
    return name not in HERE and (not ids or any(is_id(options[option]) for option in ids))


def name_of(command: Callable[..., Any]) -> str:
    """As people write it: the file that holds a command has its name, or that of its group."""
    group = command.__module__.removeprefix(ROOM)
    return command.__name__ if group == command.__name__ else f"{group} {command.__name__}"


def place_of(name: str) -> tuple[str, str]:
    """The module and the function of a command."""
    return ROOM + name.split(" ")[0], name.split(" ")[-1]
