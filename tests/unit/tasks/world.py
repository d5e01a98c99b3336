"""A small world of releases: real tables, real figures, real keys, a real ledger; only the clock is the test's."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.published_form.published_table import publish_form
from policies.gates.figures import ReleaseUtility
from policies.gates.verdict import Requirement
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge
from policies.ledger.events import (
    CandidateSealed,
    ExpectationsChecked,
    GatesJudged,
    PlanChosen,
    RunStarted,
    RunTracked,
    SourceIngested,
    TableAnonymized,
)
from policies.sealed.manifest import Manifest, Plan, SealedRole, Signer
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tasks.approval.approvals import manifest_signers, operator_roots
from tasks.approval.registered_policies import ScheduledPolicy, register
from tasks.ledger.event_log import Ledger
from tasks.ledger.machine_time import Uptime
from tasks.ledger.open_ledger import open_ledger
from tasks.publication.publish_version import Publication
from tasks.runtime.home import Home
from tasks.signing.detached import with_detached
from tasks.signing.home_keys import home_fingerprint, machine_key
from tasks.signing.keys import PrivateKey, make_key
from tasks.signing.registration import REGISTRATION
from tasks.stores.seal import Candidate, seal
from tasks.tables.read_published import published_of, read_published_frame
from tasks.tables.write import write_published
from tests.unit.claimed import proximity, required

PEOPLE = ("runner", "ann", "ann-second", "bob", "cyd", "stranger")
PLACE = "/policies/people.yaml"
POLICY = hashlib.sha256(b"policy").hexdigest()
ROWS, GROUP = 60, 6


@dataclass
class Clock:
    """Advances by a second each time it is read."""

    moment: datetime = datetime(2025, 6, 1, 12, 0, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment

    def uptime(self) -> Uptime:
        """Of a machine whose clock is right."""
        return Uptime("the world's", self.moment.timestamp())


@dataclass(frozen=True)
class Made:
    """A staged release: its files, and its manifest but for who made it."""

    folder: Path
    manifest: Manifest


def _promise() -> Promise:
    return Promise(
        requirements=(
            required("k", 5),
            proximity("0.1", "0.3"),
            required("linkability", "0.6"),
            required("delta_l", 2, "income", interval="10"),
            required("closeness", "0.9", "job"),
            required("distinct_l", 2, "job"),
            Requirement(gate="reidentification", bound="max", required="0.25"),
        ),
        quasi=(
            QuasiIdentifier(name="age", kind="integer", domain=(0.0, 99.0)),
            QuasiIdentifier(name="sex", kind="category", values=("f", "m")),
        ),
        sensitive=(
            SensitiveAttribute(name="job", kind="category"),
            SensitiveAttribute(name="income", kind="number", domain=(0.0, 1000.0)),
        ),
        insensitive=("visit",),
    )


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Two tables of sixty people in groups of six, written in both formats and measured as written."""
    return make(tmp_path_factory.mktemp("made"), ROWS)


