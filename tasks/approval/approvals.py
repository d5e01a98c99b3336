"""Which approvals of a candidate count now: sealed keys, still listed, valid when they signed, and not revoked since."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from headgate.core.errors import IntegrityBroken, Refusal, StoreUnavailable
from policies.approval.acts import OperatorRules
from policies.ledger.events import CandidateApproved, Event, SignedEvent, moment
from policies.ledger.standing import Release
from policies.sealed.manifest import Manifest, Signer
from policies.words.quorum import fill_roles
from tasks.approval.operator_demands import operator_demands
from tasks.approval.statements import check_decision
from tasks.ledger.chain import RESTORE
from tasks.ledger.event_log import Ledger
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.home_keys import home_fingerprint, own_fingerprints
from tasks.signing.revocation import REVOKED
from tasks.signing.signatures import CANDIDATE, verify_envelope
from tasks.signing.signers_file import signers_from_text
from tasks.signing.trust_roots import TrustRoots, read_revoked, trust_roots
from tasks.stores.files import read_file, replace_file, sync_folder
from tasks.stores.seal import MANIFEST_SIGNATURE, SIGNERS_FILE, Candidate, sealed_for

RUN_AGAIN = "Reject or withdraw it. Somebody who may run releases runs it again."
RECORDED, PENDING = ".dsse.json", ".pending"


@dataclass(frozen=True)
class Approval:
    """One recorded approval and its envelope. `void` says why it does not count, as the end of a sentence; "" if it counts. `role`: the
    required role that this person fills."""

    signer: Signer
    at: str
    sha256: str
    envelope: bytes
    void: str
    role: str = ""


def operator_roots(home: Home) -> TrustRoots:
    """The operator's signers and revoked keys at this moment."""
    return trust_roots(home.signers, home.root / REVOKED, own_fingerprints(home.keys))


def policy_roots(home: Home, signers: str | None) -> TrustRoots:
    """Who may sign under a policy: those of its own file, or else the operator's."""
    return operator_roots(home) if signers is None else _own_roots(home, signers.encode())


def _own_roots(home: Home, signers: bytes) -> TrustRoots:
    """The operator's revoked keys void these too."""
    digest = hashlib.sha256(signers).hexdigest()
    entries = signers_from_text(signers.decode("utf-8", "replace"))
    return TrustRoots(entries, read_revoked(home.root / REVOKED), digest, own_fingerprints(home.keys))


def roots_of(home: Home, folder: Path, manifest: Manifest) -> TrustRoots:
    """The signers in force for a candidate. One that carries a file `signers` was made under a policy with signers of its own: they are
    fixed by its digest. Otherwise the operator's file counts as it is now. The operator's revoked keys void in both cases."""
    if not any(entry.path == SIGNERS_FILE for entry in manifest.files):
        return operator_roots(home)
    operator_demands(home).require_no_policy_signers()
    roots = _own_roots(home, read_file(folder, SIGNERS_FILE).content)
    if roots.digest != manifest.signers_digest:
        raise IntegrityBroken("The candidate's signers are not those its manifest names.", "Run the release again.")
    return roots


def manifest_signers(roots: TrustRoots, now: datetime, ran: Collection[str]) -> tuple[Signer, ...]:
    """Who may approve, in the form a manifest holds. `ran`: the keys with which it was run."""
    return tuple(Signer(principal=principal, fingerprint=fingerprint) for principal, fingerprint in roots.sealed(now, ran))


def runner_refusals(home: Home, candidate: Candidate) -> list[Refusal]:
    """Why nobody may rely any more on who ran a release, or on the machine that did; or that they did not run it here."""
    manifest, roots, people = candidate.manifest, operator_roots(home), operator_demands(home).operator.runners
    person = manifest.runner.principal
    why_not = roots.why_not(manifest.runner.fingerprint, person, moment(manifest.created))
    if why_not:
        return [Refusal("runner", f"the key of {person}, who ran the release, {why_not}")]
    if people is not None and person not in people:
        return [Refusal("runner", f"{person}, who ran the release, is no longer among those who may run releases")]
    if roots.revokes(verify_envelope(candidate.manifest_envelope, MANIFEST_SIGNATURE, CANDIDATE).key):
        return [Refusal("runner", "the key of the machine that ran the release is revoked")]
    if not sealed_for(candidate.manifest_envelope, home_fingerprint(home.keys)):
        return [Refusal("home", f"{person} ran the release in another home")]
    return []


