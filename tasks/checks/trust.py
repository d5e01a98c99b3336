"""Files of trust: who owns and may read or write them, and how long the keys in them count."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from headgate.core.errors import HeadgateError
from headgate.core.units import counted
from tasks.approval.approvals import operator_roots
from tasks.checks.finding import Finding, Situation, failed, warned, well
from tasks.cluster.engine_choice import SPOOL
from tasks.runtime.operator_settings import OPERATOR_FILE, operator_in
from tasks.runtime.trusted_files import read_trusted, require_safe_folders
from tasks.service.socket_place import look_at, require_safe_place, socket_path
from tasks.signing.revocation import REVOKED
from tasks.signing.signers_file import SignerEntry
from tasks.verification.check_up import signers_told

SOON = timedelta(days=30)
OTHERS = 0o077


def check_rights(situation: Situation) -> Iterator[Finding]:
    home = situation.home
    wrong: list[Finding] = []
    for path in (home.root, home.keys, home.state, *_files(home.keys)):
        wrong += _private(path)
    for path in (home.root / OPERATOR_FILE, home.signers, home.root / REVOKED):
        wrong += _refused(partial(read_trusted, path))
    spool, socket = os.environ.get(SPOOL), socket_path()
    if spool is not None and not os.access(spool, os.W_OK | os.X_OK):
        wrong.append(failed("rights", f"{SPOOL} names a folder that cannot be written.", "Correct its permissions, or the variable."))
    if socket is not None:
        wrong += _refused(partial(require_safe_place, socket))
        wrong += _socket(socket)
    wrong += _refused(partial(require_safe_folders, home.root))
    yield from wrong or [
        well("rights", "The home, its keys and its files of trust belong to this account, and nobody else can write them.")
    ]


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pub"] if folder.is_dir() else []


def _private(path: Path) -> Iterator[Finding]:
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if status.st_uid != os.geteuid():
        yield failed("rights", f"{path} belongs to somebody else.", f"Check what lies there, then: chown '{path}'.")
    elif stat.S_IMODE(status.st_mode) & OTHERS:
        cure = f"chmod go-rwx '{path}'; if it is a key, somebody may know it."
        yield failed("rights", f"Others on this machine can read or change {path}.", cure)


def _refused(read: Callable[[], object]) -> Iterator[Finding]:
    try:
        read()
    except HeadgateError as problem:
        yield failed("rights", problem.message, problem.cure)


def _socket(path: Path) -> Iterator[Finding]:
    place = look_at(path)
    if not place.listened:
        yield warned("rights", f"Nobody answers at {path}.", "Start `headgate serve`.")


def check_signers(situation: Situation) -> Iterator[Finding]:
    """Whether the list and operator.yaml fit each other."""
    home = situation.home
    if not home.signers.exists() and situation.ledger.last() is None:
        yield well("signers", "Nobody is on the list of signers yet: fill it in before the first release.")
        return
    said = signers_told(home)
    if said:
        yield warned("signers", said, "Correct signers or operator.yaml.")
    else:
        yield well("signers", "Whoever operator.yaml names is on the list, and nobody has a key of the home.")


def check_keys(situation: Situation) -> Iterator[Finding]:
    """Who can sign now, who soon cannot any more, and whose only keys have ended."""
    home = situation.home
    if not home.signers.exists():
        yield well("keys", "There is no list of signers yet.")
        return
    roots, now = operator_roots(home), situation.ledger.seen_now()
    able = set(roots.people(now))
    ended = sorted({entry.principal for entry in roots.entries} - able)
    soon = sorted({entry.principal for entry in roots.entries if entry.principal in able and _ends(entry, now)})
    runners = operator_in(home.root).runners
    if runners is not None and not able & set(runners):
        yield failed("keys", "Nobody who may run releases has a key that counts now.", "Put a key of theirs into signers.")
    if ended:
        cure = "Put a new key into signers, or remove the line."
        yield warned("keys", f"No key of {', '.join(ended)} counts now: expired, not yet valid, or revoked.", cure)
    if soon:
        yield warned(
            "keys", f"A key of {', '.join(soon)} expires within {SOON.days} days.", "Ask them for a new key, and add its line now."
        )
    if not (ended or soon):
        yield well("keys", f"{counted(len(able), 'person', 'people')} can sign, and no key of theirs expires within {SOON.days} days.")


def _ends(entry: SignerEntry, now: datetime) -> bool:
    return entry.valid_before is not None and now < entry.valid_before <= now + SOON
