"""A policy that a caller sends, with everything that it names: a release over the socket reads nothing else."""

from __future__ import annotations

from pathlib import Path

from headgate.core.errors import InputRejected
from policies.schema.policy import Policy, files_of
from policies.schema.source_key import SqlSource
from tasks.reading.references import read_policy
from tasks.service.handed_files import inner_path


def named_files(policy: Policy, own_source: bool) -> tuple[str, ...]:
    """Every file that a release of this policy reads, its source included where `own_source`. A query reads with the rights of the service
    and not of the caller, so none is taken."""
    attackers = policy.gates.attackers
    if (own_source and isinstance(policy.source, SqlSource)) or any(one.sql for one in (attackers.dictionaries if attackers else ())):
        raise InputRejected(
            "A policy with a query cannot be sent: it would be asked with the rights of the service account.",
            "Register it with the operator, who serves it on a schedule; or export the result to a file and give it with --source.",
        )
    path = getattr(policy.source, "path", None) if own_source else None
    named = [*files_of(policy).values(), *([] if path is None else [str(path)])]
    return tuple(dict.fromkeys(map(inner_path, named)))


def require_handed(policy: Path, own_source: bool) -> None:
    """That everything the policy names was sent with it: the service would look for the rest among its own files."""
    for name in named_files(read_policy(policy), own_source):
        if not (policy.parent / name).is_symlink():
            raise InputRejected(f"The policy names {name}, which was not sent.", "Run the command again with the same version of headgate.")
