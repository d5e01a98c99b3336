"""Beside each envelope, what it holds as two plain files, for those who check with nothing but ssh-keygen: the signed bytes and the armored
signature. `ssh-keygen -Y verify -f signers -I ann -n headgate -s approvals/ann.sig < approvals/ann.signed`."""

from __future__ import annotations

from collections.abc import Mapping

from headgate.core.errors import IntegrityBroken
from tasks.signing.signatures import open_envelope

ENVELOPE, SIGNED, SIGNATURE = ".dsse.json", ".signed", ".sig"
AGAIN = "Ask the publisher for the folder again."


def detached_paths(path: str) -> tuple[str, str]:
    """Where the signed bytes and the signature of an envelope lie."""
    stem = path.removesuffix(ENVELOPE)
    return stem + SIGNED, stem + SIGNATURE


def detached_files(path: str, envelope: bytes) -> dict[str, bytes]:
    """Both files of an envelope, by their paths."""
    opened = open_envelope(envelope, path)
    return dict(zip(detached_paths(path), (opened.signed, opened.armored), strict=True))


def with_detached(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files, and beside each envelope its two."""
    beside: dict[str, bytes] = {}
    for path, content in files.items():
        if path.endswith(ENVELOPE):
            beside |= detached_files(path, content)
    return {**files, **beside}


def check_detached(path: str, files: Mapping[str, bytes]) -> None:
    """That the two files beside an envelope hold what it holds."""
    for name, content in detached_files(path, files[path]).items():
        if files.get(name) != content:
            raise IntegrityBroken(f"{name} is missing or is not what {path} holds.", AGAIN)
