"""What a command is told where it answers a request."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.service.served import SERVED, Served, place_of
from flows.terminal.options import is_id

if TYPE_CHECKING:
    from tasks.runtime.home import Home
    from tasks.service.frames import Frames
    from tasks.service.request import Request

THEIRS = Path("the caller's own key")  # no file: see tasks.signing.given_key
AGAIN = "Use the version of headgate that the service has."


def prepared(frames: Frames, asked: Request, home: Home, folder: Path) -> tuple[Any, dict[str, Any]]:
    """The command and its arguments, every one of which is a word of the caller, a file that they sent, or a place of this request. Nothing
    is received before it is known that they may send it."""
    from headgate.core.errors import InputRejected
    from tasks.runtime.loops_cache import choose_loops_cache
    from tasks.service.handed_files import LARGE, receive_files

    served = SERVED.get(asked.command)
    if served is None:
        raise InputRejected("This command is not served over the socket.", "The operator runs it where the home lies.")
    if not {*asked.values} <= {*served.values, served.output} or any(entry.role not in served.files for entry in asked.files):
        raise InputRejected("This command takes no such option.", AGAIN)
    arguments = _words(served, asked)
    if served.signs:
        arguments["key"] = _key(frames, asked, home)
    if LARGE.intersection(served.files):
        _require_runner(home, arguments["key"])
    received = receive_files(frames, asked.files, folder / "files")
    for option in served.files:
        paths = received.get(option, [])
        arguments[option] = paths if option in ("cosigned", "head") else paths[0] if paths else None
    if "policy" in served.files:
        if arguments["policy"] is None:
            raise InputRejected("No policy was sent.", "Name the policy.")
        from tasks.service.handed_policy import require_handed

        require_handed(arguments["policy"], arguments["source"] is None)
    if served.output:
        name = asked.values.get(served.output)
        arguments[served.output] = None if name is None else folder / "outputs" / _file_name(name)
    choose_loops_cache()
    module, function = place_of(asked.command)
    return getattr(importlib.import_module(module), function), arguments


def _words(served: Served, asked: Request) -> dict[str, Any]:
    """Of the types that the command's own options have: text and switches, and never a path."""
    from headgate.core.errors import InputRejected

    module, function = place_of(asked.command)
    parameters = inspect.signature(getattr(importlib.import_module(module), function)).parameters
    words: dict[str, Any] = {}
    for option in served.values:
        value, wanted = asked.values.get(option), parameters[option]
        if value is None and wanted.default is None:
            continue
        if type(value) is not (bool if isinstance(wanted.default, bool) else str):
            raise InputRejected(f"The request has no usable value for '{option}'.", AGAIN)
        if option in served.ids and not is_id(str(value)):
            raise InputRejected("The service opens no path.", "Name candidates and releases by their ids.")
        words[option] = value
    return words


def _file_name(name: object) -> str:
    from headgate.core.errors import InputRejected

    if not isinstance(name, str) or not name.strip(".") or "/" in name or "\x00" in name:
        raise InputRejected("The output is not a plain file name.", "Name another file.")
    return name


def _key(frames: Frames, asked: Request, home: Home) -> Path | None:
    """None where a signature that was made before is handed in."""
    from tasks.service.request import ask_to_sign, prove_key
    from tasks.signing.given_key import callers_key, speak_for
    from tasks.signing.home_keys import home_fingerprint
    from tasks.signing.public_keys import public_key

    if asked.key is None:
        return None
    kind, _, encoded = asked.key.partition(" ")
    caller = callers_key(public_key(kind, encoded, "The key"), asked.salt, lambda payload: ask_to_sign(frames, payload))
    prove_key(asked, caller, home_fingerprint(home.keys))
    speak_for(caller)
    return THEIRS


def _require_runner(home: Home, key: Path | None) -> None:
    """A policy and its source may be as large as the machine's memory: they are taken from those who may run releases, who are on the
    operator's list whatever the policy says."""
    from tasks.approval.approvals import operator_roots
    from tasks.approval.operator_demands import operator_demands, require_runner
    from tasks.ledger.open_ledger import open_ledger
    from tasks.signing.given_key import given_key

    require_runner(given_key(key).key, operator_roots(home), operator_demands(home), open_ledger(home).now())
