"""The page an approver reads: what would be published and why it is safe, or why it was refused. Gathered from what a run measured; how it
is told stands in `candidate_page`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from headgate.released.distributions import Beside
from headgate.risk.disclosure.patterns import Pattern
from policies.changes.release_changes import Changes
from policies.judging.exposure import Exposure
from tasks.reporting.candidate_page.page_content import Answered, CandidatePage, Example, Sample, ShownPatterns, ShownTable
from tasks.reporting.candidate_page.page_told import render_page
from tasks.reporting.data_dictionary import FieldDescription
from tasks.reporting.measured_tables import MeasuredRelease
from tasks.reporting.release_charts import Pictures, draw_release


@dataclass(frozen=True, eq=False)
class ReportContent:
    """All that a page says. A refused release has the same page, with what was measured before it ended."""

    measured: MeasuredRelease
    product: str
    samples: tuple[Sample, ...] = ()
    patterns: Mapping[tuple[str, str], tuple[Pattern, ...]] = field(default_factory=dict)  # by table and dictionary
    approvals_required: int | None = None
    publish_to: str = ""
    runner: str = ""  # principal
    policy_file: str = ""  # its name, without the folder
    left_out: tuple[str, ...] = ()  # columns of the source that no table holds
    changes: Changes | str | None = None  # since the version that was published last; a sentence where it could not be compared
    roles: Mapping[str, int] = field(default_factory=dict)
    fields: Mapping[str, tuple[FieldDescription, ...]] = field(default_factory=dict)  # by table
    examples: Mapping[str, Example] = field(default_factory=dict)
    spread: Mapping[str, Beside] = field(default_factory=dict)
    answered: tuple[Answered, ...] = ()
    pictures: Pictures | None = None  # where they have been drawn already


def candidate_page(content: ReportContent) -> CandidatePage:
    """What is sealed as `page.json`: figures and pictures, and nothing of any language but names."""
    release, samples = content.measured, {sample.table: sample for sample in content.samples}
    pictures = content.pictures or draw_release(release)
    return CandidatePage(
        product=content.product,
        dataset=release.dataset,
        title=release.title,
        release_id=release.release_id,
        created=release.created,
        passed=release.passed,
        refusal=release.refusal,
        about=release.about,
        runner=content.runner,
        policy_file=content.policy_file,
        policy_digest=release.policy_digest,
        publish_to=content.publish_to,
        approvals=content.approvals_required,
        roles=content.roles,
        rows=release.rows,
        suppressed=release.suppressed,
        suppressed_cells=release.suppressed_cells,
        left_out=content.left_out,
        promise=release.promise,
        plan=release.plan,
        tables=tuple(
            ShownTable(
                figures=table.figures,
                fields=content.fields.get(table.name, ()),
                sample=samples.get(table.name),
                example=content.examples.get(table.name),
                loss=table.loss,
                pictures=_texts(pictures.tables.get(table.name, {})),
            )
            for table in release.tables
        ),
        verdicts=release.verdicts,
        utility=release.utility,
        limits=release.limits,
        spread=content.spread,
        attacks=release.attacks,
        attack_gains=release.attack_gains,
        series=release.series,
        versions=release.versions,
        exposures=tuple(_told(exposure) for exposure in release.exposures),
        patterns=tuple(_patterns(content)),
        bounds=release.bounds,
        outcomes=release.outcomes,
        changes=_unwritten(content.changes),
        uncompared=content.changes if isinstance(content.changes, str) else "",
        answered=tuple(_without_values(each) for each in content.answered),
        pictures=_texts(pictures.whole),
    )


def render_report(content: ReportContent, code: str = "en") -> str:
    """The whole page as text. Everything in it is escaped."""
    return render_page(candidate_page(content), code)


def _told(exposure: Exposure) -> Exposure:
    """Where people weigh their own records, a single loss would tell what somebody minds: of the losses only the largest is told."""
    return replace(exposure, spread=replace(exposure.spread, quantiles={})) if exposure.personal else exposure


def _patterns(content: ReportContent) -> Iterator[ShownPatterns]:
    personal = {(exposure.table, exposure.dictionary) for exposure in content.measured.exposures if exposure.personal}
    for (table, name), patterns in content.patterns.items():
        own = (table, name) in personal
        shown = tuple(replace(pattern, loss=0.0, share=0.0) if own else pattern for pattern in patterns)
        yield ShownPatterns(table=table, dictionary=name, patterns=shown)


def _texts(pictures: Mapping[str, bytes]) -> dict[str, str]:
    return {name: svg.decode() for name, svg in pictures.items()}


def _unwritten(changes: Changes | str | None) -> Changes | None:
    """The page is published: of the policy it names keys, and not what stands there; of people, no exact numbers."""
    if not isinstance(changes, Changes):
        return None
    keys = None if changes.policy is None else tuple(change.model_copy(update={"before": None, "after": None}) for change in changes.policy)
    people = None if changes.people is None or changes.people.exact else changes.people
    return changes.model_copy(update={"policy": keys, "people": people})


def _without_values(answered: Answered) -> Answered:
    """What the earlier candidate held was never published, and its approvers may have sent it back for that: the published page tells
    figures and names of columns, and no value of it."""
    changes = _unwritten(answered.changes)
    return answered.model_copy(update={"changes": None if changes is None else changes.model_copy(update={"columns": ()})})
