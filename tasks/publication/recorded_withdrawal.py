"""What lies in a version that was withdrawn: the signed withdrawal, and the release's own events up to the one that recorded it.

The ledger's key signs both, so that a withdrawal is judged as an approval is: at the moment at which the ledger recorded it."""

from __future__ import annotations

from collections.abc import Sequence

from headgate.core.errors import IntegrityBroken
from policies.ledger.events import ReleaseWithdrawn
from policies.ledger.fold import fold
from policies.ledger.states import State
from policies.sealed.manifest import Manifest
from tasks.approval.statements import check_decision
from tasks.ledger.chain import Entry, check_own_chain, entries_from_lines, entries_to_lines
from tasks.ledger.event_log import event_of
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import RECORDED_WITHDRAWAL, Signed, sign_statement, statement, verify_envelope
from tasks.stores.release_store import WITHDRAWN
from tasks.stores.seal import MANIFEST

AGAIN = "Ask the publisher for the folder again."


def withdrawal_record(candidate: str, own: Sequence[Entry], envelope: bytes, key: PrivateKey) -> bytes:
    """`own`: the release's events, the one that recorded its withdrawal last; `envelope`: what was signed."""
    said = {"statement": envelope.decode(), "events": entries_to_lines(own)}
    return sign_statement(statement({MANIFEST: candidate}, RECORDED_WITHDRAWAL, said), key)


def check_withdrawal(content: bytes, manifest: Manifest, candidate: str, own: Sequence[Entry]) -> tuple[ReleaseWithdrawn, Signed]:
    """The event that recorded the withdrawal of this candidate, whose events begin with `own`, and who vouches for the record. Whether the
    key that signed the withdrawal may speak is not asked here."""
    signed = verify_envelope(content, WITHDRAWN, RECORDED_WITHDRAWAL)
    said = signed.statement.predicate
    if {name: type(value) for name, value in said.items()} != {"statement": str, "events": str}:
        raise IntegrityBroken(f"{WITHDRAWN} does not say what was withdrawn.", AGAIN)
    entries = entries_from_lines(said["events"], WITHDRAWN)
    if signed.statement.digests != {MANIFEST: candidate} or entries[: len(own)] != tuple(own):
        raise IntegrityBroken(f"{WITHDRAWN} is about another version.", AGAIN)
    check_own_chain(entries, manifest.release_id)
    events = tuple(map(event_of, entries))
    last = events[-1]
    if not isinstance(last, ReleaseWithdrawn) or fold(events).state is not State.WITHDRAWN:
        raise IntegrityBroken(f"{WITHDRAWN} holds no withdrawal that the ledger recorded.", AGAIN)
    check_decision(said["statement"].encode(), last, manifest.dataset, WITHDRAWN)
    return last, signed
