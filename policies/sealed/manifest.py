"""The manifest of a candidate: what was made, what was measured, and the hash of every file. Its SHA-256 is the candidate's id."""

from __future__ import annotations

from policies.schema.disclosure_key import CANDIDATES, MAX, MEAN, PRIOR, SHARE
from policies.sealed.promise import Promise
from policies.words.frozen import Frozen


class Verdict(Frozen):
    """One gate on one table. `measured` None means it could not be measured, which is not passed."""

    gate: str
    table: str
    measured: float | None
    required: float | None
    passed: bool
    remedy: str = ""

    @property
    def kind(self) -> str:
        """The gate without the attribute or dictionary it is about."""
        return self.gate.partition(":")[0]

    @property
    def against(self) -> tuple[str, str]:
        """Of a gate on disclosure, the dictionary and the bound."""
        dictionary, _, bound = self.gate.partition(":")[2].rpartition(".")
        return dictionary, bound


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
    """A plan that could be had if every table passed: codip*'s with so many tables, or the least exposed that loses as little."""

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
    naive_closeness: float | None = None  # of everything in one table: the largest distance; None where that keeps no promise


class TableFigures(Frozen):
    """Everything measured on one published table, re-read from what was written."""

    name: str
    sensitive: tuple[str, ...]
    insensitive: tuple[str, ...] = ()
    path: str = ""  # of the CSV, or else the Parquet file, inside the candidate
    rows: int
    groups: int
    k: int
    mean_group: float
    discernibility: int
    risk: float | None = None  # of the composite at the promised ε, over sensitive centres
    risk_all: float | None = None  # the papers' figure, over all values
    delta_reached: float | None = None
    vulnerability: float | None = None
    single_risk: dict[str, float] = {}
    linkability: float | None = None  # over sensitive values
    linkability_all: float | None = None
    closeness: dict[str, float] = {}
    distinct_l: dict[str, int] = {}
    distinct_l_all: dict[str, int] = {}
    distinct_attainable: dict[str, int] = {}  # distinct values in the table: a required l is capped at this
    delta_l: dict[str, float] = {}
    delta_l_all: dict[str, float] = {}
    reidentification_max: float
    reidentification_mean: float
    disclosure_mean: dict[str, float] = {}  # per dictionary
    disclosure_max: dict[str, float] = {}
    disclosure_share: dict[str, float] = {}  # of records above the loss that the policy names
    disclosure_candidates: dict[str, float] = {}  # fewest individuals that any record could be
    disclosure_unmatched: dict[str, float] = {}  # share of records that nobody in the dictionary is consistent with
    disclosure_prior: float | None = None  # expected over the dictionaries, where the policy says how likely each is
    ncp: float
    query_error_mean: float | None = None
    query_error_median: float | None = None
    levels: dict[str, int] | None = None

    def disclosed(self, dictionary: str, bound: str) -> float | None:
        """The figure that a bound on disclosure looks at; None if it was not measured."""
        if dictionary == PRIOR:
            return self.disclosure_prior if bound == MEAN else None
        known = {
            MEAN: self.disclosure_mean,
            MAX: self.disclosure_max,
            SHARE: self.disclosure_share,
            CANDIDATES: self.disclosure_candidates,
        }
        return known[bound].get(dictionary) if bound in known else None


class Utility(Frozen):
    query_error_mean: float | None = None
    query_error_median: float | None = None
    ncp: float
    suppressed_share: float


class FileEntry(Frozen):
    path: str
    sha256: str
    bytes: int


class Signer(Frozen):
    """A key that may approve, as the trust roots stood when the candidate was sealed."""

    principal: str
    fingerprint: str


class Manifest(Frozen):
    schema_version: int = 1
    product: str
    dataset: str
    title: str
    release_id: str
    created: str  # UTC, ISO 8601, seconds
    policy_digest: str
    source_hmac: str
    dictionary_hmacs: dict[str, str] = {}  # by name: the results of queries, which are no part of the policy's digest
    rows: int
    suppressed: int
    suppressed_cells: dict[str, int] = {}  # by attribute: those that a policy's `suppress_cells` took out before anything else
    seed_commitment: str
    approvals_required: int
    runner: Signer
    signers: tuple[Signer, ...]
    signers_digest: str
    publish_to: str
    promise: Promise
    plan: Plan
    tables: tuple[TableFigures, ...]
    verdicts: tuple[Verdict, ...]
    utility: Utility
    attacks: tuple[str, ...] = ()  # tried on the finished tables, in words
    mlflow_run_id: str
    files: tuple[FileEntry, ...]
