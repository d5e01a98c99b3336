"""What others have seen of a ledger: heads that lie in published folders, that auditors cosigned, and that a home remembers. A ledger
that is restored must reach all of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from headgate.core.errors import HeadgateError, InputRejected, IntegrityBroken, StoreUnavailable
from headgate.core.units import counted
from tasks.ledger.chain import EVENTS_FILE, HEAD_SIGNATURE, Entry, entries_from_lines
from tasks.ledger.remembered_head import REMEMBERED_FILE, SUBJECT, Remembered
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.signing.signatures import REMEMBERED, verify_envelope
from tasks.verification.cosigned_heads import read_cosigned, read_published_head
from tasks.verification.kept_heads import heads_folder

DEEPEST = 4  # a store, a series of two names, a version
MOST_NAMED = 5
DAMAGED = "Move it away and keep it, if you know that the backup holds all that this home had seen."


@dataclass(frozen=True)
class SeenHead:
    """`where`: who has seen it, as the subject of a sentence. `folder`: a published version, whose events tell what happened there."""

    seq: int
    hash: str
    where: str
    folder: Path | None = None


def heads_below(place: Path, ledger_key: str, strict: bool = True) -> Iterator[SeenHead]:
    """Of a published version, of a series, of a store, or of a home. Where it is `strict`, another ledger's is refused, and so is a place
    without any; else it says nothing of this one."""
    found = False
    for file in _head_files(place):
        found = True
        try:
            head = read_published_head(file)
        except HeadgateError:
            if strict:
                raise
            continue
        if head.fingerprint == ledger_key:
            yield SeenHead(head.seq, head.hash, f"{file.parent} was published after", file.parent)
        elif strict:
            raise InputRejected(f"{file} is signed by another ledger's key than the backup.", "Name folders that this ledger published.")
    yield from heads_of_home(place, ledger_key)
    if strict and not (found or (Home(place).state / REMEMBERED_FILE).is_file()):
        raise InputRejected(f"{place} holds nothing that a ledger published.", "Name a published folder, a store, or a home.")


def _head_files(place: Path) -> Iterator[Path]:
    """`head.dsse.json` of a home's state folder is another thing, but a series may have that name. What cannot be listed may hold any."""
    if place.is_file():
        yield place
        return
    root = len(place.parts)
    for folder, folders, files in os.walk(place, onerror=_refuse_unlisted):
        here = Path(folder)
        folders[:] = [name for name in sorted(folders) if not name.startswith(".")]
        if len(here.parts) - root >= DEEPEST:
            folders.clear()
        if HEAD_SIGNATURE in files and (here.name != "state" or EVENTS_FILE in files):
            yield here / HEAD_SIGNATURE


def _refuse_unlisted(problem: OSError) -> None:
    raise StoreUnavailable(
        f"{problem.filename} cannot be read ({reason_of(problem)}), so nobody knows what was published there.",
        "Run this as an account that can read it, or correct its permissions.",
    )


def heads_of_home(home: Path, ledger_key: str) -> Iterator[SeenHead]:
    """What it remembers, and what auditors handed in there. A memory that is there and cannot be read is refused: it may be of more."""
    kept = Home(home)
    file = kept.state / REMEMBERED_FILE
    content = _memory(file)
    if content is not None:
        signed = verify_envelope(content, str(file), REMEMBERED)
        try:
            remembered = Remembered.model_validate(signed.statement.predicate)
        except ValidationError:
            raise IntegrityBroken(f"{file} is not a head of a ledger.", DAMAGED) from None
        if signed.fingerprint == ledger_key and signed.statement.digests == {SUBJECT: remembered.hash} and remembered.seq:
            yield SeenHead(remembered.seq, remembered.hash, f"The home {home} has seen")
    yield from cosigned_heads(heads_folder(kept).glob("*.json"), strict=False)


def _memory(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise StoreUnavailable(f"{file} cannot be read ({reason_of(problem)}).", "Correct its permissions, or move it away.") from None


def cosigned_heads(files: Iterable[Path], strict: bool = True) -> Iterator[SeenHead]:
    for file in files:
        try:
            cosigned = read_cosigned(file)
        except HeadgateError:
            if strict:
                raise
            continue
        yield SeenHead(cosigned.head.seq, cosigned.head.hash, f"{cosigned.signer} cosigned")


def require_one_chain(heads: Iterable[SeenHead], seq: int, hashes: Mapping[int, str], holder: str = "the backup") -> tuple[SeenHead, ...]:
    """Those past event `seq`, with which the backup ends, the highest first. One that contradicts the backup's own events is a fork, and no
    last resort helps. `hashes`: of the backup's events, by their numbers."""
    beyond = []
    for head in heads:
        if head.seq > seq:
            beyond.append(head)
        elif hashes.get(head.seq) != head.hash:
            raise IntegrityBroken(
                f"{head.where} event {head.seq}, and {holder} holds another event of that number: they are two different ledgers.",
                "Find out which of them is the house's own. Nothing is restored.",
            )
    return tuple(sorted(beyond, key=lambda head: -head.seq))


def lost_events(beyond: Iterable[SeenHead], seq: int) -> tuple[str, ...]:
    """What can still be told of events that the backup does not hold, from the folders that were published with them."""
    known: dict[int, Entry] = {}
    for head in beyond:
        if head.folder is not None:
            with suppress(OSError, HeadgateError):
                content = (head.folder / EVENTS_FILE).read_text(encoding="utf-8")
                known |= {entry.seq: entry for entry in entries_from_lines(content, EVENTS_FILE) if entry.seq > seq}
    return tuple(f"event {entry.seq}: {entry.type}, release {entry.release}, {entry.at}" for _, entry in sorted(known.items()))


def refuse_rollback(beyond: tuple[SeenHead, ...], seq: int) -> IntegrityBroken:
    lost, highest = lost_events(beyond, seq), beyond[0].seq
    said = [f"{head.where} event {head.seq}." for head in beyond[:MOST_NAMED]]
    named = f" Known of them: {'; '.join(lost[:MOST_NAMED])}{'; …' if len(lost) > MOST_NAMED else ''}." if lost else ""
    return IntegrityBroken(
        f"The backup ends at event {seq}, and the ledger went on: {' '.join(said)} At least {counted(highest - seq, 'event')} would be "
        f"lost, number {seq + 1} to {highest}.{named}",
        "Restore a newer backup, or find the ledger itself. If there is neither: --accept-loss restores this one, and nothing is written "
        "in that home until `headgate doctor --accept-ledger` gives the lost events up. What was published, approved or withdrawn by them "
        "is then unknown to the ledger for ever: move those versions away from where they are published, tell their readers and your "
        "auditors, and keep the folders as evidence.",
    )
