"""Where a candidate came from: which policy file and which source it was made from, so that both can be read again.

The note is private to the home: paths are no part of what is sealed. What it points to is trusted no further than its digests go, which
are sealed: the policy's in the manifest, and the source's there as an HMAC under the ledger's secret.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from headgate.core.errors import InputRejected, PolicyInvalid
from headgate.series.kept_version import Pseudonyms
from policies.words.frozen import Frozen
from tasks.reading.dictionaries import Dictionaries, encode_dictionaries
from tasks.reading.ingest import Ingested, ingest
from tasks.reading.prepare import PreparedSource, prepare_source
from tasks.reading.references import LoadedPolicy, load_policy
from tasks.runtime.home import Home
from tasks.series.pseudonyms import pseudonyms_of
from tasks.signing.home_keys import ledger_secret, source_hmac
from tasks.signing.keys import write_private
from tasks.stores.seal import Candidate


class Origin(Frozen):
    """`source` is the file that took the place of the policy's own, if one did."""

    policy: str
    source: str | None = None


def keep_origin(home: Home, candidate: str, policy: Path, source: Path | None) -> None:
    origin = Origin(policy=str(policy), source=None if source is None else str(source))
    write_private(home.origins / candidate, origin.model_dump_json().encode() + b"\n")


@dataclass(frozen=True, eq=False)
class Reopened:
    """`people`: the pseudonym of each row; None where no identifier says who is who in other versions."""

    loaded: LoadedPolicy
    source: PreparedSource
    people: Pseudonyms | None


def reopen(home: Home, candidate: Candidate, policy: Path | None = None, source: Path | None = None) -> Reopened:
    """A path that is given takes the place of the one kept. Anything but what the candidate was made from is refused."""
    kept = _read_origin(home, candidate.id)
    if policy is None and kept is None:
        raise InputRejected("It is not known which policy this candidate was made from.", "Name the policy with --policy.")
    loaded = _policy(policy or Path(kept.policy if kept else ""), candidate)
    ingested = _source(home, loaded, source or (Path(kept.source) if kept and kept.source else None), candidate)
    dictionaries = encode_dictionaries(loaded, ingested.table)
    _check_queries(home, dictionaries, candidate)
    people = pseudonyms_of(home, loaded.policy, ingested.identifiers)
    return Reopened(loaded, prepare_source(loaded.policy, ingested, dictionaries), people)


def _check_queries(home: Home, dictionaries: Dictionaries, candidate: Candidate) -> None:
    secret, sealed = ledger_secret(home.keys), candidate.manifest.dictionary_hmacs
    for name, digest in dictionaries.queried.items():
        if not hmac.compare_digest(source_hmac(secret, digest), sealed.get(name, "")):
            raise InputRejected(
                f"The dictionary '{name}' is not the one that candidate {candidate.id[:12]} was made with: its query gives another result.",
                "Restore the database's data as it was then.",
            )


def policy_place(home: Home, candidate: str) -> Path | None:
    """Where the policy of a candidate lay; None where that is not known."""
    try:
        kept = _read_origin(home, candidate)
    except InputRejected:
        return None
    return None if kept is None else Path(kept.policy)


def _read_origin(home: Home, candidate: str) -> Origin | None:
    """None where no note was kept, as by earlier versions, or where the candidate came from another home."""
    path = home.origins / candidate
    try:
        return Origin.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise InputRejected(f"{path} is not a note that headgate wrote.", "Remove it, and name --policy and --source.") from None


def _policy(path: Path, candidate: Candidate) -> LoadedPolicy:
    try:
        loaded = load_policy(path)
    except (InputRejected, PolicyInvalid) as refusal:
        problem = InputRejected(refusal.message, f"{refusal.cure} If the policy has moved, give its path with --policy.")
    else:
        if loaded.digest == candidate.manifest.policy_digest:
            return loaded
        problem = InputRejected(
            f"{path} is not the policy that candidate {candidate.id[:12]} was made under: its digest, or that of a file it names, differs.",
            "Name the policy as it was then with --policy.",
        )
    raise problem


def _source(home: Home, loaded: LoadedPolicy, path: Path | None, candidate: Candidate) -> Ingested:
    cure = "Give the data as it was then with --source."
    try:
        ingested = ingest(loaded, path)
    except InputRejected as refusal:
        problem = InputRejected(refusal.message, f"{refusal.cure} {cure}")
    else:
        digest = source_hmac(ledger_secret(home.keys), ingested.source_digest)
        if hmac.compare_digest(digest, candidate.manifest.source_hmac):
            return ingested
        problem = InputRejected(f"The source is not the one that candidate {candidate.id[:12]} was made from: its digest differs.", cure)
    raise problem
