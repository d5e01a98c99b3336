"""By what a release is known before it has anything else."""

from __future__ import annotations

import secrets


def new_release_id() -> str:
    return secrets.token_hex(8)
