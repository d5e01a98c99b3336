"""The reason of a decision. Its text stays in the home: what is signed and published names it by a digest over text and salt, which tells
nothing to whoever does not have both."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from tasks.approval.approvals import decisions_folder
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.given_key import CallersKey
from tasks.signing.keys import PrivateKey
from tasks.stores.files import read_file, replace_file

SALT_BYTES = 32


@dataclass(frozen=True)
class GivenReason:
    """Reasons are short and could be guessed from a plain digest."""

    text: str
    salt: str

    @property
    def content(self) -> bytes:
        """The file that `sha256sum` gives the digest of: the salt on its first line, then the text."""
        return f"{self.salt}\n{self.text}".encode()

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def salted(text: str, key: PrivateKey | None = None) -> GivenReason:
    """With a new salt, or with the one that the owner of a key chose elsewhere."""
    chosen = key.salt if isinstance(key, CallersKey) else ""
    return GivenReason(text, chosen or new_salt())


def new_salt() -> str:
    return secrets.token_hex(SALT_BYTES)


def reason_from(content: bytes) -> GivenReason:
    salt, _, text = content.decode("utf-8", "replace").partition("\n")
    return GivenReason(text, salt)


def reason_file(digest: str) -> str:
    return f"{digest}.reason"


def keep_reason(home: Home, candidate: str, reason: GivenReason) -> None:
    folder = decisions_folder(home, candidate)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / reason_file(reason.digest)).exists():
            replace_file(folder / reason_file(reason.digest), reason.content)
    except OSError as problem:
        raise StoreUnavailable(
            f"The reason could not be stored in {folder} ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None


def kept_reason(home: Home, candidate: str, digest: str) -> GivenReason:
    """IntegrityBroken if it is gone, or is not what was signed."""
    stored = read_file(decisions_folder(home, candidate), reason_file(digest))
    if stored.sha256 != digest:
        raise IntegrityBroken("A reason in decisions/ is not the one that was signed.", "Restore it from a backup.")
    return reason_from(stored.content)
