"""The hash chain of a ledger: what an entry is, what its hash covers, and how a signed head vouches for all before it.

Every entry holds two links: `previous`, the hash of the entry before it in the ledger, and `release_previous`, the hash of the
same release's entry before it. The first makes the ledger one chain; the second lets a published folder prove its own events
up to a signed head without showing anyone else's.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from operator import attrgetter

from pydantic import Field, ValidationError

from headgate.core.errors import IntegrityBroken
from policies.words.frozen import Frozen
from tasks.signing.canonical import is_canonical, no_duplicates
from tasks.signing.keys import PrivateKey
from tasks.signing.signatures import HEAD, Signed, sign_statement, statement, verify_envelope

START = "0" * 64
HEAD_FILE = "head.json"
HEAD_SIGNATURE = "head.dsse.json"
EVENTS_FILE = "events.jsonl"
RESTORE = "Someone changed the ledger outside headgate: compare it with `headgate audit export` of a backup and restore that."


@dataclass(frozen=True)
class Entry:
    """One event as stored. `payload` is the event's JSON text, kept as written: the hash covers its bytes."""

    seq: int
    release: str
    version: int
    type: str
    at: str
    actor: str
    payload: str
    release_previous: str
    previous: str
    hash: str


def entry_hash(
    seq: int, release: str, version: int, type: str, at: str, actor: str, payload: str, release_previous: str, previous: str
) -> str:
    """SHA-256 over every field with its length before it, so that no two entries share an encoding."""
    return hashlib.sha256(_encoded(seq, release, version, type, at, actor, payload, release_previous, previous)).hexdigest()


def entry_bytes(entry: Entry) -> bytes:
    """What the hash of an entry is taken of: `sha256sum` gives it again."""
    return _encoded(*_hashed(entry))


def _encoded(*fields: object) -> bytes:
    texts = [str(field).encode() for field in ("headgate entry 1", *fields)]
    return b"".join([b"%d:%b," % (len(text), text) for text in texts])


_hashed = attrgetter(*(field.name for field in fields(Entry) if field.name != "hash"))


def check_entry(entry: Entry, where: str) -> None:
    if entry.hash != entry_hash(*_hashed(entry)):
        raise IntegrityBroken(f"{where} {entry.seq} was changed after it was recorded.", RESTORE)


def check_chain(entries: Iterable[Entry]) -> Entry | None:
    """Every entry of a whole ledger, from the first; the last one, or None of an empty ledger."""
    last: Entry | None = None
    ends: dict[str, Entry] = {}
    for entry in in_order(entries, 0, START):
        check_follows(entry, ends.get(entry.release))
        last = ends[entry.release] = entry
    return last


def check_tail(entries: Iterable[Entry], seq: int, previous: str) -> None:
    """The entries after event `seq`, whose hash is `previous`, up to the ledger's end."""
    deque(in_order(entries, seq, previous), maxlen=0)


def in_order(entries: Iterable[Entry], seq: int, previous: str) -> Iterator[Entry]:
    """These entries, each checked to follow the one before it; the first follows event `seq`, whose hash is `previous`."""
    for entry in entries:
        seq += 1
        if entry.seq != seq:
            raise IntegrityBroken(f"Event {seq} is missing from the ledger (event {entry.seq} comes next).", RESTORE)
        check_entry(entry, "Event")
        if entry.previous != previous:
            raise IntegrityBroken(f"Event {seq} does not follow the event before it: one was changed, added or removed.", RESTORE)
        previous = entry.hash
        yield entry


def check_own_chain(entries: Sequence[Entry], release: str) -> Entry:
    """One release's own entries, from its first; the last one."""
    last: Entry | None = None
    for entry in entries:
        check_entry(entry, "Event")
        if entry.release != release:
            raise IntegrityBroken("One of the events belongs to another release.", "Ask the publisher for the folder again.")
        if last is not None and entry.seq <= last.seq:
            raise IntegrityBroken("The events are not in the order of the ledger.", "Ask the publisher for the folder again.")
        check_follows(entry, last)
        last = entry
    if last is None:
        raise IntegrityBroken("The folder holds no events.", "Ask the publisher for the folder again.")
    return last


@dataclass(frozen=True)
class OwnEnd:
    """What the next event of a release must follow."""

    version: int
    hash: str


def check_follows(entry: Entry, before: Entry | OwnEnd | None) -> None:
    """That it is the next of its release after `before`."""
    version, link = (1, START) if before is None else (before.version + 1, before.hash)
    if (entry.version, entry.release_previous) != (version, link):
        raise IntegrityBroken(
            f"Event {entry.seq} does not follow its release's event before it: one was changed, added or removed.", RESTORE
        )


class Head(Frozen):
    """The end of the chain at one moment."""

    seq: int = Field(ge=1)
    hash: str = Field(pattern="^[0-9a-f]{64}$")
    at: str
    release: str


def head_of(entry: Entry) -> Head:
    return Head(seq=entry.seq, hash=entry.hash, at=entry.at, release=entry.release)


def signed_head(entry: Entry, key: PrivateKey) -> tuple[bytes, bytes]:
    """`head.json` and the ledger's signature over it."""
    import rfc8785

    content = rfc8785.dumps(head_of(entry).model_dump(mode="json"))
    said = statement({HEAD_FILE: hashlib.sha256(content).hexdigest()}, HEAD, {"seq": entry.seq, "hash": entry.hash})
    return content, sign_statement(said, key)


def verify_head(content: bytes, envelope: bytes) -> tuple[Head, Signed]:
    """A head and the key that signed it."""
    signed = verify_envelope(envelope, HEAD_SIGNATURE, HEAD)
    try:
        head = Head.model_validate_json(content)
    except ValidationError:
        raise IntegrityBroken(f"{HEAD_FILE} is not a head of a ledger.", "Ask the publisher for the folder again.") from None
    if not is_canonical(content):
        raise IntegrityBroken(f"{HEAD_FILE} is not in canonical form.", "Ask the publisher for the folder again.")
    digest = hashlib.sha256(content).hexdigest()
    said = signed.statement
    if said.digests != {HEAD_FILE: digest} or said.predicate != {"seq": head.seq, "hash": head.hash}:
        raise IntegrityBroken(f"The signature of {HEAD_FILE} is over another head.", "Ask the publisher for the folder again.")
    return head, signed


def entries_to_lines(entries: Iterable[Entry]) -> str:
    """One JSON object per line."""
    return "".join(json.dumps(asdict(entry), sort_keys=True) + "\n" for entry in entries)


def entries_from_lines(text: str, where: str) -> tuple[Entry, ...]:
    """Strictly what `entries_to_lines` writes: no field more, fewer or of another type."""
    types = {name: int if name in ("seq", "version") else str for name in Entry.__dataclass_fields__}
    entries: list[Entry] = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            fields = json.loads(line, object_pairs_hook=no_duplicates)
            json.loads(fields["payload"] or "null", object_pairs_hook=no_duplicates)  # blank where a vote is hidden
            json.dumps(fields, ensure_ascii=False).encode()  # an unpaired surrogate has no bytes that a hash could cover
        except (ValueError, TypeError, KeyError, RecursionError):
            fields = None
        if not isinstance(fields, dict) or {name: type(value) for name, value in fields.items()} != types:
            raise IntegrityBroken(f"{where} line {number} is not an event.", "Ask the publisher for the folder again.")
        entries.append(Entry(**fields))
    return tuple(entries)
