"""Gates measure what was written. Whatever the anonymizer says of itself, a bad table is refused."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.methods.partition import Partition
from policies.jobs.engine import LocalEngine
from policies.jobs.table_job import TableOutcome
from tests.unit.claimed import claiming


@pytest.fixture
def forged(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An anonymizer that answers "reached" with perfect figures beside whatever groups it is given."""

    def forge(groups_of: Any) -> None:
        honest = LocalEngine.attempt

        def lying(engine: LocalEngine, jobs: Any) -> list[TableOutcome]:
            return [replace(outcome, partition=praised(outcome.partition)) for outcome in honest(engine, jobs)]

        def praised(partition: Partition) -> Partition:
            groups = groups_of(np.asarray(partition.groups).copy()).astype(np.int32)
            return replace(
                partition, groups=groups, count=int(groups.max()) + 1, reached=True, risk=0.0, delta_reached=1.0, smallest=99, rows_over=0
            )

        monkeypatch.setattr(LocalEngine, "attempt", lying)

    return forge


def one_row_alone(groups: np.ndarray) -> np.ndarray:
    groups[0] = groups.max() + 1
    return groups


def sorted_by_row(groups: np.ndarray) -> np.ndarray:
    return np.arange(len(groups)) // 5


def test_a_group_of_one_beside_a_forged_result_is_refused(project: Any, forged: Any) -> None:
    forged(one_row_alone)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    assert "expect_group_size_to_be_at_least" in outcome.json["error"]["message"]
    assert list((project.home / "candidates").iterdir()) == []


def test_groups_that_are_too_similar_beside_a_forged_result_are_refused(project: Any, forged: Any) -> None:
    rows = sorted(project_rows(project), key=lambda row: (row["diagnosis"], row["education"], float(row["income"])))
    project.write_source(rows)
    forged(sorted_by_row)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    failed = {gate["gate"] for gate in outcome.json["gates"] if not gate["passed"]}
    assert "dissimilarity" in failed
    assert list((project.home / "candidates").iterdir()) == []


def test_a_table_changed_after_it_was_written_is_refused(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.release.steps import write_tables

    honest = write_tables.write_published

    def tampering(published: Any, folder: Path, *options: Any) -> Any:
        written = honest(published, folder, *options)
        path = folder / written[0].path
        text = path.read_text(encoding="utf-8").split("\n")
        header = text[0].split(",")
        place = header.index("group")
        cells = [line.split(",") for line in text[1:-1]]
        for line in cells[: len(cells) // 2]:
            line[place] = cells[0][place]
        path.write_text("\n".join([text[0], *(",".join(line) for line in cells), ""]), encoding="utf-8")
        return written

    monkeypatch.setattr(write_tables, "write_published", tampering)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    assert "expect_formats_to_hold_the_same_cells" in outcome.json["error"]["message"]


def test_a_figure_that_cannot_be_measured_is_not_passed(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tasks.release.steps import gate_tables as gate

    honest = gate.measure_closely

    def blind(*given: Any, **options: Any) -> Any:
        measured = honest(*given, **options)
        return replace(measured, figures=claiming(measured.figures, linkability=None))

    monkeypatch.setattr(gate, "measure_closely", blind)
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    failed = [gate for gate in outcome.json["gates"] if not gate["passed"]]
    assert {gate["gate"] for gate in failed} == {"linkability"}
    assert all(gate["measured"] is None for gate in failed)


def project_rows(project: Any) -> list[dict[str, str]]:
    with Path(project.source).open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))
