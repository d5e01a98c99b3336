"""One file per version: who was in which group, and what the groups were published with. Encrypted (AES-GCM) under a key that follows from
the home's secret, bound to dataset and candidate: a file that was cut short, changed, moved or brought from another home is refused."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from headgate.series.kept_version import CodedValues, KeptTable, KeptVersion
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.series.pseudonyms import keeping_key
from tasks.signing.home_keys import ledger_secret
from tasks.stores.files import sync_folder

MAGIC = b"headgate series 1\n"
NONCE = 12
LENGTH = 8
CANDIDATE = re.compile(r"[0-9a-f]{64}")
RESTORE = "Restore the folder series/ of the home, and keys/, from one backup"
WITHOUT = "or write gates.series: {unmeasured: REASON} beside its bounds; approvers read the reason"

Array = NDArray[Any]


def keep(home: Home, dataset: str, candidate: str, version: KeptVersion) -> None:
    """On disk before it returns, and whole or not at all."""
    folder = home.series / dataset
    draft = folder / f"{candidate}.{secrets.token_hex(4)}.draft"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(MAGIC)
            for block in _sealed(home, dataset, candidate, version):
                file.write(len(block).to_bytes(LENGTH, "big") + block)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(folder / candidate)
        sync_folder(folder)
    except OSError as problem:
        reason = reason_of(problem)
        with suppress(OSError):  # what cannot be removed now is removed by the dataset's next run
            draft.unlink()
        raise StoreUnavailable(
            f"Who is in which group could not be kept in {folder} ({reason}).", "Check permissions and free space."
        ) from None


def kept(home: Home, dataset: str, candidate: str) -> KeptVersion | None:
    """None where the home does not have it."""
    path = home.series / dataset / candidate
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise StoreUnavailable(f"{path} cannot be read ({reason_of(problem)}).", "Check permissions.") from None
    return _version(list(_opened(home, dataset, candidate, content, path)), path)


def is_kept(home: Home, dataset: str, candidate: str) -> bool:
    return (home.series / dataset / candidate).exists()


def drop(home: Home, dataset: str, candidate: str) -> bool:
    """Whether there was something to drop."""
    path = home.series / dataset / candidate
    present = path.exists()
    path.unlink(missing_ok=True)
    if present:
        sync_folder(path.parent)
    return present


def kept_candidates(home: Home, dataset: str) -> tuple[str, ...]:
    """What was left half written by a run that died is removed on the way: call it under the dataset's lock."""
    folder = home.series / dataset
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        if name.endswith(".draft"):
            (folder / name).unlink(missing_ok=True)
    return tuple(name for name in names if CANDIDATE.fullmatch(name))


def kept_datasets(home: Home) -> tuple[str, ...]:
    return tuple(sorted(path.name for path in home.series.iterdir() if path.is_dir())) if home.series.is_dir() else ()


def _sealed(home: Home, dataset: str, candidate: str, version: KeptVersion) -> Iterator[bytes]:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    cipher = AESGCM(keeping_key(ledger_secret(home.keys)))
    described = [{name: [*values.texts] for name, values in table.columns.items()} for table in version.tables]
    readings = [len(table.classes) for table in version.tables]
    arrays: list[Array] = [version.people]
    for table in version.tables:
        arrays += [*table.classes, *table.groups]
        for values in table.columns.values():
            arrays += [values.codes, values.sensitive]
    header = json.dumps({"arrays": len(arrays), "tables": described, "readings": readings}).encode()
    for number, array in enumerate([np.frombuffer(header, dtype=np.uint8), *arrays]):
        nonce, plain = secrets.token_bytes(NONCE), BytesIO()
        np.lib.format.write_array(plain, array, allow_pickle=False)
        yield nonce + cipher.encrypt(nonce, plain.getbuffer(), _bound_to(dataset, candidate, number))


def _opened(home: Home, dataset: str, candidate: str, content: bytes, path: Path) -> Iterator[Array]:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    cipher, view, at = AESGCM(keeping_key(ledger_secret(home.keys))), memoryview(content), len(MAGIC)
    if content[:at] != MAGIC:
        raise _damaged(path)
    number = 0
    while at < len(view):
        size = int.from_bytes(view[at : at + LENGTH], "big")
        block = view[at + LENGTH : at + LENGTH + size]
        if len(block) != size or size <= NONCE:
            raise _damaged(path)
        try:
            plain = cipher.decrypt(bytes(block[:NONCE]), block[NONCE:], _bound_to(dataset, candidate, number))
        except InvalidTag:
            raise _damaged(path) from None
        yield np.lib.format.read_array(BytesIO(plain), allow_pickle=False)
        number, at = number + 1, at + LENGTH + size


def _bound_to(dataset: str, candidate: str, number: int) -> bytes:
    return f"{dataset}\n{candidate}\n{number}".encode()


def _version(arrays: list[Array], path: Path) -> KeptVersion:
    """What was cut off at the end of a block is lacking here."""
    header: dict[str, Any] = json.loads(arrays[0].tobytes()) if arrays else {}
    if header.get("arrays") != len(arrays) - 1:
        raise _damaged(path)
    rest = iter(arrays[1:])
    people = next(rest)
    tables = []
    for columns, readings in zip(header["tables"], header["readings"], strict=True):
        classes = tuple(next(rest) for _ in range(readings))
        groups = tuple(next(rest) for _ in range(readings))
        coded = {name: CodedValues(next(rest), tuple(texts), next(rest)) for name, texts in columns.items()}
        tables.append(KeptTable(classes, groups, coded))
    return KeptVersion(people, tuple(tables))


def _damaged(path: Path) -> IntegrityBroken:
    return IntegrityBroken(f"{path} was changed or cut short, or belongs to another home.", f"{RESTORE}; {WITHOUT}.")
