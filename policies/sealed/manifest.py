"""The manifest of a candidate: what was made, what was measured, and the hash of every file. Its SHA-256 is the candidate's id."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from policies.gates.figures import AttackGain, ReleaseFigures, ReleaseUtility, TableFigures
from policies.gates.series_figures import SeriesFigures
from policies.gates.verdict import Verdict
from policies.sealed.promise import Promise
from policies.words.frozen import Frozen
from policies.words.publication_moment import PublicationMoment
from policies.words.quorum import MOST_OF_A_ROLE, MOST_ROLES, RoleName


class PlanStep(Frozen):
    """One step of the search. Columns by number (their order in `columns` of the plan), since set values may become names."""

    tables: tuple[tuple[int, ...], ...]
    merged: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    average_information: float | None = None
    association_loss: float
    information_exposure: float
    passed: bool
    reason: str = ""


class Alternative(Frozen):
    """A plan that would be possible if every table passed: the plan of codip* with this number of tables, or the least exposed plan that
    loses as little."""

    method: str
    tables: int
    association_loss: float
    information_exposure: float


class Plan(Frozen):
    method: str
    tables: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    association_loss: float
    information_exposure: float
    steps: tuple[PlanStep, ...] = ()
    bound: float | None = None  # no plan that loses as little can expose less than this; known where optimal searched
    trade_off: tuple[Alternative, ...] = ()
    naive_closeness: float | None = None  # of everything in one table: the largest distance; None where the search did not reach it


class FileEntry(Frozen):
    path: str
    sha256: str
    bytes: int


class Signer(Frozen):
    """A key that may approve, as the trust roots stood when the candidate was sealed."""

    principal: str
    fingerprint: str


class SealedRole(Frozen):
    """A role that must be filled, by how many, and who held it when the candidate was sealed."""

    role: RoleName
    number: Annotated[int, Field(ge=1, le=MOST_OF_A_ROLE)]
    people: tuple[str, ...]


def _each_role_once(roles: tuple[SealedRole, ...]) -> tuple[SealedRole, ...]:
    """A second entry beside the first could be the one that counts."""
    if len({role.role for role in roles}) != len(roles):
        raise ValueError("a role is required twice")
    return roles


SealedRoles = Annotated[tuple[SealedRole, ...], Field(max_length=MOST_ROLES), AfterValidator(_each_role_once)]


class Manifest(Frozen):
    schema_version: Literal[2] = 2
    product: str
    dataset: str
    title: str
    about: dict[str, str] = {}  # what the policy says to data users and approvers, by its key
    release_id: str
    created: str  # when the ledger recorded the start of the run: UTC, ISO 8601
    policy_digest: str
    source_hmac: str
    dictionary_hmacs: dict[str, str] = {}  # by name: the results of queries, which are no part of the policy's digest
    rows: int
    suppressed: int
    suppressed_cells: dict[str, int] = {}  # by attribute, of published rows: what `suppress_cells` took out before anything else
    seed_commitment: str
    approvals_required: int
    roles_required: SealedRoles = ()
    blind: bool = False  # no vote was shown before all were in
    answers: tuple[str, ...] = ()  # candidates of the dataset whose requested changes this one answers
    operator_digest: str = ""  # SHA-256 of operator.yaml; empty where the home had none
    runner: Signer
    machine: str = ""  # the home's key, where a schedule ran what the runner had registered: neither of the two may approve
    signers: tuple[Signer, ...]
    signers_digest: str
    publish_to: str
    not_before: PublicationMoment | None = None
    promise: Promise
    plan: Plan
    tables: tuple[TableFigures, ...]
    verdicts: tuple[Verdict, ...]
    utility: ReleaseUtility
    attacks: tuple[str, ...] = ()  # tried on the finished tables, in words
    attack_gains: tuple[AttackGain, ...] = ()  # the same in figures
    known_versions: tuple[str, ...] | None = None  # candidates of the versions that were out; None where they need not be compared
    series: SeriesFigures | None = None  # together with these
    mlflow_run_id: str
    files: tuple[FileEntry, ...]

    @property
    def sealed_by(self) -> str:
        """The fingerprint of the key that signs this manifest."""
        return self.machine or self.runner.fingerprint

    @property
    def whole(self) -> ReleaseFigures:
        """What was measured of the release as a whole."""
        return ReleaseFigures(self.utility, self.attack_gains, self.series)
