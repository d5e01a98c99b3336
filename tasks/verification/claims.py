"""Measures every privacy claim of a published folder again, from the published files alone.

Of the claims, only the promise itself is used: how columns are read, and what was promised about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headgate.core.errors import Defect, HeadgateError, IntegrityBroken
from headgate.core.published_form.file_parts import TABLES
from headgate.core.tolerance import at_least, at_most
from headgate.core.units import counted
from policies.gates.figures import QUERY_ERRORS, TableFigures
from policies.gates.verdict import Verdict
from policies.sealed.manifest import Manifest
from tasks.stores.files import Stored
from tasks.stores.seal import LABELLED_ENDINGS, table_files
from tasks.verification.unchecked_claims import FALSE_CLAIM, not_measurable, rests_on

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from headgate.core.published_form.published_table import PublishedTable

NO_CLAIMS = frozenset({"path", "levels", *QUERY_ERRORS, "measured"})  # about the source, or no figures
FOREIGN = "bytes of {} beside its cells: another version of Apache Arrow than the one here wrote it, so only its parts were checked"


@dataclass(frozen=True)
class Remeasured:
    """What was measured of each table, and by name what could not be."""

    tables: tuple[TableFigures, ...]
    not_measured: tuple[str, ...]


def remeasure(manifest: Manifest, files: Mapping[str, Stored]) -> Remeasured:
    """IntegrityBroken at the first claim that is false. `files` are the bytes whose hashes were checked."""
    _check_every_table_is_claimed(manifest, files)
    foreign: list[str] = []
    measured = tuple(_table(manifest, claimed, files, foreign) for claimed in manifest.tables)
    _check_promise(manifest, measured)
    _check_utility(manifest, measured)
    return Remeasured(measured, (*not_measurable(manifest), *(FOREIGN.format(path) for path in foreign)))


def _check_every_table_is_claimed(manifest: Manifest, files: Mapping[str, Stored]) -> None:
    names = [table.name for table in manifest.tables]
    if not names or len(set(names)) != len(names):
        raise IntegrityBroken("The manifest claims nothing about any table, or makes two claims about one.", FALSE_CLAIM)
    claimed = {path for table in manifest.tables for path in table_files(table)}
    unclaimed = [path for path in files if path.startswith(TABLES) and path not in claimed]
    if unclaimed:
        raise IntegrityBroken(f"{unclaimed[0]} is a table about which nothing is claimed.", FALSE_CLAIM)
    if tuple(table.sensitive for table in manifest.tables) != manifest.plan.tables:
        raise IntegrityBroken("The tables are not those of the plan.", FALSE_CLAIM)


def _table(manifest: Manifest, claimed: TableFigures, files: Mapping[str, Stored], foreign: list[str]) -> TableFigures:
    """Its figures, from its files; to `foreign` go those that are not what this machine would write."""
    from policies.judging.measure import measure_table
    from tasks.tables.coded_cells import plain_texts
    from tasks.verification.table_parts import joined_cells, stored_forms

    forms = stored_forms(claimed, files)
    try:
        cells, written_elsewhere = joined_cells(claimed.name, forms)
        foreign += written_elsewhere
        texts = cells.texts()
        published = published_table(manifest, claimed, texts, cells.frame(texts))
        _check_numbers(manifest, published)
        if any(f"{TABLES}{claimed.name}.{ending}" in files for ending in LABELLED_ENDINGS.values()):
            from tasks.verification.labelled_tables import check_labelled

            check_labelled(claimed.name, plain_texts(texts), files)
        parts = tuple(cells.sizes) if len(cells.sizes) > 1 else ()
        del cells, texts  # what measures look at has its own codes
        measured = measure_table(manifest.promise, published, suppressed=manifest.suppressed, parts=parts)
    except IntegrityBroken:
        raise
    except HeadgateError as problem:
        raise IntegrityBroken(f"Table {claimed.name} cannot be measured again: {problem.message}", FALSE_CLAIM) from None
    if measured.rows + manifest.suppressed != manifest.rows:
        raise IntegrityBroken(f"Table {claimed.name} has {measured.rows} rows; every row not suppressed should be in it.", FALSE_CLAIM)
    wrong = differing(manifest, claimed, measured)
    if wrong:
        raise IntegrityBroken(f"A false claim about table {claimed.name}: {wrong[0]}.", FALSE_CLAIM)
    return measured


def _check_numbers(manifest: Manifest, published: PublishedTable) -> None:
    """Every number that was to be rounded or coded is."""
    from policies.sealed.numbers import numbers_not_as_promised

    for name, rows in numbers_not_as_promised(manifest.promise, {**published.sensitive, **published.insensitive}):
        said = f"{counted(rows, 'number')} of {name} {'is' if rows == 1 else 'are'} not rounded and coded as promised"
        raise IntegrityBroken(f"A false claim about table {published.name}: {said}.", FALSE_CLAIM)


def published_table(manifest: Manifest, claimed: TableFigures, texts: pa.Table, frame: pd.DataFrame) -> PublishedTable:
    """The table as it was opened, with exactly the columns that are claimed. `texts` are its cells, as texts."""
    from headgate.core.columns import GROUP, Kind, Role
    from headgate.core.encode import ColumnSpec
    from headgate.core.published_form.published_table import from_frame
    from policies.sealed.specs import specs_of
    from tasks.tables.published_ends import wrong_ends

    _check_columns_are_promised(manifest, claimed)
    specs = specs_of(manifest.promise)
    sensitive = {name: specs[name] for name in claimed.sensitive}
    insensitive = {name: ColumnSpec(name, Kind.CATEGORY, Role.INSENSITIVE) for name in claimed.insensitive}
    quasi = [attribute.name for attribute in manifest.promise.quasi]
    parts = [part for spec in sensitive.values() for part in (spec.components or (spec.name,))]
    ends = [name for attribute in manifest.promise.quasi for name in attribute.bounds or ()]
    if sorted(texts.column_names) != sorted([*quasi, *ends, *parts, *insensitive, GROUP]):
        raise IntegrityBroken(f"{claimed.name} does not have the columns that are claimed.", FALSE_CLAIM)
    for name, rows in wrong_ends({name: texts.column(name) for name in texts.column_names}, manifest.promise).items():
        said = f"{counted(rows, 'row')} with other ends of {name} than its cell says"
        raise IntegrityBroken(f"A false claim about table {claimed.name}: it has {said}.", FALSE_CLAIM)
    return from_frame(frame, claimed.name, quasi, sensitive, insensitive)


def _check_columns_are_promised(manifest: Manifest, claimed: TableFigures) -> None:
    described = {attribute.name for attribute in manifest.promise.sensitive}
    unknown = [name for name in claimed.sensitive if name not in described]
    unknown += [name for name in claimed.insensitive if name not in manifest.promise.insensitive]
    unknown += [name for name in claimed.levels or () if name not in {attribute.name for attribute in manifest.promise.quasi}]
    if unknown:
        raise IntegrityBroken(f"{claimed.name} holds {unknown[0]}, about which nothing is promised.", FALSE_CLAIM)


def differing(manifest: Manifest, claimed: TableFigures, measured: TableFigures) -> list[str]:
    """Every figure that is claimed otherwise than it is measured, in words, up to the one tolerance."""
    was, now = _figures(manifest, claimed), _figures(manifest, measured)
    if claimed.everything is None:  # as before it was measured
        del was["everything"], now["everything"]
    return [
        _difference(name, was.get(name), now.get(name)) for name in dict.fromkeys((*was, *now)) if not _same(was.get(name), now.get(name))
    ]


def _difference(name: str, was: Any, now: Any) -> str:
    if now is None:
        return f"{name} is claimed as {_shown(was)}, and this version of headgate cannot measure it in these files"
    if was is None:
        return f"{name} is not claimed, and is {_shown(now)}"
    return f"{name} is claimed as {_shown(was)} and is {_shown(now)}"


def _figures(manifest: Manifest, figures: TableFigures) -> dict[str, Any]:
    """By name, all that can be measured from the published files."""
    common = {name: getattr(figures, name) for name in TableFigures.model_fields if name not in NO_CLAIMS}
    checked = [measured for measured in figures.measured if not rests_on(manifest, figures, measured)]
    gates = {f"{measured.figure} of {measured.of}" if measured.of else measured.figure: measured.value for measured in checked}
    return common | gates


def _same(was: Any, now: Any) -> bool:
    if isinstance(was, float) or isinstance(now, float):
        return was is not None and now is not None and at_most(was, now) and at_least(was, now)
    return bool(was == now)


def _shown(figure: Any) -> str:
    return f"{figure:.6g}" if isinstance(figure, float) else str(figure)


def _check_promise(manifest: Manifest, measured: tuple[TableFigures, ...]) -> None:
    """Judged anew, every gate passes, and the manifest's verdicts are these and no others."""
    from policies.judging.verdicts import judge, judge_whole

    known = tuple(_with_claimed(manifest, *pair) for pair in zip(manifest.tables, measured, strict=True))
    try:
        of_tables = judge(manifest.promise, known)
    except Defect as unjudged:
        raise IntegrityBroken(unjudged.message, FALSE_CLAIM) from None
    judged = {verdict.place: verdict for verdict in (*of_tables, *judge_whole(manifest.promise, manifest.whole))}
    claimed = {verdict.place: verdict for verdict in manifest.verdicts}
    if len(claimed) != len(manifest.verdicts):
        raise IntegrityBroken("The manifest holds two verdicts on one gate of one table.", FALSE_CLAIM)
    for place, verdict in judged.items():
        if not verdict.passed:
            raise IntegrityBroken(f"A false claim: in {_where(verdict)}, {verdict.brief}.", FALSE_CLAIM)
        if place not in claimed or not _same_verdict(claimed[place], verdict):
            raise IntegrityBroken(f"The verdict on {verdict.name} of {_where(verdict)} does not follow from the figures.", FALSE_CLAIM)
    invented = [claimed[place] for place in claimed.keys() - judged.keys()]
    if invented:
        first = invented[0]
        raise IntegrityBroken(
            f"The manifest holds a verdict ({first.name} of {_where(first)}) on something that was not promised.", FALSE_CLAIM
        )


