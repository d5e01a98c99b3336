"""The ledger: whether it can be read, is the one that the home has seen, holds together, and up to where auditors have vouched for it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta

from headgate.core.units import counted
from policies.ledger.events import moment
from tasks.checks.finding import BROKEN, Finding, Situation, failed, warned, well
from tasks.ledger.chain import START, head_of, in_order
from tasks.ledger.history import History
from tasks.verification.completeness import kept_versions, known_to_matter, lacking, unfinished_purges
from tasks.verification.kept_heads import kept_heads

AT_ONCE = 2_000
CHAIN_SECONDS = 8.0
COSIGNED_DAYS = 100


def check_ledger(situation: Situation) -> Iterator[Finding]:
    """Opening it compares its tables, and the guards in them, with those of this version."""
    ledger = situation.ledger
    last = ledger.last()
    ledger.require_remembered()
    said = "It has no event yet" if last is None else f"{counted(last.seq, 'event')}, the last at {last.at}"
    yield well("ledger", f"{said}; it is the one this home has seen.")
    for weakness in ledger.store.weaknesses():
        yield warned("ledger", weakness, "See *The ledger in PostgreSQL* in the guide for the operator.")


def check_chain(situation: Situation) -> Iterator[Finding]:
    """From the first event on, as far as a few seconds reach."""
    seq, previous, ends = 0, START, time.monotonic() + CHAIN_SECONDS
    last = situation.ledger.last()
    while last is not None and seq < last.seq and time.monotonic() < ends:
        with situation.ledger.store.reading() as stored:
            read = stored.following(seq + 1, AT_ONCE)
        for entry in in_order((entry for entry, _ in read), seq, previous):
            seq, previous = entry.seq, entry.hash
        if not read:
            break
    if last is None or seq >= last.seq:
        yield well("chain", f"{counted(seq, 'event')} checked: the chain is whole.")
    else:
        yield well("chain", f"Checked up to event {seq} of {last.seq} in the time there was; `headgate audit verify` checks all of it.")


def check_cosigned(situation: Situation) -> Iterator[Finding]:
    """The heads that auditors have handed in."""
    heads = kept_heads(situation.home)
    with situation.ledger.store.reading() as stored:
        for head in heads:
            entry = stored.at(head.head.seq)
            if entry is None or head_of(entry) != head.head:
                yield failed(
                    "cosigned",
                    f"{head.signer} cosigned event {head.head.seq}, and the ledger does not hold it.",
                    "The ledger was changed or cut short: run `headgate audit verify`, and restore the newest backup.",
                    BROKEN,
                )
                return
    if not heads:
        yield well("cosigned", "No auditor has handed in a cosigned head (`headgate audit cosign`).")
        return
    newest = heads[0]
    age = situation.ledger.seen_now() - moment(newest.head.at)
    said = f"{newest.signer} cosigned event {newest.head.seq}, of {newest.head.at[:10]}"
    if age > timedelta(days=COSIGNED_DAYS):
        yield warned("cosigned", f"{said}: {age.days} days ago.", "Ask an auditor to cosign the ledger's head: headgate audit cosign.")
    else:
        yield well("cosigned", f"{said}.")


def check_series(situation: Situation) -> Iterator[Finding]:
    """What later versions are measured with: the home keeps no less, and nothing that was purged."""
    home, ledger = situation.home, situation.ledger
    kept = kept_versions(home)
    releases = known_to_matter(History(ledger), ledger, kept)
    wrong = (*lacking(home, releases), *unfinished_purges(kept, releases))
    for sentence in wrong:
        yield warned("series", sentence, "Do that before the next release of the dataset.")
    if not wrong:
        yield well("series", "The home keeps what later versions are measured with.")
