"""A backup whose every byte was read, and behind which no ledger that others have seen would fall back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from policies.schema.loading import parse_file
from policies.schema.operator_file import OPERATORS_PAGE, Operator
from tasks.backup.backup_manifest import OTHER, BackupManifest
from tasks.backup.backup_target import only_user
from tasks.backup.heads_seen import SeenHead, cosigned_heads, heads_below, heads_of_home, refuse_rollback, require_one_chain
from tasks.backup.home_survey import KEYS
from tasks.backup.ledger_segments import kept_events
from tasks.backup.opened_backup import OpenedBackup, open_backup
from tasks.backup.sealed_keys import opened_with, require_marked
from tasks.ledger.event_log import event_of
from tasks.ledger.open_ledger import ledger_store
from tasks.runtime.operator_settings import OPERATOR_FILE
from tasks.signing.home_keys import LEDGER_KEY
from tasks.signing.public_keys import public_key, read_public_key

FORMER = ".former-"  # what lay in a restored home's place, and still says what it has seen


@dataclass(frozen=True)
class Wanted:
    """`key`: of the operator; None restores what can be read without it. `ledger_key`: what the ledger's key is known to be. `published`
    and `cosigned`: what others have seen of the ledger. `accept_loss`: restore although they have seen more than the backup holds."""

    target: Path
    name: str | None = None
    key: Path | None = None
    ledger_key: Path | None = None
    published: Sequence[Path] = ()
    cosigned: Sequence[Path] = ()
    accept_loss: bool = False


@dataclass(frozen=True)
class Verified:
    """A backup whose every byte was read. `keys`: the home's private ones, by path; empty without the operator's key. `beyond`: heads that
    others have seen past its end."""

    backup: OpenedBackup
    keys: Mapping[str, bytes]
    beyond: tuple[SeenHead, ...]

    @property
    def manifest(self) -> BackupManifest:
        return self.backup.manifest


def verify_backup(wanted: Wanted, home: Path | None = None) -> Verified:
    """Nothing is written. `home`: where it would be restored to, which may remember more than the backup knows."""
    require_target(wanted.target)
    with only_user(wanted.target):
        return verified(wanted, home)


def require_target(target: Path) -> None:
    if not target.is_dir():
        raise InputRejected(f"{target} is not a folder.", "Name the folder that `headgate backup` wrote to.")


def verified(wanted: Wanted, home: Path | None) -> Verified:
    backup = open_backup(wanted.target, wanted.name)
    manifest, objects = backup.manifest, backup.objects
    if wanted.ledger_key is not None and read_public_key(wanted.ledger_key).fingerprint != manifest.home:
        raise IntegrityBroken(f"Backup {backup.name} is signed by another key ({manifest.home}) than {wanted.ledger_key}.", OTHER)
    for sha256, size in manifest.objects.items():
        objects.check(sha256, size)
    _require_public_half(backup)
    heads = tuple(_heads(wanted, backup, home))
    numbers, hashes = {head.seq for head in heads}, dict[int, str]()
    for entry in kept_events(objects, manifest.segments):
        event_of(entry)
        if entry.seq in numbers:
            hashes[entry.seq] = entry.hash
    beyond = _beyond_database(require_one_chain(heads, manifest.seq, hashes))
    if beyond and not wanted.accept_loss:
        raise refuse_rollback(beyond, manifest.seq)
    keys = {} if wanted.key is None else _opened_keys(backup, wanted.key)
    return Verified(backup, keys, beyond)


def _beyond_database(beyond: tuple[SeenHead, ...]) -> tuple[SeenHead, ...]:
    """Where the ledger's database outlived its home, what it holds is not lost."""
    url = os.environ.get("HEADGATE_DATABASE_URL")
    if not (beyond and url):
        return beyond
    with ledger_store(url).reading() as stored:
        last = stored.last()
        held = {head.seq: entry.hash for head in beyond if (entry := stored.at(head.seq)) is not None}
    return beyond if last is None else require_one_chain(beyond, last.seq, held, "the ledger's database")


def _require_public_half(backup: OpenedBackup) -> None:
    """The ledger's key that a restored home would show is the one that signed the backup."""
    path = f"{KEYS}/{LEDGER_KEY}.pub"
    line = next((backup.objects.content(file.sha256, file.bytes) for file in backup.manifest.files if file.path == path), b"")
    if line and _fingerprint(line) == backup.manifest.home:
        return
    raise IntegrityBroken(f"Backup {backup.name} does not hold the public half of the key that signed it.", OTHER)


def _fingerprint(line: bytes) -> str:
    words = line.decode("ascii", "replace").split()
    return public_key(words[0], words[1], "The ledger's key").fingerprint if len(words) >= 2 else ""


def _opened_keys(backup: OpenedBackup, key: Path) -> dict[str, bytes]:
    sealed = backup.manifest.keys
    contents = opened_with(backup.objects.content(sealed.sha256, sealed.bytes), key)
    require_marked(contents, sealed.mark)
    return contents


def _heads(wanted: Wanted, backup: OpenedBackup, home: Path | None) -> Iterator[SeenHead]:
    own = backup.manifest.home
    for place in wanted.published:
        if not place.exists():
            raise InputRejected(f"{place} does not exist.", "Name a published folder, a store, or a home.")
        yield from heads_below(place, own)
    yield from cosigned_heads(wanted.cosigned)
    for folder in _visible(backup):
        yield from heads_below(folder, own, strict=False)
    if home is not None:
        for former in (home, *sorted(home.parent.glob(f"{escape(home.name)}{FORMER}*"))):
            yield from heads_of_home(former, own)


def _visible(backup: OpenedBackup) -> Iterator[Path]:
    """Folders to which this ledger published, as the environment and the operator.yaml of the backup name them."""
    named = [os.environ.get("HEADGATE_STORE", "")]
    file = next((file for file in backup.manifest.files if file.path == OPERATOR_FILE), None)
    if file is not None:
        with suppress(HeadgateError, UnicodeDecodeError):  # what it says is looked at again when the home is used
            text = backup.objects.content(file.sha256, file.bytes).decode()
            operator = parse_file(Operator, text, OPERATOR_FILE, OPERATORS_PAGE)
            named += [f"{address.rstrip('/')}/{target}" for target, address in operator.targets.items()]
    yield from (Path(address) for address in named if address.startswith("/") and Path(address).is_dir())
