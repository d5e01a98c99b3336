"""The policies under which releases ran, as they were: each once, however often it ran, and none of them is ever published.

Of each policy two files are kept: its own bytes, and the canonical form whose SHA-256 is the policy's digest, so that anybody who has both
can tell with sha256sum that they are those of a release.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from policies.ledger.events import RunStarted
from tasks.reading.references import LoadedPolicy
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.keys import write_private
from tasks.stores.files import read_file


@dataclass(frozen=True)
class KeptPolicy:
    """`content`: the policy file's bytes. `digested`: the bytes whose SHA-256 is its digest."""

    content: bytes
    digested: bytes


def keep_policy(home: Home, loaded: LoadedPolicy) -> None:
    """Under the SHA-256 of its bytes, and under its digest."""
    content, digested = loaded.content, loaded.digested
    for path, kept in ((_own(home, hashlib.sha256(content).hexdigest()), content), (_digested(home, loaded.digest), digested)):
        try:
            write_private(path, kept)
        except OSError as problem:
            if path.is_file():
                continue  # it ran before
            raise StoreUnavailable(
                f"The policy could not be kept in {home.policies} ({reason_of(problem)}).", "Check permissions and free space."
            ) from None


def kept_policy(home: Home, started: RunStarted) -> KeptPolicy | None:
    """That of a run; None for one of an earlier version, which kept none."""
    if not started.policy_sha256:
        return None
    return KeptPolicy(
        _read(_own(home, started.policy_sha256), started.policy_sha256),
        _read(_digested(home, started.policy_digest), started.policy_digest),
    )


def kept_form(home: Home, digest: str) -> bytes | None:
    """The canonical form of the policy with this digest; None if the home keeps none."""
    return _read(_digested(home, digest), digest) if _digested(home, digest).is_file() else None


def _read(path: Path, digest: str) -> bytes:
    content = read_file(path.parent, path.name).content if path.is_file() else None
    if content is None or hashlib.sha256(content).hexdigest() != digest:
        lacks = "is missing" if content is None else "was changed"
        raise IntegrityBroken(f"{path}, which the home keeps of the policy of this release, {lacks}.", "Restore it from a backup.")
    return content


def _own(home: Home, digest: str) -> Path:
    return home.policies / f"{digest}.yaml"


def _digested(home: Home, digest: str) -> Path:
    return home.policies / f"{digest}.json"
