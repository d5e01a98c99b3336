"""The passkeys that people have registered in the console, so that the operator can list them and a browser finds them again.

Nothing here lets anybody sign: a key counts once the operator has added its line to `signers`, and only there.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

from pydantic import Field, ValidationError

from headgate.core.errors import InputRejected, StoreUnavailable
from policies.ledger.events import Moment
from policies.words.frozen import Frozen
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.passkeys import Registered
from tasks.signing.public_keys import PublicKey, public_key
from tasks.stores.files import replace_file

MOST = 20  # passkeys of one person
CREDENTIAL = "[A-Za-z0-9_-]{1,1400}"
DAMAGED = "A passkey that is kept in the home cannot be read."


class KeptPasskey(Frozen):
    principal: str
    kind: str
    blob: str
    credential: str = Field(pattern=f"^{CREDENTIAL}$")
    at: Moment

    @property
    def key(self) -> PublicKey:
        return public_key(self.kind, self.blob, "A kept passkey")

    @property
    def registered(self) -> Registered:
        return Registered(self.key, self.credential)


def keep_passkey(home: Home, principal: str, made: Registered, now: datetime) -> KeptPasskey:
    kind, blob = made.key.line.split(" ")
    if not re.fullmatch(CREDENTIAL, made.credential):
        raise InputRejected("The passkey's own name is empty or too long.", "Make it with another browser or security key.")
    kept = KeptPasskey(principal=principal, kind=kind, blob=blob, credential=made.credential, at=now.isoformat())
    everybodys = kept_passkeys(home)
    if any(other.blob == blob and other.principal != principal for other in everybodys):
        # a browser that registers proves nothing: the key may be somebody else's, as it stands in signers
        raise InputRejected("This passkey is kept for somebody else.", "Make one of your own.")
    if sum(other.principal == principal for other in everybodys) >= MOST:
        raise InputRejected(f"{MOST} passkeys of this person are kept already.", "Remove one that is not used.")
    folder = passkeys_folder(home)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(_file(folder, kept), json.dumps(kept.model_dump(mode="json"), indent=1).encode() + b"\n")
    except OSError as problem:
        raise StoreUnavailable(
            f"The passkey could not be kept in {folder} ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None
    return kept


def kept_passkeys(home: Home, principal: str | None = None) -> tuple[KeptPasskey, ...]:
    """Of one person, or of everybody; the oldest first."""
    found = (_read(file) for file in sorted(passkeys_folder(home).glob("*.json")))
    return tuple(sorted((kept for kept in found if principal in (None, kept.principal)), key=lambda kept: kept.at))


def forget_passkey(home: Home, principal: str, fingerprint: str) -> None:
    """Its line in `signers`, if there is one, is the operator's to remove."""
    for kept in kept_passkeys(home, principal):
        if kept.key.fingerprint == fingerprint:
            _file(passkeys_folder(home), kept).unlink(missing_ok=True)


def forget_passkeys(home: Home, principal: str) -> tuple[str, ...]:
    """All of a person; their fingerprints."""
    kept = kept_passkeys(home, principal)
    for each in kept:
        _file(passkeys_folder(home), each).unlink(missing_ok=True)
    return tuple(each.key.fingerprint for each in kept)


def passkeys_folder(home: Home) -> Path:
    return home.state / "passkeys"


def _file(folder: Path, kept: KeptPasskey) -> Path:
    name = kept.key.fingerprint.partition(":")[2].replace("/", "_").replace("+", "-")
    return folder / f"{name}.json"


def _read(file: Path) -> KeptPasskey:
    try:
        return KeptPasskey.model_validate_json(file.read_bytes())
    except OSError as problem:
        raise StoreUnavailable(f"{file} cannot be read ({reason_of(problem)}).", "Check the home's permissions.") from None
    except ValidationError:
        raise InputRejected(DAMAGED, f"Remove {file}, and register the passkey again.") from None
