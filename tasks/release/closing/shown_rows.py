"""What approvers are shown of published tables beside figures: a few rows as they were written, a person whom nobody is, and how published
values spread beside those of the source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headgate.released.distributions import Beside, beside, spread_of_cells, spread_of_values
from policies.sealed.specs import domains_of
from tasks.release.steps.choose_plan import Planned
from tasks.release.steps.gate_tables import Gated
from tasks.release.steps.transform_source import Transformed
from tasks.release.steps.write_tables import Written
from tasks.release.work import Work, where_data_lies
from tasks.reporting.candidate_page.invented_person import invented_person
from tasks.reporting.candidate_page.page_content import Example, Sample
from tasks.tables.read_published import ReadBack

SAMPLE_ROWS = 20


@dataclass(frozen=True, eq=False)
class ShownRows:
    """`spread`: by quasi-identifier; the others by table."""

    samples: tuple[Sample, ...] = ()
    examples: Mapping[str, Example] = field(default_factory=dict)
    spread: Mapping[str, Beside] = field(default_factory=dict)


@where_data_lies
def shown_rows(
    run: Work, transformed: Transformed | None, planned: Planned, written: Sequence[Written], gated: Sequence[Gated]
) -> ShownRows:
    samples = tuple(_sample(table.table, run.spool.get(table.read)) for table in written)
    return ShownRows(samples, _examples(run, planned, gated), _spread(run, transformed, planned, gated))


def _examples(run: Work, planned: Planned, gated: Sequence[Gated]) -> dict[str, Example]:
    promise = run.spool.get(planned.promise)
    made = ((each.table, invented_person(run.spool.get(each.published), promise)) for each in gated)
    return {table: example for table, example in made if example is not None}


def _spread(run: Work, transformed: Transformed | None, planned: Planned, gated: Sequence[Gated]) -> dict[str, Beside]:
    """Of each quasi-identifier, the source beside what is published: in shares of k people or more, since the page is published too."""
    if transformed is None or not gated:
        return {}
    promise, original = run.spool.get(planned.promise), run.spool.get(transformed.encoded).original
    published, domains = run.spool.get(gated[0].published), domains_of(promise)
    both = {
        name: beside(spread_of_values(original[name]), spread_of_cells(domains[name], cells), promise.k)
        for name, cells in published.cells.items()
    }
    return {name: each for name, each in both.items() if each is not None}


def _sample(name: str, read: ReadBack) -> Sample:
    """The first rows as written: the order of a published table is random, so these are any rows."""
    texts = read.texts.slice(0, SAMPLE_ROWS)
    rows = tuple(
        tuple(None if cell is None or cell == "" else str(cell) for cell in row) for row in zip(*texts.to_pydict().values(), strict=True)
    )
    return Sample(table=name, columns=tuple(texts.column_names), rows=rows)
