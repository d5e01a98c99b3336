"""The files of a command, read by whoever asks: what they cannot read is not sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tasks.service.frames import FileEntry


def read_sent(options: Iterable[str], given: Mapping[str, Any]) -> tuple[tuple[FileEntry, ...], tuple[bytes, ...]]:
    """What they are given as, and their bytes, in one order."""
    from tasks.service.frames import FileEntry

    sent = [(option, *file) for option in options for file in _files(option, given)]
    entries = (
        FileEntry(role=role, name=name, size=len(content), sha256=hashlib.sha256(content).hexdigest()) for role, name, content in sent
    )
    return tuple(entries), tuple(content for *_, content in sent)


def _files(option: str, given: Mapping[str, Any]) -> list[tuple[str, bytes]]:
    from tasks.signing.keys import read_key_file

    value = given[option]
    if option == "policy":
        return _policy(value, given["source"] is None)
    if option == "source":
        from tasks.reading.source import read_bytes

        return [] if value is None else [(value.name, read_bytes(value, "The source"))]
    if option == "signers":
        return [] if value is None else _signers(value)
    paths = value if isinstance(value, list) else [value]
    if option == "head":
        paths = [path / "head.dsse.json" if path is not None and path.is_dir() else path for path in paths]
    return [(path.name, read_key_file(path, f"The file of --{option}")) for path in paths if path is not None]


def _signers(named: Path) -> list[tuple[str, bytes]]:
    """Believed as where the command runs itself: only if nobody else could have written it, and with the keys that no longer count, which
    lie beside it."""
    from headgate.core.errors import InputRejected
    from tasks.runtime.trusted_files import read_trusted
    from tasks.signing.revocation import REVOKED

    listed, revoked = read_trusted(named), read_trusted(named.parent / REVOKED)
    if listed is None:
        raise InputRejected(f"The file of --signers {named} does not exist.", "Check the path.")
    return [("signers", listed), *([] if revoked is None else [(REVOKED, revoked)])]


def _policy(named: Path, own_source: bool) -> list[tuple[str, bytes]]:
    """With everything that it names."""
    from flows.policy_files import resolve_policy
    from tasks.reading.references import read_policy
    from tasks.reading.source import read_bytes
    from tasks.service.handed_policy import named_files

    path = resolve_policy(named)
    names = named_files(read_policy(path), own_source)
    return [(path.name, read_bytes(path, "The policy")), *((name, read_bytes(path.parent / name, "The file")) for name in names)]
