"""What the steps of a release have given out so far: the flow keeps it, steps that report on the whole are handed it, none changes it."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.core.errors import Defect
from policies.jobs.spool import Reference
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.attack_tables import AttackedTables
from tasks.release.steps.choose_plan import NotPlanned, Planned
from tasks.release.steps.compare_versions import ComparedVersions
from tasks.release.steps.expect_tables import Checked
from tasks.release.steps.gate_tables import Gated
from tasks.release.steps.ingest_source import SourceRead
from tasks.release.steps.judge_release import Judged
from tasks.release.steps.transform_source import CellsSuppressed, DictionariesRead, Transformed
from tasks.release.steps.write_tables import Written
from tasks.reporting.release_charts import Pictures


@dataclass(frozen=True)
class SoFar:
    """The results of the steps so far. A result is None if its step has not been done, or if the policy does not require it."""

    read: SourceRead | None = None
    checked: tuple[Checked, ...] = ()
    dictionaries: DictionariesRead | None = None
    suppressed: CellsSuppressed | None = None
    transformed: Transformed | None = None
    planned: Planned | None = None
    not_planned: NotPlanned | None = None
    agreed: Agreed | None = None
    written: tuple[Written, ...] = ()
    gated: tuple[Gated, ...] = ()
    judged: Judged | None = None
    attacked: AttackedTables | None = None
    compared: ComparedVersions | None = None
    pictures: Reference[Pictures] | None = None
    mlflow_run_id: str = ""

    @property
    def suppressed_rows(self) -> int:
        return 0 if self.agreed is None else self.agreed.suppressed

    def whole(self) -> GatedRelease:
        """All of a release that has got as far as its gates."""
        done = self.read, self.planned, self.agreed, self.judged, self.attacked, self.compared
        if any(step is None for step in done):
            raise Defect("A release is sealed before all its steps are done.", "Report this defect.")
        return GatedRelease(*done)  # type: ignore[arg-type]


@dataclass(frozen=True)
class GatedRelease:
    read: SourceRead
    planned: Planned
    agreed: Agreed
    judged: Judged
    attacked: AttackedTables
    compared: ComparedVersions