def _with_claimed(manifest: Manifest, claimed: TableFigures, measured: TableFigures) -> TableFigures:
    """What was measured here; and what nobody can measure here as it is claimed, so that at least its verdict must follow from it."""
    elsewhere = tuple(figure for figure in claimed.measured if rests_on(manifest, claimed, figure))
    return measured.model_copy(update={"measured": (*measured.measured, *elsewhere)})


def _where(verdict: Verdict) -> str:
    return verdict.table or "the release"


def _check_utility(manifest: Manifest, measured: tuple[TableFigures, ...]) -> None:
    """What the release as a whole loses follows from its tables; its query error needs the source."""
    claimed, rows = manifest.utility, sum(table.rows for table in measured)
    loss = sum(table.ncp * table.rows for table in measured) / rows
    for name, was, now in (
        ("ncp", claimed.ncp, loss),
        ("suppressed_share", claimed.suppressed_share, manifest.suppressed / manifest.rows),
    ):
        if not _same(was, now):
            raise IntegrityBroken(f"A false claim about the release: {name} is claimed as {_shown(was)} and is {_shown(now)}.", FALSE_CLAIM)


def _same_verdict(claimed: Verdict, judged: Verdict) -> bool:
    """In every field; numbers up to the one tolerance."""
    numbers = {"measured": judged.measured, "required": judged.required, "asked": judged.asked}
    return claimed.model_copy(update=numbers) == judged and all(_same(getattr(claimed, name), number) for name, number in numbers.items())
