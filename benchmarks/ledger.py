"""What a ledger costs when it is long: 100,000 events, most of them of scheduled runs that ended as nothing new, every decision signed.

Commands are timed as a person waits for them, interpreter and imports included. The fill is not timed: it writes many events in one
transaction, through the same chain."""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

from policies.approval.acts import Act, Actor, OperatorRules
from policies.approval.decide import Accepted, decide
from policies.ledger.events import (
    CandidateSealed,
    CandidateViewed,
    Event,
    ExpectationsChecked,
    GatesJudged,
    NothingNew,
    PlanChosen,
    RunStarted,
    RunTracked,
    SourceIngested,
    TableAnonymized,
)
from policies.ledger.fold import fold
from policies.ledger.states import Action, ActorRole
from policies.sealed.manifest import Signer
from tasks.approval.approvals import decisions_folder
from tasks.approval.reasons import salted
from tasks.approval.statements import decision_statement
from tasks.ledger.chain import Entry
from tasks.ledger.event_log import Ledger, entry_after
from tasks.ledger.history import read_whole
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home
from tasks.signing.keys import PrivateKey, make_key
from tasks.signing.signatures import sign_statement

EVENTS = 100_000
PEOPLE = ("steward", "anna", "bert")
DATASETS = 20
UNCHANGED_RUNS = 12  # scheduled runs that end as nothing new, for each that makes a candidate
APPENDS = 300
BEGAN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=300)


@dataclass
class Filling:
    """Writes releases as they happen, at moments that go on."""

    home: Home
    ledger: Ledger
    keys: dict[str, PrivateKey]
    made: int = 0
    moment: datetime = BEGAN

    def fill(self, events: int) -> None:
        with self.ledger.store.writing() as stored:
            last = stored.last()
            while last is None or last.seq < events:
                for event, actor, own in self._release():
                    last = entry_after(last, own, event, actor)
                    stored.append(last, event.subject)
                    self._newest = last
        self.ledger.memory.remember(last, datetime.now(UTC))

    def _release(self) -> Iterator[tuple[Event, str, Entry | None]]:
        self.made += 1
        unchanged = self.made % (UNCHANGED_RUNS + 1) != 0
        own: Entry | None = None
        for event, actor in self._unchanged() if unchanged else self._decided():
            yield event, actor, own
            own = self._newest

    def _began(self) -> list[Event]:
        name = f"filled-{self.made:06}"
        digest = hashlib.sha256(name.encode()).hexdigest()
        runner = self._signer("steward")
        dataset = f"dataset-{self.made % DATASETS}"
        started = RunStarted(release_id=name, at=self._at(), dataset=dataset, policy_digest=digest, runner=runner, product="headgate")
        return [started, SourceIngested(release_id=name, at=self._at(), rows=10, columns=5, source_hmac=digest)]

    def _unchanged(self) -> Iterator[tuple[Event, str]]:
        events = self._began()
        events.append(NothingNew(release_id=events[0].release_id, at=self._at(), candidate="a" * 64))
        yield from ((event, "steward") for event in events)

    def _decided(self) -> Iterator[tuple[Event, str]]:
        """Two approvals, and a rejection in the end, so that nothing waits to be published."""
        events = self._began()
        started = events[0]
        name, digest, runner = started.release_id, started.policy_digest, started.runner
        base = {"release_id": name, "at": self._at()}
        events += [
            ExpectationsChecked(**base, direction="inbound", expectations=9, successful=9),
            PlanChosen(**base, method="codip*", tables=((0,), (1, 2)), association_loss=0.2, information_exposure=0.1, steps=3),
            *(TableAnonymized(**base, table=table, groups=10, suppressed=0, reached=True) for table in (1, 2)),
            GatesJudged(**base, verdicts=12, passed=12),
            RunTracked(**base, mlflow_run_id="run"),
            CandidateSealed(
                **base,
                candidate=digest,
                policy_digest=digest,
                required=2,
                runner=runner,
                signers=tuple(map(self._signer, PEOPLE)),
                signers_digest=digest,
            ),
            CandidateViewed(**base, candidate=digest, viewer="anna"),
        ]
        yield from ((event, "steward") for event in events)
        release = fold(events)
        for person, action in (("anna", Action.APPROVE), ("bert", Action.APPROVE), ("anna", Action.REJECT)):
            reason, now = salted("read the report"), datetime.fromisoformat(self._at())
            said = decision_statement(release, str(action), person, reason.digest, now.isoformat())
            envelope = sign_statement(said, self.keys[person])
            signed = hashlib.sha256(envelope).hexdigest()
            folder = decisions_folder(self.home, digest)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{signed}.dsse.json").write_bytes(envelope)
            (folder / f"{reason.digest}.reason").write_bytes(reason.content)
            actor = Actor(person, self.keys[person].fingerprint, ActorRole.APPROVER)
            act = Act(action, digest, digest, reason.text, statement_sha256=signed, reason_sha256=reason.digest)
            answer = decide(release, act, actor, OperatorRules(), now)
            assert isinstance(answer, Accepted), answer
            release = answer.release
            yield answer.events[0], person

    def _signer(self, person: str) -> Signer:
        return Signer(principal=person, fingerprint=self.keys[person].fingerprint)

    def _at(self) -> str:
        self.moment += timedelta(seconds=60)
        return self.moment.isoformat()


