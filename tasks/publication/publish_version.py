"""Publication: decided once more from the checked chain, then bytes that are complete before anyone can see them.

Killed at any point, the target shows either nothing of the version or all of it, and publishing again finishes what is left:
events first say that it starts (with its number), the folder appears by one rename, an event says that it is there, older versions are
superseded, `latest` moves, and a last event says that it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace

from headgate.core.errors import HeadgateError, IntegrityBroken, PublicationFailed, Refusal, TransitionRefused
from headgate.core.units import counted
from policies.approval.acts import Act, Actor, OperatorRules
from policies.approval.decide import Accepted, Refused, decide
from policies.approval.guards import GUARDS, Situation
from policies.ledger.standing import Release
from policies.ledger.states import Action, ActorRole, State
from policies.ledger.transitions import transitions_from
from tasks.approval.approvals import (
    RUN_AGAIN,
    Approval,
    counting_approvals,
    require_recorded,
    roots_of,
    runner_refusals,
    void_keys,
    void_refusals,
    weigh_approvals,
)
from tasks.approval.decisions import record_expiries, record_takeover, release_of
from tasks.approval.operator_demands import operator_demands
from tasks.ledger.chain import Entry
from tasks.ledger.dataset_lock import DatasetLock, target_lock
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import VISIBLE, History, latest_version, read_history
from tasks.publication.attestation import ATTESTATION_FILE, accompanying_files, check_attestation, check_place
from tasks.publication.partly_done import partly_done
from tasks.publication.taken_target import require_free_target, require_own_series
from tasks.publication.targets import open_targets
from tasks.runtime.boundary import reason_of
from tasks.runtime.held_signals import HeldSignals, held_signals
from tasks.runtime.home import Home
from tasks.signing.home_keys import ledger_key
from tasks.signing.keys import PrivateKey
from tasks.stores.files import Stored, read_file
from tasks.stores.release_store import LAST_NUMBER, WITHDRAWN, ReleaseStore, Series
from tasks.stores.seal import MANIFEST, Candidate, load_candidate

WAIT = "Wait until then: `headgate serve` publishes it, or publish again. See `headgate releases --calendar`."
ANEW = "Run the release again for a new candidate."
PUBLISHER = Actor("publisher", "", ActorRole.PUBLISHER)


class PlaceTaken(PublicationFailed):
    """Something else has the version's place."""


@dataclass(frozen=True)
class Publication:
    """A version that is in place. `already`: it was, before this call."""

    release: Release
    address: str
    version: int
    attestation_sha256: str
    approvals: tuple[str, ...]
    already: bool = False


def publish(home: Home, ledger: Ledger, candidate: str, store: ReleaseStore | None = None) -> Publication:
    """Publishes an approved candidate, or finishes a publication that was cut short."""
    sealed = load_candidate(home.candidates, candidate)
    series = (store or open_targets(home)).series(sealed.manifest.publish_to)
    release, target = sealed.manifest.release_id, target_lock(series.target)
    with ledger.lock(sealed.manifest.dataset, release) as lock, ledger.lock(target, release):  # of two datasets, too, one comes first
        record_takeover(ledger, lock)
        record_expiries(home, ledger)
        try:
            with held_signals() as held:
                return _publish(home, ledger, sealed, series, held, lock)
        except OSError as problem:
            reason = reason_of(problem)
        cure = "Check permissions and free space, then publish again."
        raise PublicationFailed(f"{series.address()} could not be written ({reason}).", cure)


def require_publishable(home: Home, ledger: Ledger, candidate: str) -> None:
    """What the ledger and the home alone know, before anything is started or written: people learn at once that they cannot publish it."""
    sealed = load_candidate(home.candidates, candidate)
    history = read_history(ledger)
    release = release_of(history, sealed)
    if release.state in (State.PUBLISHING, *VISIBLE):
        return
    target = sealed.manifest.publish_to
    approvals = weigh_approvals(home, release, history.events(release.release_id), roots_of(home, sealed.folder, sealed.manifest))
    demands = operator_demands(home)
    demands.require_target(target)
    _require_runner(home, sealed)
    require_free_target(history, target, release.dataset)
    _accepted(
        ledger,
        release,
        Act(Action.PUBLISH, target=target, version=1, out=_out(history, release)),
        demands.rules(void_keys(approvals)),
        approvals,
    )


