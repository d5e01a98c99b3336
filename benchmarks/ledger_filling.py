"""A home with a long ledger, as people and schedules leave it: most releases end as nothing new; the others are sealed, seen, approved
twice and rejected in the end, so that nothing waits to be published. Every decision is signed, and every candidate lies in its folder.

What differs from life: many events are written in one transaction, their moments are made up, and of each file but its page a candidate
holds only the beginning: what many large candidates cost beside is the time to hash them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
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
from tasks.runtime.home import Home
from tasks.signing.home_keys import home_fingerprint
from tasks.signing.keys import PrivateKey, make_key
from tasks.signing.signatures import sign_statement
from tasks.stores.files import file_entry, list_files
from tasks.stores.seal import PAGE, Candidate, seal

APPROVERS = ("anna", "bert")
PEOPLE = ("steward", *APPROVERS)
DATASETS = 20
UNCHANGED_RUNS = 12  # scheduled runs that end as nothing new, for each that makes a candidate
KEPT_BYTES = 4096  # of each file of a candidate
BEGAN = datetime.now(UTC).replace(microsecond=0) - timedelta(days=300)


def new_home(folder: Path) -> tuple[Home, dict[str, PrivateKey]]:
    home = Home.open(folder)
    keys = {person: make_key(folder / "people" / person) for person in PEOPLE}
    home.signers.write_text("".join(f'{person} namespaces="headgate" {key.public}\n' for person, key in keys.items()))
    return home, keys


@dataclass
class Filling:
    """Writes releases as they happen, at moments that go on."""

    home: Home
    ledger: Ledger
    keys: dict[str, PrivateKey]
    model: Candidate  # a real one: what the others look like
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

    def _began(self) -> tuple[RunStarted, SourceIngested]:
        name = f"filled-{self.made:06}"
        digest = hashlib.sha256(name.encode()).hexdigest()
        runner = self._signer("steward")
        dataset = f"dataset-{self.made % DATASETS}"
        started = RunStarted(release_id=name, at=self._at(), dataset=dataset, policy_digest=digest, runner=runner, product="headgate")
        return started, SourceIngested(release_id=name, at=self._at(), rows=10, columns=5, source_hmac=digest)

    def _unchanged(self) -> Iterator[tuple[Event, str]]:
        started, ingested = self._began()
        ended = NothingNew(release_id=started.release_id, at=self._at(), candidate="a" * 64)
        yield from ((event, "steward") for event in (started, ingested, ended))

    def _decided(self) -> Iterator[tuple[Event, str]]:
        """Two approvals, and a rejection in the end, so that nothing waits to be published."""
        started, ingested = self._began()
        sealed = self._sealed(started)
        digest, manifest = sealed.id, sealed.manifest
        base = {"release_id": manifest.release_id, "at": self._at()}
        events: list[Event] = [
            started,
            ingested,
            ExpectationsChecked(**base, direction="inbound", expectations=9, successful=9),
            PlanChosen(**base, method="codip*", tables=((0,), (1, 2)), association_loss=0.2, information_exposure=0.1, steps=3),
            *(TableAnonymized(**base, table=table, groups=10, suppressed=0, reached=True) for table in (1, 2)),
            GatesJudged(**base, verdicts=12, passed=12),
            RunTracked(**base, mlflow_run_id="run"),
            CandidateSealed(
                **base,
                candidate=digest,
                policy_digest=manifest.policy_digest,
                required=manifest.approvals_required,
                series=manifest.known_versions,
                runner=manifest.runner,
                signers=manifest.signers,
                signers_digest=manifest.signers_digest,
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
            act = Act(action, digest, manifest.policy_digest, reason.text, statement_sha256=signed, reason_sha256=reason.digest)
            answer = decide(release, act, actor, OperatorRules(), now)
            assert isinstance(answer, Accepted), answer
            release = answer.release
            yield answer.events[0], person

    def _sealed(self, started: RunStarted) -> Candidate:
        """The model once more, by this run."""
        folder = self.home.stage(started.release_id)
        for entry in self.model.manifest.files:
            (folder / entry.path).parent.mkdir(parents=True, exist_ok=True)
            content = (self.model.folder / entry.path).read_bytes()
            (folder / entry.path).write_bytes(content if entry.path == PAGE else content[:KEPT_BYTES])
        own = {name: getattr(started, name) for name in ("release_id", "dataset", "policy_digest", "runner")}
        signers = tuple(map(self._signer, APPROVERS))
        manifest = self.model.manifest.model_copy(
            update=own | {"created": started.at, "signers": signers, "source_hmac": started.policy_digest}
        )
        examined = {name: file_entry(folder, name).sha256 for name in list_files(folder)}
        return seal(self.home.candidates, folder, manifest, self.keys["steward"], examined, home_fingerprint(self.home.keys))

    def _signer(self, person: str) -> Signer:
        return Signer(principal=person, fingerprint=self.keys[person].fingerprint)

    def _at(self) -> str:
        self.moment += timedelta(seconds=60)
        return self.moment.isoformat()
