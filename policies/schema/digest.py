"""The digest that approvals are bound to: the parsed policy, with every file it refers to replaced by that file's own SHA-256."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import rfc8785

from headgate.core.errors import InputRejected
from policies.schema.policy import Policy, files_of


def policy_digest(policy: Policy, file_digests: Mapping[str, str]) -> str:
    """SHA-256 over what `digested_form` gives."""
    return hashlib.sha256(digested_form(policy, file_digests)).hexdigest()


def digested_form(policy: Policy, file_digests: Mapping[str, str]) -> bytes:
    """Canonical JSON (RFC 8785). Spelling, comments, key order and the files' names do not count; meaning does, so the defaults that were
    in force are part of it."""
    content: dict[str, Any] = policy.model_dump(mode="json", by_alias=True)
    if content["keep"] is None:  # policies of before have the digest that they had
        del content["keep"]
    for place, path in files_of(policy).items():
        digest = file_digests.get(path, "")
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise InputRejected(f"No SHA-256 is known for '{path}', to which the policy refers.", "Read every referenced file first.")
        section: Any = content
        for step in place[:-1]:
            section = section[step]
        section[place[-1]] = {"sha256": digest}
    return bytes(rfc8785.dumps(content))
