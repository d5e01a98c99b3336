"""Everything that happens to a release, one frozen type per event. Payloads hold figures, digests and column numbers; no data values."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field, TypeAdapter, ValidationError

from headgate.core.errors import IntegrityBroken
from policies.ledger.event_base import Count, Digest, EventBase
from policies.ledger.event_base import Moment as Moment
from policies.ledger.event_base import moment as moment
from policies.ledger.events_of_home import HOME, OfHome
from policies.sealed.manifest import SealedRoles, Signer
from policies.words.publication_moment import PublicationMoment
from policies.words.quorum import RoleName

LONGEST_REASON = 2000
LONGEST_COMMENT = 4000


class RunStarted(EventBase):
    """Of a scheduled run: `machine`, the home's key, and `registered`, when the runner registered its policy. `policy_sha256`: of the
    policy file's bytes, which the home keeps."""

    after: ClassVar[frozenset[str]] = frozenset()
    event: Literal["run_started"] = "run_started"
    dataset: str
    policy_digest: Digest
    runner: Signer
    machine: str = ""
    registered: Moment | None = None
    product: str
    operator_digest: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    policy_sha256: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""

    @property
    def subject(self) -> str:
        return self.dataset


class SourceIngested(EventBase):
    event: Literal["ingested"] = "ingested"
    rows: Count
    columns: Count
    source_hmac: Digest

    @property
    def subject(self) -> str:
        return self.source_hmac


class ExpectationsChecked(EventBase):
    """`failed_columns` by their number in the source or in the published table."""

    after: ClassVar[frozenset[str]] = frozenset({"ingested"})
    repeats: ClassVar[bool] = True
    event: Literal["expected"] = "expected"
    direction: Literal["inbound", "outbound"]
    table: Annotated[int, Field(ge=1)] | None = None
    expectations: Count
    successful: Count
    failed_columns: tuple[int, ...] = ()


class PlanChosen(EventBase):
    """Tables by column numbers: names of bitmap columns hold values. Figures are those of the rows that are published, which the manifest
    holds."""

    after: ClassVar[frozenset[str]] = frozenset({"expected"})
    event: Literal["planned"] = "planned"
    method: str
    tables: tuple[tuple[int, ...], ...]
    association_loss: float | None = None  # events of earlier releases have them
    information_exposure: float | None = None
    steps: Count


class TableAnonymized(EventBase):
    after: ClassVar[frozenset[str]] = frozenset({"planned"})
    repeats: ClassVar[bool] = True
    event: Literal["anonymized"] = "anonymized"
    table: Annotated[int, Field(ge=1)]
    groups: Count
    suppressed: Count
    risk: float | None = None  # events of earlier releases have it
    reached: bool


class GatesJudged(EventBase):
    """`failed` names kinds of gates, without the attributes they are about."""

    after: ClassVar[frozenset[str]] = frozenset({"anonymized"})
    event: Literal["gated"] = "gated"
    verdicts: Annotated[int, Field(ge=1)]
    passed: Count
    failed: tuple[str, ...] = ()


class RunTracked(EventBase):
    after: ClassVar[frozenset[str]] = frozenset({"gated"})
    event: Literal["tracked"] = "tracked"
    mlflow_run_id: Annotated[str, Field(min_length=1)]


class CandidateSealed(EventBase):
    """`signers`: the keys that may approve, as the trust roots stood now, and `roles` those that must be filled, with who held them.
    `deadline`: when nothing more can be decided. `not_before`: when it may be published. `blind`: no vote is shown before all are in.
    `answers`: the dataset's candidates whose requested changes this one answers. `series`: the candidates of all versions of the dataset
    that were out; None where the policy accepts that they are not compared."""

    after: ClassVar[frozenset[str]] = frozenset({"tracked"})
    event: Literal["sealed"] = "sealed"
    candidate: Digest
    policy_digest: Digest
    required: Annotated[int, Field(ge=1)]
    roles: SealedRoles = ()
    runner: Signer
    signers: tuple[Signer, ...]
    signers_digest: Digest
    deadline: Moment | None = None
    not_before: PublicationMoment | None = None
    blind: bool = False
    answers: tuple[Digest, ...] = ()
    series: tuple[Digest, ...] | None = None

    @property
    def subject(self) -> str:
        return self.candidate


class ReleaseRefused(EventBase):
    after: ClassVar[frozenset[str]] = frozenset({"ingested"})
    event: Literal["refused"] = "refused"
    failed: tuple[str, ...]


class RunFailed(EventBase):
    """The class of the error and the step it stopped, never its text. `reason`: why another run took its lock."""

    event: Literal["failed"] = "failed"
    step: str
    error: str
    code: int
    reason: str = ""


class NothingNew(EventBase):
    event: Literal["nothing_new"] = "nothing_new"
    candidate: Digest


class CandidateEvent(EventBase):
    after: ClassVar[frozenset[str]] = frozenset({"sealed"})

    candidate: Digest


class SignedEvent(CandidateEvent):
    """`statement_sha256`: the stored envelope with the signature. `reason_sha256`: over the reason and a salt, which stay in the home."""

    policy_digest: Digest
    signer: Signer
    statement_sha256: Digest
    reason_sha256: Digest

    @property
    def decided(self) -> str:
        """Under what its statement is kept: the candidate, or the run that has none."""
        return self.candidate or self.release_id


class CandidateApproved(SignedEvent):
    """`roles`: those required roles that the signer held when they signed."""

    repeats: ClassVar[bool] = True
    event: Literal["approved"] = "approved"
    roles: tuple[RoleName, ...] = ()


