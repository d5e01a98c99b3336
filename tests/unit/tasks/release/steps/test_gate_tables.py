"""Step 6: figures of the published form, counted again here from the CSV by the definitions."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from headgate.core.errors import Defect
from tasks.release.steps.choose_plan import sensitive_of
from tasks.release.steps.gate_tables import gate_table
from tests.unit.tasks.release.finished import Made


def groups_of(made: Made, place: int) -> list[list[dict[str, str]]]:
    """The rows of each class of equal quasi-identifiers."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    with (made.run.stage / made.written[place].files[0].path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            groups[tuple(row[name] for name in ("age", "sex", "region", "admitted"))].append(row)
    return list(groups.values())


def figures_of(made: Made, place: int) -> Any:
    return made.run.spool.get(made.gated[place].measurement).table.figures


@pytest.mark.parametrize("place", [0, 1])
def test_sizes_are_those_of_the_rows_in_the_file(finished: Made, place: int) -> None:
    sizes = [len(group) for group in groups_of(finished, place)]
    figures = figures_of(finished, place)
    assert figures.rows == sum(sizes) == 60
    assert figures.k == min(sizes)
    assert figures.discernibility == sum(size**2 for size in sizes)
    assert figures.figure("reidentification_max") == pytest.approx(1 / min(sizes))
    assert sorted(finished.run.spool.get(finished.gated[place].measurement).table.group_sizes.tolist()) == sorted(sizes)


def test_linkability_is_the_largest_share_of_a_group_with_one_sensitive_value(finished: Made) -> None:
    worst = Fraction(0)
    for group in groups_of(finished, 1):
        for name in ("income", "education"):
            cells = [row[name] for row in group]
            worst = max([worst, *(Fraction(cells.count(cell), len(cells)) for cell in cells if cell != "")])
    assert figures_of(finished, 1).figure("linkability") == pytest.approx(float(worst))


def test_a_measurement_holds_what_the_report_shows_and_no_exposure_where_there_is_no_such_gate(finished: Made) -> None:
    for gated in finished.gated:
        measurement = finished.run.spool.get(gated.measurement)
        assert gated.groups == measurement.table.figures.groups == len(measurement.table.group_sizes)
        assert set(measurement.table.loss) == {"age", "sex", "region", "admitted"}
        assert (measurement.exposures, dict(measurement.patterns)) == ((), {})
        assert measurement.table.figures.query_error_mean == pytest.approx(measurement.query_errors.mean(), rel=0.01)
        assert measurement.table.figures.levels is None


def test_what_the_anonymizer_says_of_its_groups_does_not_count(finished: Made) -> None:
    """With everybody's age told apart in the file, the figures are those of the file."""
    read = finished.run.spool.get(finished.written[1].read)
    alone = read.frame.assign(age=[str(20 + place) for place in range(60)])
    forged = replace(finished.written[1], read=finished.run.spool.put(replace(read, frame=alone)))
    measured = finished.run.spool.get(gate_table(finished.run, finished.transformed, finished.planned, forged).measurement)
    assert measured.table.figures.figure("reidentification_max") == 1
    assert measured.table.figures.k == 1


def test_the_cells_of_another_table_are_not_measured_under_this_tables_name(finished: Made) -> None:
    first, second = finished.written
    for forged in (replace(first, read=second.read), replace(second, read=first.read)):
        with pytest.raises(Defect, match=f"^{forged.table} was read back with other columns than the plan puts in it"):
            gate_table(finished.run, finished.transformed, finished.planned, forged)


def test_columns_that_the_plan_puts_in_another_table_are_not_measured(finished: Made) -> None:
    """Neither one more, insensitive or sensitive, nor one less."""
    other = finished.run.spool.get(finished.written[0].read).frame
    read = finished.run.spool.get(finished.written[1].read)
    foreign = sensitive_of(finished.run, finished.planned, "table-1")[0]
    own = read.frame
    for frame in (own.assign(zip=other["zip"]), own.assign(**{foreign: other[foreign]}), own.drop(columns="income")):
        forged = replace(finished.written[1], read=finished.run.spool.put(replace(read, frame=frame)))
        with pytest.raises(Defect, match="^table-2 was read back with other columns"):
            gate_table(finished.run, finished.transformed, finished.planned, forged)


def test_a_table_is_measured_alike_whenever_it_is_measured(finished: Made) -> None:
    again = gate_table(finished.run, finished.transformed, finished.planned, finished.written[0])
    assert finished.run.spool.get(again.measurement).table.figures == figures_of(finished, 0)
