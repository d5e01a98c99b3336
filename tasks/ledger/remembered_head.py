"""What a home remembers of its ledger, outside of the database: the highest head it has seen, signed by the ledger's key.

A head is remembered after its event is on disk, never before: a home that was killed in between remembers an older head, which lies
on the chain as well. A ledger on whose chain the remembered head does not lie is an older one put back, a shortened one or another one.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import Field, ValidationError

from headgate.core.errors import IntegrityBroken, StoreUnavailable
from policies.ledger.events import Moment, moment
from policies.words.frozen import Frozen
from tasks.ledger.chain import START, Entry, check_tail
from tasks.ledger.ledger_store import LedgerTransaction
from tasks.ledger.machine_time import Uptime, machine_uptime, require_no_gap, require_no_jump
from tasks.runtime.boundary import reason_of
from tasks.signing.home_keys import LEDGER_KEY, ledger_key
from tasks.signing.keys import PrivateKey
from tasks.signing.public_keys import read_public_key
from tasks.signing.signatures import REMEMBERED, sign_statement, statement, verify_envelope
from tasks.stores.files import replace_file

REMEMBERED_FILE = "head.dsse.json"
SUBJECT = "head"
BUSY_SECONDS = 30.0
RESTORE = (
    "If the ledger lies in a database, look first whether HEADGATE_DATABASE_URL names it here. Restore the newest ledger. If it is lost "
    "for good, the operator compares what is left with every published folder and cosigned head, and then: headgate doctor --accept-ledger."
)


class Remembered(Frozen):
    """`seq` 0 is a ledger without events. `clock`: the machine's clock when it was last known to be right, and the time since the machine
    started (`boot`, `seconds`) at that moment."""

    seq: int = Field(ge=0)
    hash: str = Field(pattern="^[0-9a-f]{64}$")
    clock: Moment
    boot: str = ""
    seconds: float = 0.0

    @property
    def uptime(self) -> Uptime | None:
        return Uptime(self.boot, self.seconds) if self.boot else None


@dataclass(frozen=True)
class HeadMemory:
    """`folder` holds the remembered head, `keys` the ledger's key. What cannot be read, or is signed by another key, is refused.
    `elsewhere`: what has another process sign, for one that opens no private key (head_keeper.py)."""

    folder: Path
    keys: Path
    longest_gap_days: Callable[[], int] = field(compare=False)
    uptime: Callable[[], Uptime | None] = field(default=machine_uptime, compare=False)
    elsewhere: Callable[[], None] | None = field(default=None, compare=False)

    @property
    def file(self) -> Path:
        return self.folder / REMEMBERED_FILE

    def read(self) -> Remembered | None:
        """None if nothing is remembered yet."""
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise StoreUnavailable(f"{self.file} cannot be read ({reason_of(problem)}).", "Check the home's permissions.") from None
        signed = verify_envelope(content, str(self.file), REMEMBERED)
        own = self.keys / f"{LEDGER_KEY}.pub"
        if not own.exists():
            raise StoreUnavailable(
                f"{own} is missing: this home had it, and remembers a head that it signed.", "Restore the folder of keys from a backup."
            )
        if signed.fingerprint != read_public_key(own).fingerprint:
            raise IntegrityBroken(f"{self.file} is signed by another key than the ledger's.", RESTORE)
        try:
            remembered = Remembered.model_validate(signed.statement.predicate)
        except ValidationError:
            raise IntegrityBroken(f"{self.file} is not a head of a ledger.", RESTORE) from None
        if signed.statement.digests != {SUBJECT: remembered.hash}:
            raise IntegrityBroken(f"{self.file} is not a head of a ledger.", RESTORE)
        return remembered

    def begin(self, stored: LedgerTransaction, present: datetime) -> None:
        """Of a new ledger it is remembered that it had no events, so that a memory that is gone later is noticed."""
        if not self.file.exists():
            require_remembered(None, stored)
            self.remember(None, present)

    def remember(self, last: Entry | None, present: datetime, anew: bool = False) -> None:
        """The head after the last event, unless a higher one is remembered by now. `anew`: whatever was remembered, this head and this
        clock count from now on."""
        if self.elsewhere is not None:
            self.elsewhere()
            return
        with self._alone():
            before = None if anew else self.read()
            seq, digest = (0, START) if last is None else (last.seq, last.hash)
            if before is not None and before.seq >= seq:
                return
            uptime = self.uptime()
            if before is not None and (uptime is None or before.boot == uptime.boot):
                remembered = before.model_copy(update={"seq": seq, "hash": digest})
            else:
                boot, seconds = ("", 0.0) if uptime is None else (uptime.boot, uptime.seconds)
                remembered = Remembered(seq=seq, hash=digest, clock=present.isoformat(), boot=boot, seconds=seconds)
            content = signed_memory(remembered, ledger_key(self.keys))
            try:
                replace_file(self.file, content)
            except OSError as problem:
                raise self._unwritable(problem) from None

    def require_time(self, remembered: Remembered | None, present: datetime, last: datetime) -> None:
        """Refused if the clock was set forward since the ledger was last written, or if nothing was written for too long."""
        if remembered is None:
            return
        known = moment(remembered.clock)
        require_no_jump(present, self.uptime(), known, remembered.uptime)
        require_no_gap(present, max(known, last), self.longest_gap_days)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Two that append at once must not remember the lower head last."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.folder, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as problem:
            raise self._unwritable(problem) from None
        try:
            deadline = time.monotonic() + BUSY_SECONDS
            while not _locked(descriptor):
                if time.monotonic() > deadline:
                    raise StoreUnavailable(f"{self.folder} was in use for {BUSY_SECONDS:.0f} seconds.", "End the other process.")
                time.sleep(0.01)
            yield
        finally:
            os.close(descriptor)

    def _unwritable(self, problem: OSError) -> StoreUnavailable:
        return StoreUnavailable(f"{self.folder} cannot be written ({reason_of(problem)}).", "Check permissions and free space.")


def signed_memory(remembered: Remembered, key: PrivateKey) -> bytes:
    return sign_statement(statement({SUBJECT: remembered.hash}, REMEMBERED, remembered.model_dump(mode="json")), key)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def require_remembered(remembered: Remembered | None, stored: LedgerTransaction) -> None:
    """IntegrityBroken unless it lies on the chain. Whatever was added since must follow it."""
    if remembered is None:
        last = stored.last()
        if last is not None:
            raise IntegrityBroken(f"The ledger holds {last.seq} events, and this home remembers none of them.", RESTORE)
        return
    tail = stored.entries_from(remembered.seq)
    if remembered.seq == 0:
        check_tail(tail, 0, START)
        return
    if not tail or tail[0].seq != remembered.seq:
        raise IntegrityBroken(
            f"This home has seen event {remembered.seq} of its ledger, and the ledger does not hold it: an older ledger was put back, "
            "its last events were deleted, or it was started anew.",
            RESTORE,
        )
    if tail[0].hash != remembered.hash:
        raise IntegrityBroken(
            f"Event {remembered.seq} of the ledger is not the one that this home has seen: the ledger was replaced by another.", RESTORE
        )
    check_tail(tail, remembered.seq - 1, tail[0].previous)
