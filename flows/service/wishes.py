"""What a command may be signed for: the person's own words, turned into the statement that they expect."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tasks.service.asked_to_sign import Wish


def wish_of(name: str, options: Mapping[str, Any], salt: str) -> Wish:
    from tasks.approval.reasons import GivenReason
    from tasks.service.asked_to_sign import Cosign, Decide

    if name == "release":
        return _seal(options["policy"])
    if name == "audit cosign":
        return Cosign()
    action, named = name.replace("_", "-"), options.get("candidate") or options["release"]
    return Decide(action, named, GivenReason((options["reason"] or "").strip(), salt).digest)


def _seal(policy: Path) -> Wish:
    from flows.policy_files import resolve_policy
    from tasks.reading.references import load_policy
    from tasks.service.asked_to_sign import Seal

    loaded = load_policy(resolve_policy(policy))
    return Seal(loaded.policy.dataset, loaded.digest)