def decisions_folder(home: Home, candidate: str) -> Path:
    return home.root / "decisions" / candidate


def keep_envelope(home: Home, candidate: str, envelope: bytes) -> str:
    """Stores a decision under its hash, which the ledger then records. It has its last name only once its event is on the chain, so that
    every decision of that name which the ledger lacks was taken from the ledger."""
    folder = decisions_folder(home, candidate)
    digest = hashlib.sha256(envelope).hexdigest()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / f"{digest}{RECORDED}").exists():
            replace_file(folder / f"{digest}{RECORDED}{PENDING}", envelope)
    except OSError as problem:
        raise StoreUnavailable(
            f"The decision could not be stored in {folder} ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None
    return digest


def settle_envelope(home: Home, candidate: str, digest: str) -> None:
    """After its event: the last name. If that fails, the decision stands, and is found under its first name."""
    kept = decisions_folder(home, candidate) / f"{digest}{RECORDED}"
    with suppress(OSError):
        os.replace(kept.with_name(kept.name + PENDING), kept)
        sync_folder(kept.parent)


def kept_envelope(home: Home, candidate: str, digest: str) -> bytes:
    folder, name = decisions_folder(home, candidate), f"{digest}{RECORDED}"
    pending = not (folder / name).exists() and (folder / f"{name}{PENDING}").exists()
    return read_file(folder, f"{name}{PENDING}" if pending else name).content


def decided_candidates(home: Home) -> tuple[str, ...]:
    return _names_in(home.root / "decisions")


def kept_decisions(home: Home, candidate: str) -> frozenset[str]:
    """The digests of the decisions on a candidate whose event was on the chain."""
    names = _names_in(decisions_folder(home, candidate))
    return frozenset(name.removesuffix(RECORDED) for name in names if name.endswith(RECORDED))


def _names_in(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(sorted(os.listdir(folder)))
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise StoreUnavailable(f"{folder} cannot be read ({reason_of(problem)}).", "Check the home's permissions.") from None


def unrecorded(kept: frozenset[str], events: Iterable[Event]) -> frozenset[str]:
    """Of the decisions that are kept, those which the ledger no longer holds."""
    return kept - {event.statement_sha256 for event in events if isinstance(event, SignedEvent)}


def require_recorded(home: Home, ledger: Ledger, release: Release) -> None:
    """Nothing is decided where a signed decision was taken from the ledger. What is kept is listed first: others may decide meanwhile."""
    kept = kept_decisions(home, release.decided)
    gone = unrecorded(kept, ledger.events_of(release.release_id))
    if gone:
        raise IntegrityBroken(
            f"A signed decision on candidate {release.decided[:12]} is kept in {decisions_folder(home, release.decided)} and missing "
            "from the ledger: an older ledger was put back, or events were deleted.",
            RESTORE,
        )


def weigh_approvals(home: Home, release: Release, events: Sequence[Event], roots: TrustRoots) -> tuple[Approval, ...]:
    """Every recorded approval and whether it counts now. IntegrityBroken if its signature, verified again, does not hold."""
    weighed = []
    for event in events:
        if not isinstance(event, CandidateApproved):
            continue
        envelope = kept_envelope(home, release.candidate, event.statement_sha256)
        check_decision(envelope, event, release.dataset, f"The approval of {event.signer.principal}")
        void = roots.why_not(event.signer.fingerprint, event.signer.principal, moment(event.at))
        void = f"the key of {event.signer.principal} {void}" if void else ""
        weighed.append(Approval(event.signer, event.at, event.statement_sha256, envelope, void))
    return tuple(weighed)


def void_keys(approvals: Sequence[Approval]) -> frozenset[str]:
    """Keys whose approval does not count, for the rules of policies.approval.decide."""
    return frozenset(approval.signer.fingerprint for approval in approvals if approval.void)


def counting_approvals(release: Release, approvals: Sequence[Approval], rules: OperatorRules) -> tuple[Approval, ...]:
    """Those that count, and which role each person fills."""
    quorum, agreeing = release.quorum.raised_to(rules.floor), release.agreeing(rules.revoked, rules.held)
    filled = fill_roles(quorum.roles, agreeing)
    return tuple(replace(each, role=filled.get(each.signer.principal, "")) for each in approvals if not each.void)


def void_refusals(release: Release, approvals: Sequence[Approval]) -> list[Refusal]:
    """Why approvals do not count, unless that would tell whose they are before everybody has signed."""
    return [] if release.hides_votes else [Refusal("void", approval.void) for approval in approvals if approval.void]
