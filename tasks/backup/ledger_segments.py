"""The ledger as a backup holds it: its events as lines of text, in pieces that never change once they are full.

Events are only ever appended, so that reading them in pieces up to one head gives the ledger as it was at that head, whoever appends
meanwhile, whichever database keeps it, and no writer waits. The next backup reads and writes what is new.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from headgate.core.errors import IntegrityBroken
from tasks.backup.backup_manifest import OTHER, Segment
from tasks.backup.stored_objects import Objects
from tasks.ledger.chain import START, Entry, OwnEnd, check_follows, entries_from_lines, entries_to_lines, in_order
from tasks.ledger.event_log import Ledger

EVENTS = 2_000


def keep_events(ledger: Ledger, head: Entry | None, objects: Objects, before: Sequence[Segment]) -> tuple[Segment, ...]:
    """Up to `head`. What the backup before has holds for this one too, if the ledger still has it."""
    kept = _still_there(ledger, before, objects)
    seq, previous = (kept[-1].last, kept[-1].hash) if kept else (0, START)
    while head is not None and seq < head.seq:
        with ledger.store.reading() as stored:
            read = [entry for entry, _ in stored.following(seq + 1, min(EVENTS, head.seq - seq))]
        entries = list(in_order(read, seq, previous))
        if not entries:
            raise IntegrityBroken(f"Event {seq + 1} is missing from the ledger.", "Run `headgate audit verify`.")
        content = entries_to_lines(entries).encode()
        digest = hashlib.sha256(content).hexdigest()
        if not objects.holds(digest, len(content)):
            objects.put([content], digest)
        seq, previous = entries[-1].seq, entries[-1].hash
        kept.append(Segment(first=entries[0].seq, last=seq, hash=previous, sha256=digest, bytes=len(content)))
    return tuple(kept)


def _still_there(ledger: Ledger, before: Sequence[Segment], objects: Objects) -> list[Segment]:
    """The full ones of a backup of this ledger. One of a ledger that this one does not continue tells that this one was changed."""
    full = [segment for segment in before if segment.last - segment.first + 1 == EVENTS and objects.holds(segment.sha256, segment.bytes)]
    whole = [segment for place, segment in enumerate(full) if segment.first == place * EVENTS + 1]
    with ledger.store.reading() as stored:
        for segment in (*whole, *before[-1:]):
            entry = stored.at(segment.last)
            if entry is None or entry.hash != segment.hash:
                raise IntegrityBroken(
                    f"The newest backup in the target holds event {segment.last} of the ledger, and the ledger does not hold it: an older "
                    "ledger was put back, or it was changed.",
                    "Keep the target as it is, and run `headgate audit verify`.",
                )
    return whole


def kept_events(objects: Objects, segments: Sequence[Segment]) -> Iterator[Entry]:
    """All of them in their order, each checked to follow the one before it, in the ledger and in its release."""
    seq, previous, ends = 0, START, dict[str, OwnEnd]()
    for segment in segments:
        text = objects.content(segment.sha256, segment.bytes).decode("utf-8", "replace")
        entries = entries_from_lines(text, f"events {segment.first} to {segment.last}")
        for entry in in_order(entries, seq, previous):
            check_follows(entry, ends.get(entry.release))
            ends[entry.release] = OwnEnd(entry.version, entry.hash)
            seq, previous = entry.seq, entry.hash
            yield entry
        if (seq, previous) != (segment.last, segment.hash):
            raise IntegrityBroken(f"Events {segment.first} to {segment.last} of the backup are not those that its manifest names.", OTHER)