@pytest.fixture(scope="session")
def made_in_parts(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The same in three parts of twenty rows."""
    return make(tmp_path_factory.mktemp("parts"), 25)


def make(folder: Path, rows_per_part: int) -> Made:
    rng = np.random.default_rng(11)
    frame = pd.DataFrame(
        {
            "age": np.sort(rng.integers(18, 90, ROWS)),
            "sex": rng.choice(["f", "m"], ROWS),
            "job": np.resize(["baker", "clerk", "nurse"], ROWS),
            "income": np.resize([100.0, 250.5, 400.0, 550.0, 700.0, 900.0], ROWS),
            "visit": rng.choice(["planned", "urgent"], ROWS),
        }
    )
    frame.loc[3, "job"] = None
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 99)),
        "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
        "job": ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE),
        "income": ColumnSpec("income", Kind.NUMBER, Role.SENSITIVE, domain=(0, 1000)),
        "visit": ColumnSpec("visit", Kind.CATEGORY, Role.INSENSITIVE),
    }
    table = encode_table(frame, specs)
    promise = _promise()
    figures = []
    groups = np.arange(ROWS, dtype=np.int32) // GROUP
    for name, sensitive, insensitive in (("table-1", ("job",), ("visit",)), ("table-2", ("income",), ())):
        written = write_published(publish_form(table, groups, name, sensitive, insensitive), folder, seed=5, rows_per_part=rows_per_part)
        first = [file for file in written if file.format == written[0].format]
        published = published_of(read_published_frame(*(folder / file.path for file in first)), promise, name)
        parts = tuple(file.rows for file in first) if len(first) > 1 else ()
        figures.append(measure_table(promise, published, suppressed=0, path=written[0].path, parts=parts))
    (folder / "report.html").write_text("<p>what would be published</p>")
    verdicts = judge(promise, figures)
    assert all(verdict.passed for verdict in verdicts), [verdict for verdict in verdicts if not verdict.passed]
    manifest = Manifest(
        product="headgate 0.1.0",
        dataset="people",
        title="People",
        release_id="none yet",
        created="2025-06-01T12:00:00+00:00",
        policy_digest=POLICY,
        source_hmac="cd" * 32,
        rows=ROWS,
        suppressed=0,
        seed_commitment="ef" * 32,
        approvals_required=2,
        runner=Signer(principal="runner", fingerprint="none yet"),
        signers=(),
        signers_digest="",
        publish_to="people",
        promise=promise,
        plan=Plan(
            method="given", tables=(("job",), ("income",)), columns=("job", "income"), association_loss=0.2, information_exposure=0.1
        ),
        tables=tuple(figures),
        verdicts=verdicts,
        utility=ReleaseUtility(ncp=float(np.mean([table.ncp for table in figures])), suppressed_share=0.0),
        mlflow_run_id="run",
        files=(),
    )
    return Made(folder, manifest)


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="session")
def keys(key_folder: Path) -> dict[str, PrivateKey]:
    return {name: make_key(key_folder / name) for name in PEOPLE}


@dataclass(frozen=True)
class PublishedFolder(Publication):
    """A publication whose address is a folder."""

    @property
    def folder(self) -> Path:
        return Path(self.address)


def examined(staged: Path) -> dict[str, str]:
    """The digests that the files of a staged folder have now."""
    files = (path for path in staged.rglob("*") if path.is_file())
    return {path.relative_to(staged).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@dataclass
class World:
    """A home with its ledger and its operator's signers, and everybody's keys."""

    home: Home
    ledger: Ledger
    clock: Clock
    keys: dict[str, PrivateKey]
    made: Made
    began: int = 0
    expires: timedelta | None = None
    changes: dict[str, object] = field(default_factory=dict)
    policy_sha256: str = ""

    def write_signers(self, *lines: str) -> None:
        self.home.signers.write_text("".join(line + "\n" for line in lines))

    def line(self, name: str, principal: str = "", options: str = "") -> str:
        return f"{principal or name} {options + ' ' if options else ''}{self.keys[name].public}"

    def revoke(self, name: str) -> None:
        (self.home.root / "revoked_keys").write_text(self.keys[name].public + "\n")

    def seal(self, runner: str = "runner", scheduled: bool = False, home: str = "", **changes: object) -> Candidate:
        """Runs a release up to its candidate: the events of a run, and the sealed folder. A scheduled one is registered by the runner.
        `home`: another than the world's, for which the seal is made."""
        self.began += 1
        release_id = f"release-{self.began}"
        roots = operator_roots(self.home)
        key = self.keys[runner]
        who = Signer(principal=roots.principal_of(key.fingerprint) or "runner", fingerprint=key.fingerprint)
        ran = {key.fingerprint, machine_key(self.home.keys).fingerprint if scheduled else ""}
        staged = self.home.stage(release_id)
        shutil.copytree(self.made.folder, staged, dirs_exist_ok=True)
        manifest = self.made.manifest.model_copy(
            update={
                "release_id": release_id,
                "runner": who,
                "signers": manifest_signers(roots, self.ledger.now(), ran),
                "signers_digest": roots.digest,
                **self.changes,
                **changes,
            }
        )
        registered = None
        if scheduled:
            registration = register(self.home, self.ledger, ScheduledPolicy(manifest.dataset, manifest.policy_digest, PLACE), who, key)
            for path, content in with_detached({REGISTRATION: registration.envelope}).items():
                (staged / path).write_bytes(content)
            key, registered = machine_key(self.home.keys), registration.said.at
            manifest = manifest.model_copy(update={"machine": key.fingerprint})
        manifest = manifest.model_copy(update={"created": self.ledger.now().isoformat()} | changes)
        candidate = seal(self.home.candidates, staged, manifest, key, examined(staged), home or home_fingerprint(self.home.keys))
        self.record(candidate, registered)
        return candidate

    def hold_roles(self, **roles: tuple[str, ...]) -> tuple[SealedRole, ...]:
        """The operator gives these people their roles; one of each, for a candidate."""
        held = ", ".join(f"{role}: [{', '.join(people)}]" for role, people in roles.items())
        (self.home.root / "operator.yaml").write_text(f"roles: {{{held}}}\n")
        return tuple(SealedRole(role=role, number=1, people=people) for role, people in roles.items())

    def record(self, candidate: Candidate, registered: str | None = None) -> None:
        manifest = candidate.manifest
        base = {"release_id": manifest.release_id, "at": self.ledger.now().isoformat()}
        events = (
            RunStarted(
                **{**base, "at": manifest.created},
                dataset=manifest.dataset,
                policy_digest=manifest.policy_digest,
                runner=manifest.runner,
                machine=manifest.machine,
                registered=registered,
                product="headgate",
                policy_sha256=self.policy_sha256,
            ),
            SourceIngested(**base, rows=ROWS, columns=5, source_hmac=manifest.source_hmac),
            ExpectationsChecked(**base, direction="inbound", expectations=3, successful=3),
            PlanChosen(**base, method="given", tables=((0,), (1,)), association_loss=0.2, information_exposure=0.1, steps=0),
            TableAnonymized(**base, table=1, groups=10, suppressed=0, reached=True),
            GatesJudged(**base, verdicts=len(manifest.verdicts), passed=len(manifest.verdicts)),
            RunTracked(**base, mlflow_run_id="run"),
            CandidateSealed(
                **base,
                candidate=candidate.id,
                policy_digest=manifest.policy_digest,
                required=manifest.approvals_required,
                roles=manifest.roles_required,
                blind=manifest.blind,
                answers=manifest.answers,
                series=manifest.known_versions,
                not_before=manifest.not_before,
                runner=manifest.runner,
                signers=manifest.signers,
                signers_digest=manifest.signers_digest,
                deadline=None if self.expires is None else (self.ledger.now() + self.expires).isoformat(),
            ),
        )
        self.ledger.append(manifest.release_id, events, 0, manifest.runner.principal)

    def approve(self, candidate: Candidate, *names: str) -> None:
        from tasks.approval.decisions import approve

        for name in names:
            approve(self.home, self.ledger, candidate.id, self.keys[name], "read the report")

    def publish(self, candidate: Candidate) -> PublishedFolder:
        from tasks.publication.publish_version import publish

        return PublishedFolder(**vars(publish(self.home, self.ledger, candidate.id)))

    def published(self, **changes: object) -> PublishedFolder:
        """A release through the whole journey."""
        candidate = self.seal(**changes)
        self.approve(candidate, "ann", "bob")
        return self.publish(candidate)


@pytest.fixture
def world(tmp_path: Path, keys: dict[str, PrivateKey], made: Made) -> World:
    home = Home.open(tmp_path / "home")
    clock = Clock()
    opened = open_ledger(home)
    memory = replace(opened.memory, uptime=clock.uptime)
    found = World(home, Ledger(opened.store, clock, memory), clock, keys, made)
    found.write_signers(found.line("runner"), found.line("ann"), found.line("ann-second", "ann"), found.line("bob"), found.line("cyd"))
    return found
