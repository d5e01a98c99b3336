"""Copies of the heads that auditors cosigned, so that everybody sees up to where. The auditor's own file proves more: nobody here can
take that away."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken, StoreUnavailable
from tasks.ledger.chain import head_of
from tasks.ledger.event_log import Ledger
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.stores.files import replace_file
from tasks.verification.cosigned_heads import Cosigned, read_cosigned

MOST = 200
LARGEST = 64 * 1024


def keep_head(home: Home, ledger: Ledger, content: bytes) -> Cosigned:
    """If it lies on the chain now; one that does not is refused, and told."""
    if len(content) > LARGEST:
        raise InputRejected("The file is too large for a cosigned head.", "Give the file that `headgate audit cosign` wrote.")
    with tempfile.TemporaryDirectory(prefix="headgate-head-") as folder:
        file = Path(folder) / "The file"
        file.write_bytes(content)
        try:
            cosigned = read_cosigned(file)
        except HeadgateError:
            raise InputRejected("The file is not a cosigned head.", "Give the file that `headgate audit cosign` wrote.") from None
    with ledger.store.reading() as stored:
        entry = stored.at(cosigned.head.seq)
    if entry is None or head_of(entry) != cosigned.head:
        raise IntegrityBroken(
            f"Event {cosigned.head.seq} of the ledger is not the one that {cosigned.signer} cosigned: the ledger was changed or cut short.",
            "Keep the file, and tell whoever the house answers to. Compare the ledger with a backup.",
        )
    folder_of_heads = heads_folder(home)
    try:
        folder_of_heads.mkdir(mode=0o700, parents=True, exist_ok=True)
        if len(list(folder_of_heads.iterdir())) >= MOST:
            raise InputRejected(f"{MOST} cosigned heads are kept already.", f"Let the operator remove old ones from {folder_of_heads}.")
        replace_file(folder_of_heads / f"{hashlib.sha256(content).hexdigest()}.json", content)
    except OSError as problem:
        raise StoreUnavailable(
            f"The head could not be kept in {folder_of_heads} ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None
    return cosigned


def kept_heads(home: Home) -> tuple[Cosigned, ...]:
    """The newest first. One that somebody damaged is left out."""
    heads = []
    for file in heads_folder(home).glob("*.json"):
        try:
            heads.append(read_cosigned(file))
        except HeadgateError:
            continue
    return tuple(sorted(heads, key=lambda cosigned: (-cosigned.head.seq, cosigned.fingerprint)))


def heads_folder(home: Home) -> Path:
    return home.state / "cosigned"
