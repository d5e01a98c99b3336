"""Which home somebody has met at which socket, kept by whoever asks as ssh keeps the keys of hosts: `known_homes` has a line
`SHA256:… /path/of/the/socket` for each. People may write lines of their own, such as one that their operator gave them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from headgate.core.errors import InputRejected, Refusal, StoreUnavailable, TransitionRefused
from tasks.runtime.boundary import reason_of
from tasks.signing.revocation import FINGERPRINT

KNOWN_HOMES = "known_homes"


def known_homes_file(environment: Mapping[str, str] | None = None) -> Path:
    """Among the settings of the account's programs, as the XDG base directories have it."""
    base = Path((os.environ if environment is None else environment).get("XDG_CONFIG_HOME") or "")
    return Path(os.path.expanduser(base if base.is_absolute() else "~/.config")) / "headgate" / KNOWN_HOMES


def meet_home(home: str, socket: Path, file: Path) -> bool:
    """Whether it is met for the first time at this socket, which is noted. Another home there than before is refused, and so is one that
    is known at another socket: whoever listens here may pass on to it what was meant for them."""
    known = _read(file)
    before = sorted(fingerprint for fingerprint, path in known if path == str(socket))
    if home in before:
        return False
    elsewhere = sorted(path for fingerprint, path in known if fingerprint == home)
    if before:
        said = f"the service at {socket} speaks for the home {home}, and for {before[0]} when you asked it before"
    elif elsewhere:
        said = f"the service at {socket} speaks for the home {home}, which you know at {elsewhere[0]}"
    else:
        _note(home, socket, file)
        return True
    cure = f"Ask the operator. If the home was made anew or its socket was moved, write `{home} {socket}` in place of that line of {file}."
    raise TransitionRefused([Refusal("home", said)], cure)


def _read(file: Path) -> list[tuple[str, str]]:
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return []
    except UnicodeDecodeError:
        raise _not_understood(file, 1) from None
    except OSError as problem:
        raise StoreUnavailable(f"{file} cannot be read ({reason_of(problem)}).", "Make it readable for you.") from None
    known = []
    for number, line in enumerate(lines, 1):
        fingerprint, _, path = line.strip().partition(" ")
        if not fingerprint or fingerprint.startswith("#"):
            continue
        if not FINGERPRINT.fullmatch(fingerprint) or not os.path.isabs(path.strip()):
            raise _not_understood(file, number)
        known.append((fingerprint, path.strip()))
    return known


def _not_understood(file: Path, number: int) -> InputRejected:
    return InputRejected(
        f"Line {number} of {file} does not name a home and a socket.", "Write `SHA256:… /path/of/the/socket`, or remove it."
    )


def _note(home: str, socket: Path, file: Path) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "ab") as lines:
            lines.write(f"{home} {socket}\n".encode())
    except OSError as problem:
        raise StoreUnavailable(
            f"{file} cannot be written ({reason_of(problem)}), so the home could not be recognized again.",
            "Make it writable for you, or name another folder in XDG_CONFIG_HOME.",
        ) from None
