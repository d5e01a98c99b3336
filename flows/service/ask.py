"""A command that is asked of the service at HEADGATE_SOCKET, in place of running here. Files are opened and written here, with the rights
of whoever asks, and their key stays here."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.service.caller import Caller
from flows.service.served import SERVED, name_of, needs_home

if TYPE_CHECKING:
    from tasks.service.asked_to_sign import Wish
    from tasks.service.frames import Kind
    from tasks.service.request import Ended, Request
    from tasks.signing.keys import PrivateKey

Command = Callable[..., None]


def here_or_served(command: Command) -> Command:
    """Where no socket is named, the command itself."""
    name = name_of(command)

    @functools.wraps(command)
    def run(*args: Any, **options: Any) -> None:
        from tasks.service.socket_place import SOCKET, socket_path

        path = socket_path() if needs_home(name, options) else None
        if path is None:
            command(*args, **options)
        elif name in SERVED:
            _ask(path, name, options)
        else:
            from headgate.core.errors import InputRejected

            raise InputRejected(
                f"`headgate {name}` is not served over the socket.", f"The operator runs it where the home lies, with {SOCKET} unset."
            )

    return run


def _ask(path: Path, name: str, options: dict[str, Any]) -> None:
    from headgate.core.errors import StoreUnavailable
    from tasks.service.connection import connected, converse
    from tasks.service.frames import Kind

    served = SERVED[name]
    _require_served(name, options)
    output = options.get(served.output)
    if output is not None and served.output == "report":
        from tasks.reporting.check_report import require_place

        require_place(output)  # before the work, not after it
    signs = served.signs and options.get("signature") is None
    key, wish, salt = _signer(name, options) if signs else (None, None, "")
    asked, contents = _question(name, options, key, salt)
    caller = Caller(path, asked, contents, key, wish)
    with connected(path) as frames:
        with suppress(StoreUnavailable):  # a service that takes no request says why
            frames.send(Kind.REQUEST, asked.model_dump_json().encode())
        ended, given = converse(frames, _show, caller.sign, caller.hand_over)
    if ended.code:
        raise _refusal(ended)
    for entry, content in zip(ended.files, given, strict=True):
        if signs:
            _require_signed(content, caller.signed)
        _keep(output, served.named, entry.name, content)


def _signer(name: str, options: dict[str, Any]) -> tuple[PrivateKey, Wish, str]:
    """Whose key signs what, and the salt of their reason."""
    from flows.service.wishes import wish_of
    from tasks.approval.reasons import new_salt
    from tasks.signing.given_key import given_key

    salt = new_salt()
    return given_key(options["key"]), wish_of(name, options, salt), salt


def _require_signed(content: bytes, signed: list[bytes]) -> None:
    from headgate.core.errors import IntegrityBroken
    from tasks.signing.signatures import open_envelope

    if open_envelope(content, "What the service gives").armored not in signed:
        raise IntegrityBroken("The service returned something else than you signed.", "Tell the operator.")


def _question(name: str, options: dict[str, Any], key: PrivateKey | None, salt: str) -> tuple[Request, tuple[bytes, ...]]:
    """What is sent, and the files that may follow. Of a file that will be written here, only its name is told."""
    from flows.service.sent_files import read_sent
    from tasks.service.request import Request

    served = SERVED[name]
    values = {option: options[option] for option in served.values}
    if served.output:
        output = options[served.output]
        values[served.output] = None if output is None or output.is_dir() else output.name
    entries, contents = read_sent(served.files, options)
    return Request(command=name, values=values, key=None if key is None else key.public, salt=salt, files=entries), contents


def _refusal(ended: Ended) -> BaseException:
    """What stopped the command was told by the service; of one that it did not begin, it is told here."""
    from headgate.core.errors import HeadgateError

    if not ended.message:
        return SystemExit(ended.code)
    refusal = HeadgateError(ended.message, ended.cure)
    refusal.code = ended.code
    return refusal


def _require_served(name: str, options: dict[str, Any]) -> None:
    from headgate.core.errors import InputRejected

    for option, value in options.items():
        if option not in SERVED[name].options and value not in (None, False):
            raise InputRejected(f"--{option} of `headgate {name}` is not served over the socket.", "Leave it out.")


def _show(kind: Kind, content: bytes) -> None:
    from flows.terminal.output import plain_lines
    from tasks.service.frames import Kind

    stream = sys.stdout if kind is Kind.OUT else sys.stderr
    stream.flush()
    stream.buffer.write(plain_lines(content.decode("utf-8", "replace")).encode() if stream.isatty() else content)
    stream.buffer.flush()


def _keep(output: Path | None, named: str, name: str, content: bytes) -> None:
    """Where the person says; else in the folder where they stand, under a name that such a file has."""
    from flows.terminal.current_folder import here
    from headgate.core.errors import InputRejected, StoreUnavailable
    from tasks.runtime.boundary import reason_of
    from tasks.runtime.home import PRIVATE
    from tasks.stores.files import replace_file

    os.umask(PRIVATE)  # as where the command runs itself: it may hold rows and reasons
    target = here() if output is None else output
    if target.is_dir():
        if not named or not re.fullmatch(named, name):
            raise InputRejected("The service sent a file that nobody requested.", "Tell the operator.")
        target = target / name
    try:
        replace_file(target, content)
    except OSError as problem:
        raise StoreUnavailable(f"{target} cannot be written ({reason_of(problem)}).", "Choose a folder of yours.") from None