class ChangesRequested(SignedEvent):
    event: Literal["changes_requested"] = "changes_requested"


class CandidateRejected(SignedEvent):
    event: Literal["rejected"] = "rejected"


class ReleaseWithdrawn(SignedEvent):
    event: Literal["withdrawn"] = "withdrawn"


class PublicationStarted(CandidateEvent):
    after: ClassVar[frozenset[str]] = frozenset({"approved"})
    event: Literal["publishing"] = "publishing"
    publisher: str
    target: Annotated[str, Field(min_length=1)]
    version: Annotated[int, Field(ge=1)]

    @property
    def subject(self) -> str:
        return self.target


class PublicationStalled(CandidateEvent):
    after: ClassVar[frozenset[str]] = frozenset({"publishing"})
    repeats: ClassVar[bool] = True
    event: Literal["stalled"] = "stalled"
    error: str


class PublicationResumed(SignedEvent):
    after: ClassVar[frozenset[str]] = frozenset({"publishing"})
    repeats: ClassVar[bool] = True
    event: Literal["resumed"] = "resumed"


class ReleaseAbandoned(SignedEvent):
    """A run, which has no candidate yet, or a publication."""

    after: ClassVar[frozenset[str]] = frozenset({"run_started"})
    repeats: ClassVar[bool] = True
    event: Literal["abandoned"] = "abandoned"
    candidate: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""


class ReleasePublished(CandidateEvent):
    after: ClassVar[frozenset[str]] = frozenset({"publishing"})
    event: Literal["published"] = "published"
    version: Annotated[int, Field(ge=1)]
    attestation_sha256: Digest


class PublicationSettled(CandidateEvent):
    """Nothing is left to do: `latest` names the version, and those before it are superseded; or, after a withdrawal, `latest` names the
    version before, and the signed withdrawal lies in this one."""

    after: ClassVar[frozenset[str]] = frozenset({"publishing"})
    repeats: ClassVar[bool] = True
    event: Literal["settled"] = "settled"


class ReleaseSuperseded(CandidateEvent):
    after: ClassVar[frozenset[str]] = frozenset({"published"})
    event: Literal["superseded"] = "superseded"
    by: Annotated[str, Field(min_length=1)]


class SeriesPurged(SignedEvent):
    """The home no longer keeps who was in which group of this version, so that no later one can be measured with it."""

    after: ClassVar[frozenset[str]] = frozenset({"published"})
    event: Literal["purged"] = "purged"


class SeriesPurgedByRule(CandidateEvent):
    """The same, because the policy says so. `rule`: as it stands there."""

    after: ClassVar[frozenset[str]] = frozenset({"published"})
    event: Literal["purged_by_rule"] = "purged_by_rule"
    rule: Annotated[str, Field(min_length=1, max_length=40)]


class CandidateExpired(CandidateEvent):
    event: Literal["expired"] = "expired"


class CandidateViewed(CandidateEvent):
    repeats: ClassVar[bool] = True
    event: Literal["viewed"] = "viewed"
    viewer: str


class CandidateCommented(CandidateEvent):
    """Something that the steward or an approver wrote to the others. The text stays in the home; `comment_sha256` is over it and a salt."""

    repeats: ClassVar[bool] = True
    event: Literal["commented"] = "commented"
    dataset: str
    author: str
    comment_sha256: Digest

    @property
    def subject(self) -> str:
        return self.dataset


class CandidateDownloaded(CandidateEvent):
    """`file_sha256`: of the bytes that the reader took away."""

    repeats: ClassVar[bool] = True
    event: Literal["downloaded"] = "downloaded"
    reader: str
    file_sha256: Digest


SignedDecisionEvent = (
    CandidateApproved | ChangesRequested | CandidateRejected | ReleaseWithdrawn | PublicationResumed | ReleaseAbandoned | SeriesPurged
)
RunEvent = SourceIngested | ExpectationsChecked | PlanChosen | TableAnonymized | GatesJudged | RunTracked
RunEnd = CandidateSealed | ReleaseRefused | RunFailed | NothingNew
LaterEvent = (
    CandidateApproved
    | ChangesRequested
    | CandidateRejected
    | ReleaseWithdrawn
    | PublicationStarted
    | PublicationStalled
    | PublicationResumed
    | ReleaseAbandoned
    | ReleasePublished
    | PublicationSettled
    | ReleaseSuperseded
    | SeriesPurged
    | SeriesPurgedByRule
    | CandidateExpired
    | CandidateViewed
    | CandidateCommented
    | CandidateDownloaded
)
Event = RunStarted | RunEvent | RunEnd | LaterEvent | OfHome
EVENT_TYPES: tuple[str, ...] = tuple(get_args(kind.model_fields["event"].annotation)[0] for kind in get_args(Event))
_ADAPTER: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="event")])


def read_event(payload: str | bytes) -> Event:
    """An event as the ledger stored it. One that does not read as its type was not written by headgate."""
    try:
        event = _ADAPTER.validate_json(payload)
    except ValidationError as error:
        place = ".".join(str(step) for step in error.errors()[0]["loc"])
        raise IntegrityBroken(f"An event of the ledger cannot be read ({place or 'no event'}).", "Run `headgate audit verify`.") from None
    if event.release_id == HOME and not isinstance(event, OfHome):
        raise IntegrityBroken("An event of a release is recorded under the home.", "Run `headgate audit verify`.")
    return event
