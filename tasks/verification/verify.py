"""Verifying a published folder: by anyone, offline, from the folder alone.

Nothing in it is trusted: no link is followed, no path in it leads anywhere, no code it names is imported, and what is measured are the
very bytes that were hashed. Without trust roots of the reader's own, a folder can only be consistent with itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken
from headgate.core.units import counted
from headgate.released.description import absent_version
from policies.ledger.events import CandidateApproved, CandidateSealed, Event, moment
from policies.ledger.fold import fold
from policies.ledger.standing import Release
from policies.ledger.states import State
from policies.sealed.manifest import Manifest, Signer
from policies.words.quorum import fill_roles, in_words
from tasks.approval.statements import check_decision
from tasks.ledger.chain import EVENTS_FILE, HEAD_FILE, HEAD_SIGNATURE, check_own_chain, entries_from_lines, head_of, verify_head
from tasks.ledger.event_log import event_of
from tasks.ledger.history import check_same
from tasks.publication.attestation import APPROVALS, ATTESTATION_FILE, approval_path, check_attestation, check_place
from tasks.publication.recorded_withdrawal import check_withdrawal
from tasks.signing.detached import detached_paths
from tasks.signing.public_keys import read_public_key
from tasks.signing.registration import REGISTRATION, check_registration
from tasks.signing.revocation import FINGERPRINT, REVOKED
from tasks.signing.signatures import Signed
from tasks.signing.trust_roots import TrustRoots, trust_roots
from tasks.stores.files import Stored, read_file
from tasks.stores.release_store import WITHDRAWN
from tasks.stores.seal import MANIFEST, MANIFEST_SIGNATURE, check_manifest_signature, read_manifest, sealed_for
from tasks.stores.store_folder import NUMBER
from tasks.verification.claims import remeasure
from tasks.verification.read_version import AGAIN, added_files, read_version

if TYPE_CHECKING:
    from policies.gates.figures import TableFigures

PUBLISHED_WITH = (EVENTS_FILE, HEAD_FILE, HEAD_SIGNATURE, ATTESTATION_FILE)  # a folder with none of them is not a version
NOT_PROVEN = "consistent with itself, origin not proven"
PROVEN = "origin proven"


@dataclass(frozen=True)
class Finding:
    """One check, and what it found. A check that could not be made because an earlier one failed is not there."""

    check: str
    passed: bool
    detail: str


@dataclass(frozen=True)
class VerifyReport:
    folder: Path
    findings: tuple[Finding, ...]
    not_measured: tuple[str, ...]
    origin: str
    candidate: str = ""
    dataset: str = ""
    release_id: str = ""
    version: int | None = None
    approved_by: tuple[str, ...] = ()
    tables: tuple[TableFigures, ...] = ()
    target: str = ""
    withdrawn: str = ""  # by whom and when

    @property
    def passed(self) -> bool:
        return all(finding.passed for finding in self.findings)


class FolderBroken(IntegrityBroken):
    """With the whole report, so that it can be shown."""

    def __init__(self, report: VerifyReport) -> None:
        failed = [finding.detail for finding in report.findings if not finding.passed]
        super().__init__(f"{report.folder.parent.name}/{report.folder.name} does not hold what it claims: {' '.join(failed)}", AGAIN)
        self.report = report


def verify_folder(folder: Path, signers: Path | None = None, ledger_key: Path | str | None = None) -> VerifyReport:
    """Every hash, signature and privacy claim; FolderBroken (exit code 5) unless all of them hold.

    `signers` is the reader's own allowed_signers file, `ledger_key` the publisher's ledger.pub or its SHA256:… fingerprint, both had by
    another way than the folder."""
    report = examine_folder(folder, signers, ledger_key)
    if not report.passed:
        raise FolderBroken(report)
    return report


def examine_folder(folder: Path, signers: Path | None = None, ledger_key: Path | str | None = None) -> VerifyReport:
    """The same, without raising for what the folder holds."""
    named = folder.resolve()  # the reader's own way to it may go through links, such as `latest`
    if not named.exists():
        raise absent_version(str(folder))
    if not (named / MANIFEST).is_file():
        raise InputRejected(f"{folder} is not a published version: it has no {MANIFEST}.", "Name a version's folder, such as …/latest.")
    if not any((named / path).exists() for path in (*PUBLISHED_WITH, APPROVALS)):
        raise InputRejected(
            f"{folder} is a candidate that is not published yet: there are no approvals, and no attestation, to verify.",
            "Look at it with `headgate show CANDIDATE`; verify the version's folder once it is published.",
        )
    roots = None if signers is None else trust_roots(signers, signers.parent / REVOKED)
    expected = None if ledger_key is None else _fingerprint(ledger_key)
    examination = _Examination(named, folder.absolute().name, roots, expected)
    examination.run()
    return examination.report()


def _fingerprint(ledger_key: Path | str) -> str:
    """What begins as a fingerprint is never a file: a download could bring one of that name."""
    if isinstance(ledger_key, str) and ledger_key.startswith("SHA256:"):
        if not FINGERPRINT.fullmatch(ledger_key):
            raise InputRejected(
                "The ledger's key is not a whole fingerprint.", "Give SHA256: and 43 characters, as ssh-keygen -l prints it."
            )
        return ledger_key
    return read_public_key(Path(ledger_key)).fingerprint


def _unordered(approvals: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted(str(sorted(approval.items())) for approval in approvals)


class _Examination:
    """The checks in their order. Each depends on those before it: if one fails, those that need it are left out."""

    def __init__(self, folder: Path, called: str, roots: TrustRoots | None, ledger_key: str | None) -> None:
        """`called`: as the reader named it, which may be a link's name."""
        self.folder, self.called, self.roots, self.ledger_key = folder, called, roots, ledger_key
        self.findings: list[Finding] = []
        self.files: dict[str, Stored] = {}
        self.manifest: Manifest | None = None
        self.release: Release | None = None
        self.events: tuple[Event, ...] = ()
        self.approved_by: tuple[str, ...] = ()
        self.tables: tuple[TableFigures, ...] = ()
        self.not_measured: tuple[str, ...] = ()
        self.candidate = ""
        self.withdrawn = ""

    def run(self) -> None:
        if not (self._check("manifest", self._manifest) and self._check("files", self._read)):
            return
        if self.roots is not None:
            self._check("runner", self._runner)
        if WITHDRAWN in self.files:
            self._check("withdrawal", self._withdrawal)
        whole = self._check("contents", self._contents)
        if self._check("events and signed head", self._events):
            self._check("approvals", self._approvals)
        self._check("attestation", self._attestation)
        if whole:  # only what has the hash that was signed is worth opening
            self._check("privacy claims", self._claims)

    def report(self) -> VerifyReport:
        proven = self.roots is not None and self.ledger_key is not None and all(finding.passed for finding in self.findings)
        manifest, release = self.manifest, self.release
        return VerifyReport(
            self.folder,
            tuple(self.findings),
            self.not_measured,
            PROVEN if proven else NOT_PROVEN,
            self.candidate,
            "" if manifest is None else manifest.dataset,
            "" if manifest is None else manifest.release_id,
            None if release is None else release.version,
            self.approved_by,
            self.tables,
            "" if release is None else release.target,
            self.withdrawn,
        )

    def _check(self, name: str, made: Callable[[], str]) -> bool:
        try:
            self.findings.append(Finding(name, True, made()))
        except HeadgateError as problem:
            self.findings.append(Finding(name, False, problem.message))
        except Exception as foreign:  # noqa: BLE001 - a stranger's file may break any reader, and what cannot be checked has not passed
            self.findings.append(Finding(name, False, f"It could not be checked ({type(foreign).__name__})."))
        return self.findings[-1].passed

    def _read(self) -> str:
        self.files = read_version(self.folder, self._sealed())
        return f"{len(self.files)} files: no links, no unsafe names, none too many"

    def _read_first(self, *paths: str) -> None:
        self.files |= {path: read_file(self.folder, path) for path in paths}

    def _stored(self, path: str) -> bytes:
        if path not in self.files:
            raise IntegrityBroken(f"{path} is missing.", AGAIN)
        return self.files[path].content

    def _sealed(self) -> Manifest:
        if self.manifest is None:
            raise IntegrityBroken(f"{MANIFEST} does not hold.", AGAIN)
        return self.manifest

    def _require_not_revoked(self, signed: Signed, whose: str) -> None:
        """Of keys that speak for nobody and are on no list of signers. Whoever has such a key could have made all that it signed."""
        if self.roots is not None and self.roots.revokes(signed.key):
            raise IntegrityBroken(
                f"Your {REVOKED} revokes the key of {whose} ({signed.fingerprint}), so that anything it signed may be forged: do not use "
                "this folder, and ask the publisher for one that was signed with a key that counts.",
                AGAIN,
            )

    def _manifest(self) -> str:
        """Read before anything else, since it says what else there is to read."""
        self._read_first(MANIFEST)
        manifest = read_manifest(self._stored(MANIFEST))
        self._read_first(MANIFEST_SIGNATURE, *([REGISTRATION] if manifest.machine else []))
        self.candidate = self.files[MANIFEST].sha256
        signed = check_manifest_signature(manifest, self.candidate, self._stored(MANIFEST_SIGNATURE))
        runner = f"signed by the key of its runner {manifest.runner.principal}"
        if manifest.machine:
            self._require_not_revoked(signed, "the machine that ran the release")
            check_registration(self._stored(REGISTRATION), manifest)
            runner = f"signed by a machine ({manifest.machine}) on the schedule that {manifest.runner.principal} registered"
        self.manifest = manifest
        return f"candidate {self.candidate[:12]}, {runner}"

    def _runner(self) -> str:
        """Somebody whom the reader knows ran it, so that no approval can be theirs under another name."""
        manifest = self._sealed()
        runner = manifest.runner
        why_not = self._why_not(runner, manifest.created)
        if why_not:
            raise IntegrityBroken(f"The key that ran the release, {runner.principal}'s, {why_not}.", AGAIN)
        ran = "registered the schedule that ran it" if manifest.machine else "ran it"
        return f"{runner.principal} {ran}, with a key of your signers"

    def _withdrawal(self) -> str:
        """By whoever could, as the ledger's key recorded it; and by a key that counted then, where the reader says whose keys do."""
        own = entries_from_lines(self._stored(EVENTS_FILE).decode("utf-8", "replace"), EVENTS_FILE)
        event, signed = check_withdrawal(self._stored(WITHDRAWN), self._sealed(), self.candidate, own)
        self._require_ledger(signed, WITHDRAWN)
        signer = event.signer
        why_not = self._why_not(signer, event.at)
        if why_not:
            raise IntegrityBroken(f"{WITHDRAWN} is signed by a key of {signer.principal} that {why_not}.", AGAIN)
        self.withdrawn = f"by {signer.principal} on {event.at[:10]}"
        return f"withdrawn {self.withdrawn}"

    def _require_ledger(self, signed: Signed, what: str) -> None:
        """By the key that signed the head, which no other can stand in for."""
        self._require_not_revoked(signed, "the ledger")
        _, head = verify_head(self._stored(HEAD_FILE), self._stored(HEAD_SIGNATURE))
        if signed.fingerprint != head.fingerprint:
            raise IntegrityBroken(f"{what} is signed by another key than {HEAD_FILE}.", AGAIN)

    def _contents(self) -> str:
        """All sealed files, as they were sealed, and all that publication adds."""
        listed = {entry.path: entry for entry in self._sealed().files}
        missing = [path for path in [*listed, *sorted(added_files())] if path not in self.files]
        if missing:
            raise IntegrityBroken(f"{counted(len(missing), 'file')} missing, such as {missing[0]}.", AGAIN)
        changed = [path for path, entry in listed.items() if self.files[path].sha256 != entry.sha256]
        if changed:
            raise IntegrityBroken(f"{counted(len(changed), 'file')} changed since the candidate was sealed, such as {changed[0]}.", AGAIN)
        return f"{len(listed)} sealed files have the hashes that were signed"

    def _events(self) -> str:
        manifest = self._sealed()
        entries = entries_from_lines(self._stored(EVENTS_FILE).decode("utf-8", "replace"), EVENTS_FILE)
        last = check_own_chain(entries, manifest.release_id)
        head, signed = verify_head(self._stored(HEAD_FILE), self._stored(HEAD_SIGNATURE))
        if head != head_of(last):
            raise IntegrityBroken("The release's events do not lead up to the signed head.", AGAIN)
        self._require_not_revoked(signed, "the ledger")
        if self.ledger_key is not None and signed.fingerprint != self.ledger_key:
            raise IntegrityBroken("The head is signed by another ledger's key than the one given.", AGAIN)
        if not sealed_for(self._stored(MANIFEST_SIGNATURE), signed.fingerprint):
            raise IntegrityBroken("The candidate was sealed in the home of another ledger than the one that published it.", AGAIN)
        events = tuple(event_of(entry) for entry in entries)
        release = fold(events)
        if release.state is not State.PUBLISHING or release.candidate != self.candidate:
            raise IntegrityBroken("The events are not those of this candidate's publication.", AGAIN)
        check_same(release, manifest)
        if release.target != manifest.publish_to:
            raise IntegrityBroken("The manifest names another target than the ledger recorded.", AGAIN)
        self.events, self.release = events, release
        return f"{len(events)} events up to event {head.seq} of the ledger {signed.fingerprint}" + (
            "" if self.ledger_key else " (not compared with a key of yours)"
        )

    def _approvals(self) -> str:
        manifest, release = self._sealed(), self.release
        if release is None:
            raise IntegrityBroken("The events do not hold.", AGAIN)
        counting, void = self._weigh_approvals(manifest, release)
        agreeing = release.agreeing({decision.signer.fingerprint for decision in release.approvals} - counting)
        quorum = release.quorum
        missing = quorum.missing(agreeing)
        if missing:
            needed, why = in_words(missing), f": {'; '.join(void)}" if void else ""
            raise IntegrityBroken(
                f"{len(agreeing)} of {quorum.approvals} required approvals are valid; {needed} would be needed{why}.", AGAIN
            )
        self.approved_by, filled = tuple(sorted(agreeing)), fill_roles(quorum.roles, agreeing)
        whose = "of your signers" if self.roots is not None else "of the signers the folder names itself"
        people = (f"{person} as {filled[person]}" if person in filled else person for person in self.approved_by)
        return f"{len(agreeing)} of {quorum.approvals} needed, {whose}: {', '.join(people)}"

    def _weigh_approvals(self, manifest: Manifest, release: Release) -> tuple[set[str], list[str]]:
        """The keys of approvals that count, and why others do not count."""
        recorded = {approval_path(event.signer.principal): event for event in self.events if isinstance(event, CandidateApproved)}
        paths = sorted(path for path in self.files if path.startswith(f"{APPROVALS}/"))
        known = {*recorded, *(path for name in recorded for path in detached_paths(name))}
        unknown = [path for path in paths if path not in known]
        if unknown:
            raise IntegrityBroken(f"{unknown[0]} is an approval that the ledger did not record.", AGAIN)
        sealed = [event.at for event in self.events if isinstance(event, CandidateSealed)]  # a key counts if it did then and when it signed
        counting: set[str] = set()
        void: list[str] = []
        for path in (path for path in paths if path in recorded):
            event = recorded[path]
            check_decision(self._stored(path), event, manifest.dataset, path)
            signer = event.signer
            reasons = [self._why_not(signer, at) for at in (event.at, *sealed)]
            reason = next(filter(None, reasons), "")
            if reason:
                void.append(f"the key of {signer.principal} {reason}")
            else:
                counting.add(signer.fingerprint)
        return counting, void

    def _why_not(self, signer: Signer, at: str) -> str:
        """Empty where the reader names no signers of their own."""
        return "" if self.roots is None else self.roots.why_not(signer.fingerprint, signer.principal, moment(at))

    def _attestation(self) -> str:
        self._stored(ATTESTATION_FILE)
        signed = check_attestation(self.files, self._sealed(), self.candidate)
        self._require_ledger(signed, ATTESTATION_FILE)
        said = signed.statement.predicate
        self._attested_approvals(said.get("approvals"))
        self._attested_roles(said.get("approvals"))
        if self.release is not None:
            check_place(signed, self.release.version, self.release.target)
        for name in (self.folder.name, self.called):
            if re.fullmatch(NUMBER, name) and name != str(said.get("version")):
                number = said.get("version")
                raise IntegrityBroken(f"This is version {number}, in a folder called {name}: a copy of it is called {number} too.", AGAIN)
        return f"covers {counted(len(signed.statement.subject), 'file')}, signed by the ledger's key"

    def _attested_approvals(self, approvals: Any) -> None:
        """Exactly those whose statements lie in the folder, each as it was recorded."""
        recorded = [
            {**event.signer.model_dump(mode="json"), "at": event.at, "statement_sha256": event.statement_sha256}
            for event in self.events
            if isinstance(event, CandidateApproved) and approval_path(event.signer.principal) in self.files
        ]
        named = [{name: value for name, value in approval.items() if name != "role"} for approval in approvals]
        if self.release is not None and _unordered(named) != _unordered(recorded):
            raise IntegrityBroken(f"{ATTESTATION_FILE} names other approvals than those that were given.", AGAIN)

    def _attested_roles(self, approvals: Any) -> None:
        """Each role is filled by different people who held it when the candidate was sealed and when they signed."""
        if self.release is None:
            return
        fills = {approval["principal"]: approval["role"] for approval in approvals if approval["role"]}
        able = self.release.agreeing()
        unfilled = Counter(self.release.quorum.roles) - Counter(fills.values())
        if unfilled or any(role not in able.get(person, ()) for person, role in fills.items()):
            raise IntegrityBroken(f"{ATTESTATION_FILE} gives a required role to somebody who does not fill it.", AGAIN)

    def _claims(self) -> str:
        manifest = self._sealed()
        measured = remeasure(manifest, self._only(manifest))
        self.tables, self.not_measured = measured.tables, measured.not_measured
        unchecked = counted(len(measured.not_measured), "claim")
        return f"{counted(len(manifest.verdicts), 'verdict')} on {counted(len(measured.tables), 'table')} re-measured" + (
            f"; {unchecked} cannot be checked from the published files" if measured.not_measured else ""
        )

    def _only(self, manifest: Manifest) -> Mapping[str, Stored]:
        paths: Sequence[str] = [entry.path for entry in manifest.files]
        return {path: self.files[path] for path in paths if path in self.files}
