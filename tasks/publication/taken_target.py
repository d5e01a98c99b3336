"""What a target says of itself, before anything is published there. The ledger knows what it has published; what another home published,
or what this one did under a ledger that was put back since, only the newest version tells."""

from __future__ import annotations

from headgate.core.errors import IntegrityBroken, Refusal, TransitionRefused
from tasks.ledger.chain import HEAD_FILE, HEAD_SIGNATURE, verify_head
from tasks.ledger.history import History
from tasks.publication.attestation import ATTESTATION_FILE
from tasks.signing.signatures import ATTESTATION, verify_envelope
from tasks.stores.release_store import NOT_OURS, Series

LOOK = "Run `headgate audit verify`. If another home publishes there, choose another publish.to."


def require_free_target(history: History, target: str, dataset: str) -> None:
    """By the ledger alone: what this home has published there is of this dataset."""
    foreign = [other.dataset for other in history.at_target(target) if other.dataset != dataset]
    if foreign:
        raise TransitionRefused([Refusal("target", f"{target} is where dataset {foreign[0]} is published")], "Choose another publish.to.")


def require_own_series(history: History, series: Series, dataset: str) -> None:
    """Refused unless the newest version there is one of this dataset, whose signed head lies on this ledger's chain and which the ledger
    knows under its number; and unless `latest` is as headgate leaves it: what readers follow must not turn out to be in the way when the
    next version is out."""
    if series.latest() == NOT_OURS:
        raise IntegrityBroken(f"`latest` at {series.address()} is not as headgate left it.", "Find out whose it is, and move it away.")
    present = series.versions()
    if not present:
        return
    files, where = series.read(present[-1]), series.address(present[-1])
    lacking = [path for path in (ATTESTATION_FILE, HEAD_FILE, HEAD_SIGNATURE) if path not in files]
    if lacking:
        raise IntegrityBroken(f"{where} lacks {lacking[0]}, so it does not say whose it is.", LOOK)
    attested = verify_envelope(files[ATTESTATION_FILE].content, f"{ATTESTATION_FILE} of {where}", ATTESTATION)
    if attested.statement.predicate.get("dataset") != dataset:
        refusal = Refusal("target", f"the newest version at {series.address()} is of another dataset than {dataset}")
        raise TransitionRefused([refusal], "Choose another publish.to.")
    head, _ = verify_head(files[HEAD_FILE].content, files[HEAD_SIGNATURE].content)
    if not history.holds(head):
        raise IntegrityBroken(
            f"{where} was published from an event that this ledger does not hold: another home published it, or an older ledger was "
            "put back.",
            LOOK,
        )
    if present[-1] not in {release.version for release in history.at_target(series.target)}:
        raise IntegrityBroken(f"{where} has a number that this ledger gave to no version: it was copied there.", LOOK)