def _publish(home: Home, ledger: Ledger, sealed: Candidate, series: Series, held: HeldSignals, lock: DatasetLock) -> Publication:
    history = read_history(ledger)
    release = release_of(history, sealed)
    require_recorded(home, ledger, release)
    approvals = weigh_approvals(home, release, history.events(release.release_id), roots_of(home, sealed.folder, sealed.manifest))
    demands = operator_demands(home)
    rules = demands.rules(void_keys(approvals))
    counting = counting_approvals(release, approvals, rules)
    key = ledger_key(home.keys)
    already = release.state in VISIBLE
    if release.state not in (State.PUBLISHING, *VISIBLE):
        demands.require_target(series.target)
        _require_runner(home, sealed)
        release = _start(ledger, history, release, series, approvals, rules)
        history = read_history(ledger)
    series.prepare()
    number = release.version or 0
    if number in series.versions():
        with _stalling(ledger, release, PublicationFailed, IntegrityBroken):
            attestation = _arrived(sealed, series.read(number), key, series, number)
    elif already:
        raise IntegrityBroken(f"Version {number} was published and is missing from {series.address()}.", "Restore it from a backup.")
    else:
        demands.require_target(series.target)
        _require_runner(home, sealed)
        _require_standing(ledger, history, release, approvals, rules)
        with _stalling(ledger, release, PlaceTaken):
            files = accompanying_files(sealed, release, _own_until_start(history, release), counting, key)
            attestation = _put_in_place(
                sealed, release, files, key, series, held, ledger.still_ours(lock, release.release_id, release.events)
            )
    held.hold()
    with partly_done(f"Version {number} of {series.target} is out, and something is left to do.", series.address(), "publish"):
        if not already:
            viewed = read_history(ledger).release(release.release_id)  # by whoever read it meanwhile
            release = _record(ledger, viewed, Act(Action.COMPLETE, version=number, attestation_sha256=attestation))
        _settle(ledger, series, ledger.still_ours(lock, release.release_id, release.events))
    people = tuple(approval.signer.principal for approval in counting)
    return Publication(release, series.address(number), number, attestation, people, already)


@contextmanager
def _stalling(ledger: Ledger, release: Release, *lasting: type[HeadgateError]) -> Iterator[None]:
    """What lies where the version belongs is not it: trying again never helps. The publication stalls until somebody has looked at it and
    an operator resumes it."""
    try:
        yield
    except lasting as problem:
        if release.state is State.PUBLISHING:
            _record(ledger, release, Act(Action.STALL, error=type(problem).__name__))
            problem.cure = f"{problem.cure} {_cure(replace(release, state=State.STALLED))}"
        raise


def _start(
    ledger: Ledger, history: History, release: Release, series: Series, approvals: Sequence[Approval], rules: OperatorRules
) -> Release:
    """The next number is taken by an event, so that a second publisher takes another."""
    require_free_target(history, series.target, release.dataset)
    act = Act(Action.PUBLISH, target=series.target, version=1, out=_out(history, release))
    _accepted(ledger, release, act, rules, approvals)  # refused before the store is touched
    series.prepare()
    require_own_series(history, series, release.dataset)
    _clear_left_over(history, series)
    taken = [other.version or 0 for other in history.at_target(series.target)]
    number = max([*series.numbers(), *taken], default=0) + 1
    if number > LAST_NUMBER:
        raise PublicationFailed(f"The last version number is already used at {series.address()}.", "Find out whose it is, and remove it.")
    return _record(ledger, release, replace(act, version=number), rules, approvals)


def _clear_left_over(history: History, series: Series) -> None:
    """What publications that go on no more have left in the store, each under its own candidate's claim."""
    for other in history.at_target(series.target):
        if other.version is not None and other.state in (State.STALLED, State.WITHDRAWN) and "published" not in other.seen:
            series.clear(other.version, other.candidate)


def _record(ledger: Ledger, release: Release, act: Act, rules: OperatorRules | None = None, approvals: Sequence[Approval] = ()) -> Release:
    answer = _accepted(ledger, release, act, rules or OperatorRules(), approvals)
    ledger.append(release.release_id, answer.events, release.events, PUBLISHER.principal)
    return answer.release


def _accepted(ledger: Ledger, release: Release, act: Act, rules: OperatorRules, approvals: Sequence[Approval]) -> Accepted:
    bound = replace(act, candidate=release.candidate, policy_digest=release.policy_digest)
    answer = decide(release, bound, PUBLISHER, rules, ledger.now())
    if isinstance(answer, Refused):
        reasons = [*answer.reasons, *void_refusals(release, approvals)]
        raise TransitionRefused(reasons, _cure_of(reasons, release))
    return answer


def _cure_of(reasons: Sequence[Refusal], release: Release) -> str:
    rules = {reason.rule for reason in reasons}
    if "series" in rules:
        return ANEW
    return WAIT if rules == {"moment"} else _cure(release)


def _cure(release: Release) -> str:
    if release.state in (State.AWAITING_APPROVAL, State.APPROVED):
        return f"Another signer approves with: headgate approve {release.candidate[:12]} --key KEY --reason TEXT."
    if release.state is State.PUBLISHING:
        return f"Withdraw it: headgate withdraw {release.candidate[:12]} --key KEY --reason TEXT. Then run the release again."
    if release.state is State.STALLED:
        return f"The operator resumes it: headgate resume {release.candidate[:12]} --key KEY --reason TEXT."
    return ANEW