def new_home(folder: Path) -> tuple[Home, dict[str, PrivateKey]]:
    home = Home.open(folder)
    keys = {person: make_key(folder / "people" / person) for person in PEOPLE}
    home.signers.write_text("".join(f'{person} namespaces="headgate" {key.public}\n' for person, key in keys.items()))
    return home, keys


def milliseconds(work: Callable[[int], object], times: int) -> list[float]:
    taken = []
    for number in range(times):
        start = time.perf_counter()
        work(number)
        taken.append(1000 * (time.perf_counter() - start))
    return sorted(taken)


def appends(ledger: Ledger, prefix: str) -> str:
    def append(number: int) -> None:
        name = f"{prefix}-{number}"
        at = ledger.now().isoformat()
        runner = Signer(principal="steward", fingerprint="none")
        started = RunStarted(release_id=name, at=at, dataset="appended", policy_digest="a" * 64, runner=runner, product="headgate")
        ledger.append(name, [started], 0, "steward")

    taken = milliseconds(append, APPENDS)
    return f"median {statistics.median(taken):.1f} ms, p99 {taken[int(0.99 * APPENDS)]:.1f} ms"


def synced() -> str:
    """What this disk takes for one small write that stays."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:

        def write(number: int) -> None:
            with open(Path(folder) / "synced", "wb") as file:
                file.write(b"x" * 500)
                file.flush()
                os.fsync(file.fileno())

        taken = milliseconds(write, APPENDS)
    return f"median {statistics.median(taken):.1f} ms, p99 {taken[int(0.99 * APPENDS)]:.1f} ms"


def command(home: Home, *arguments: str) -> str:
    environment = {**os.environ, "HEADGATE_HOME": str(home.root), "DO_NOT_TRACK": "true"}
    start, before = time.perf_counter(), os.times()
    done = subprocess.run([sys.executable, "-m", "flows.cli", *arguments], env=environment, capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode:
        raise SystemExit(f"headgate {arguments[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return f"{seconds:.2f} s, {processor:.2f} s of a processor"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    asked = parser.parse_args()
    print(f"one synced write of 500 bytes: {synced()}")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        home, keys = new_home(Path(folder).resolve() / "home")
        ledger = open_ledger(home)
        filling = Filling(home, ledger, keys)
        filling.fill(100)
        print(f"append at 100 events: {appends(ledger, 'early')}")
        filling.fill(asked.events)
        decisions = len(list((home.root / "decisions").glob("*/*.dsse.json")))
        print(f"filled: {asked.events:,} events of {filling.made:,} releases, {decisions:,} signed decisions")
        print(f"append at {asked.events:,} events: {appends(ledger, 'late')}")
        start, processor = time.perf_counter(), time.process_time()
        read_whole(ledger).releases()
        seconds, processor = time.perf_counter() - start, time.process_time() - processor
        print(f"every hash, link, event and state checked: {seconds:.2f} s, {processor:.2f} s of a processor")
        policy = files("policies.shipped") / "hospital-patients.yaml"
        people = home.root / "people"
        command(home, "release", str(policy), "--key", str(people / "steward"))
        candidate = read_whole(ledger).releases()[-1].candidate
        for name, arguments in (
            ("show", ("show", candidate)),
            ("approve", ("approve", candidate, "--key", str(people / "anna"), "--reason", "read the report")),
            ("audit verify", ("audit", "verify")),
            ("releases", ("releases",)),
        ):
            print(f"headgate {name}: {command(home, *arguments)}")


if __name__ == "__main__":
    main()