def _require_runner(home: Home, sealed: Candidate) -> None:
    refusals = runner_refusals(home, sealed)
    if refusals:
        raise TransitionRefused(refusals, RUN_AGAIN)


def _out(history: History, release: Release) -> tuple[str, ...]:
    """The candidates of the dataset's other versions that came out."""
    return tuple(other.candidate for other in history.came_out(release.dataset) if other.release_id != release.release_id)


def _require_standing(ledger: Ledger, history: History, release: Release, approvals: Sequence[Approval], rules: OperatorRules) -> None:
    """A publication that was cut short goes on only while it could still begin."""
    out, version = _out(history, release), release.version or 0
    act = Act(Action.PUBLISH, release.candidate, release.policy_digest, target=release.target, version=version, out=out)
    at, begin = Situation(release, act, PUBLISHER, rules, ledger.now()), transitions_from(State.APPROVED, Action.PUBLISH)
    refusals = [Refusal(guard.name.lower(), why_not) for row in begin for guard in row.guards if (why_not := GUARDS[guard](at))]
    if refusals:
        raise TransitionRefused([*refusals, *void_refusals(release, approvals)], _cure(release))


def _own_until_start(history: History, release: Release) -> tuple[Entry, ...]:
    own = history.of(release.release_id)
    started = max(place for place, entry in enumerate(own) if entry.type in ("publishing", "resumed"))
    return own[: started + 1]


def _put_in_place(
    sealed: Candidate,
    release: Release,
    files: Mapping[str, bytes],
    key: PrivateKey,
    series: Series,
    held: HeldSignals,
    still_ours: AbstractContextManager[None],
) -> str:
    """Written, read back, and only then given its number, from which there is no way back; the attestation's SHA-256. A process that
    stood still meanwhile places nothing that others have taken over."""
    number = release.version or 0
    with series.begin(number, sealed.id) as draft:
        for entry in sealed.manifest.files:
            draft.write(entry.path, read_file(sealed.folder, entry.path).content)
        for path, content in files.items():
            draft.write(path, content)
        attestation = _arrived(sealed, draft.read(), key, series, number)
        held.hold()
        with still_ours, partly_done(f"Version {number} of {series.target} may be out already.", series.address(), "publish"):
            placed = draft.place()
        if not placed:
            raise PlaceTaken(f"Something else lies at {series.address(number)}.", "Find out whose it is, and move it away.")
    return attestation


def _arrived(sealed: Candidate, stored: Mapping[str, Stored], key: PrivateKey, series: Series, number: int) -> str:
    """Every file, as it was read back from the target, against what was sealed and attested; the attestation's own SHA-256."""
    where = series.address(number)
    if WITHDRAWN in stored:
        raise IntegrityBroken(f"{where} carries a withdrawal that the ledger does not know.", "Run `headgate audit verify`.")
    if ATTESTATION_FILE not in stored:
        raise PublicationFailed(f"{where} holds no attestation.", "Move it away, then publish again.")
    signed = check_attestation(stored, sealed.manifest, sealed.id)
    check_place(signed, number, series.target)
    if signed.fingerprint != key.fingerprint:
        raise PublicationFailed(f"{where} was attested by another ledger's key.", "Check HEADGATE_STORE and HEADGATE_HOME.")
    expected = {entry.path: entry.sha256 for entry in sealed.manifest.files} | {MANIFEST: sealed.id}
    wrong = [path for path, digest in expected.items() if path not in stored or stored[path].sha256 != digest]
    if wrong:
        raise PublicationFailed(
            f"{counted(len(wrong), 'file')} did not arrive at {where} as they were sealed.", "Check the disk, then publish again."
        )
    return stored[ATTESTATION_FILE].sha256


def _settle(ledger: Ledger, series: Series, still_ours: AbstractContextManager[None]) -> None:
    """Everything after the event `published`, as often as needed: older versions are superseded, `latest` moves, and an event says that
    nothing is left to do. From then on a `latest` that names something else was moved by somebody else."""
    history = read_history(ledger)
    at_target = history.at_target(series.target)
    newest = latest_version(at_target)
    for other in at_target:
        if other.state is State.PUBLISHED and other.version != newest:
            by = next(release.release_id for release in at_target if release.version == newest)
            _record(ledger, other, Act(Action.SUPERSEDE, superseded_by=by))
    with still_ours:
        series.point_latest(newest)
    last = next((release for release in at_target if release.version == newest), None)
    if last is not None and last.state is State.PUBLISHED and not last.settled:
        _record(ledger, last, Act(Action.SETTLE))
