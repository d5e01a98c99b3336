"""Every privacy claim of a published folder, measured again from the published files alone.

Nothing is taken from whoever made them but the promise itself: how columns are read, and what was promised of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headgate.core.errors import HeadgateError, IntegrityBroken
from headgate.core.tolerance import at_least, at_most
from policies.schema.disclosure_key import CANDIDATES, DISCLOSURE
from policies.sealed.manifest import Manifest, TableFigures, Verdict
from tasks.stores.files import Stored

if TYPE_CHECKING:
    import pyarrow as pa

    from headgate.core.published import PublishedTable

TABLES = "tables/"
# Measured against what is not published, or no measure of privacy.
DISCLOSED = frozenset(name for name in TableFigures.model_fields if name.startswith("disclosure_"))
ELSEWHERE = frozenset({"path", "levels", "query_error_mean", "query_error_median"}) | DISCLOSED
COMPOSITE = frozenset({"risk", "risk_all", "delta_reached", "vulnerability"})
FALSE_CLAIM = "Do not rely on this release; tell its publisher, who can withdraw it."


@dataclass(frozen=True)
class Remeasured:
    """What was measured of each table, and by name what could not be."""

    tables: tuple[TableFigures, ...]
    not_measured: tuple[str, ...]


def remeasure(manifest: Manifest, files: Mapping[str, Stored]) -> Remeasured:
    """IntegrityBroken at the first claim that is false. `files` are the bytes whose hashes were checked."""
    _check_every_table_is_claimed(manifest, files)
    measured = tuple(_table(manifest, claimed, files) for claimed in manifest.tables)
    _check_promise(manifest, measured)
    _check_utility(manifest, measured)
    return Remeasured(measured, not_measurable(manifest))


def not_measurable(manifest: Manifest) -> tuple[str, ...]:
    """Claims that rest on something that is not published."""
    named: list[str] = []
    for table in manifest.tables:
        named += [
            f"disclosure risk of {table.name} against the dictionary {name}, which is not published" for name in table.disclosure_mean
        ]
        if table.query_error_mean is not None:
            named.append(f"query error of {table.name} against the source, which is not published")
        if manifest.promise.callable is not None:
            named.append(f"risk of {table.name} under the distance {manifest.promise.callable}: no code is run to verify a folder")
    if manifest.utility.query_error_mean is not None:
        named.append("query error of the release against the source, which is not published")
    named.append("association loss and information exposure of the plan: they are of the source, which is not published")
    named.append("rows of the source and suppressed rows, and that every row is one person: the source is not published")
    return tuple(dict.fromkeys(named))


def _check_every_table_is_claimed(manifest: Manifest, files: Mapping[str, Stored]) -> None:
    names = [table.name for table in manifest.tables]
    if not names or len(set(names)) != len(names):
        raise IntegrityBroken("The manifest claims nothing of any table, or twice of one.", FALSE_CLAIM)
    claimed = {f"{TABLES}{name}.{form}" for name in names for form in ("csv", "parquet")}
    unclaimed = [path for path in files if path.startswith(TABLES) and path not in claimed]
    if unclaimed:
        raise IntegrityBroken(f"{unclaimed[0]} is a table of which nothing is claimed.", FALSE_CLAIM)
    if tuple(table.sensitive for table in manifest.tables) != manifest.plan.tables:
        raise IntegrityBroken("The tables are not those of the plan.", FALSE_CLAIM)


def _table(manifest: Manifest, claimed: TableFigures, files: Mapping[str, Stored]) -> TableFigures:
    from policies.judging.measure import measure_table

    forms = [files[path] for form in ("csv", "parquet") if (path := f"{TABLES}{claimed.name}.{form}") in files]
    if not forms or claimed.path not in [stored.path for stored in forms]:
        raise IntegrityBroken(f"Table {claimed.name} is claimed and not in the folder.", FALSE_CLAIM)
    try:
        published = published_table(manifest, claimed, forms)
        measured = measure_table(manifest.promise, published, suppressed=manifest.suppressed)
    except HeadgateError as problem:
        raise IntegrityBroken(f"Table {claimed.name} cannot be measured again: {problem.message}", FALSE_CLAIM) from None
    if measured.rows + manifest.suppressed != manifest.rows:
        raise IntegrityBroken(f"Table {claimed.name} has {measured.rows} rows, not all but the suppressed ones.", FALSE_CLAIM)
    wrong = differing(claimed, measured, ELSEWHERE | (COMPOSITE if manifest.promise.callable is not None else frozenset()))
    if wrong:
        raise IntegrityBroken(f"A false claim about table {claimed.name}: {wrong[0]}.", FALSE_CLAIM)
    return measured


def published_table(manifest: Manifest, claimed: TableFigures, forms: list[Stored]) -> PublishedTable:
    """The table from its bytes; all its formats must hold the same cells, and exactly the columns that are claimed."""
    from headgate.core.columns import GROUP, Kind, Role
    from headgate.core.encode import ColumnSpec
    from headgate.core.published import from_frame
    from policies.sealed.specs import specs_of
    from tasks.reading.arrow_frame import frame_of, texts_of

    opened = [_open(stored) for stored in forms]
    texts = [{name: texts_of(table.column(name), name, claimed.name).combine_chunks() for name in table.column_names} for table in opened]
    if any(list(other) != list(texts[0]) or any(other[name] != texts[0][name] for name in other) for other in texts[1:]):
        raise IntegrityBroken(f"The formats of {claimed.name} hold different values.", FALSE_CLAIM)
    specs = specs_of(manifest.promise)
    unknown = [name for name in claimed.sensitive if name not in specs] + [
        name for name in claimed.insensitive if name not in manifest.promise.insensitive
    ]
    if unknown:
        raise IntegrityBroken(f"{claimed.name} holds {unknown[0]}, of which nothing is promised.", FALSE_CLAIM)
    sensitive = {name: specs[name] for name in claimed.sensitive}
    insensitive = {name: ColumnSpec(name, Kind.CATEGORY, Role.INSENSITIVE) for name in claimed.insensitive}
    quasi = [attribute.name for attribute in manifest.promise.quasi]
    parts = [part for spec in sensitive.values() for part in (spec.components or (spec.name,))]
    if sorted(opened[0].column_names) != sorted([*quasi, *parts, *insensitive, GROUP]):
        raise IntegrityBroken(f"{claimed.name} has other columns than are claimed.", FALSE_CLAIM)
    return from_frame(frame_of(opened[0], claimed.name), claimed.name, quasi, sensitive, insensitive)


def _open(stored: Stored) -> pa.Table:
    from tasks.reading.source_csv import open_csv_bytes
    from tasks.reading.source_parquet import open_parquet_bytes

    open_bytes = open_parquet_bytes if stored.path.endswith(".parquet") else open_csv_bytes
    source = open_bytes(stored.content, stored.path)
    return source.read(source.names)


def differing(claimed: TableFigures, measured: TableFigures, without: frozenset[str]) -> list[str]:
    """Every figure that is claimed otherwise than it is measured, in words, up to the one tolerance."""
    return [
        f"{name} is claimed as {_shown(was)} and is {_shown(found)}"
        for field in TableFigures.model_fields
        if field not in without
        for name, was, found in _pairs(field, getattr(claimed, field), getattr(measured, field))
        if not _same(was, found)
    ]


def _pairs(field: str, was: Any, found: Any) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(was, dict) and isinstance(found, dict):
        for key in sorted(was.keys() | found.keys()):
            yield f"{field} of {key}", was.get(key), found.get(key)
    else:
        yield field, was, found


def _same(was: Any, found: Any) -> bool:
    if isinstance(was, float) or isinstance(found, float):
        return was is not None and found is not None and at_most(was, found) and at_least(was, found)
    return bool(was == found)


def _shown(figure: Any) -> str:
    return "nothing" if figure is None else f"{figure:.6g}" if isinstance(figure, float) else str(figure)


def _check_promise(manifest: Manifest, measured: tuple[TableFigures, ...]) -> None:
    """Judged anew, every gate passes, and the manifest's verdicts are these and no others."""
    from policies.judging.verdicts import judge

    unknowable = {"dissimilarity"} if manifest.promise.callable is not None else set()
    judged = {(verdict.gate, verdict.table): verdict for verdict in judge(manifest.promise, measured) if verdict.gate not in unknowable}
    claimed = {(verdict.gate, verdict.table): verdict for verdict in manifest.verdicts}
    if len(claimed) != len(manifest.verdicts):
        raise IntegrityBroken("The manifest holds two verdicts on one gate of one table.", FALSE_CLAIM)
    for place, verdict in judged.items():
        if not verdict.passed:
            figure, promised = _shown(verdict.measured), _shown(verdict.required)
            raise IntegrityBroken(f"A false claim: {verdict.gate} of {verdict.table} is {figure}, {promised} was promised.", FALSE_CLAIM)
        if place not in claimed or not _same_verdict(claimed[place], verdict):
            raise IntegrityBroken(f"The verdict on {verdict.gate} of table {verdict.table} is not the one that follows.", FALSE_CLAIM)
    for gate, table in claimed.keys() - judged.keys():
        if not gate.startswith(("disclosure:", "utility.")) and gate not in unknowable:
            raise IntegrityBroken(f"The manifest holds a verdict ({gate} of {table or 'all tables'}) on nothing promised.", FALSE_CLAIM)
        verdict = claimed[gate, table]
        if gate not in unknowable and not (_same(_figure_of(manifest, verdict), verdict.measured) and _within(verdict)):
            raise IntegrityBroken(f"The verdict on {gate} of {table or 'all tables'} is not the one that follows.", FALSE_CLAIM)
    if any(not verdict.passed for verdict in manifest.verdicts):
        raise IntegrityBroken("The manifest holds a gate that has not passed.", FALSE_CLAIM)


def _figure_of(manifest: Manifest, verdict: Verdict) -> float | None:
    """The figure of the manifest that a verdict on disclosure or utility is about."""
    if verdict.kind != DISCLOSURE:
        return {"utility.max_loss": manifest.utility.ncp, "utility.max_error": manifest.utility.query_error_mean}.get(verdict.gate)
    figures = next((one for one in manifest.tables if one.name == verdict.table), None)
    return None if figures is None else figures.disclosed(*verdict.against)


def _within(verdict: Verdict) -> bool:
    if verdict.measured is None or verdict.required is None:
        return False
    within = at_least if verdict.kind == DISCLOSURE and verdict.against[1] == CANDIDATES else at_most
    return within(verdict.measured, verdict.required)


def _check_utility(manifest: Manifest, measured: tuple[TableFigures, ...]) -> None:
    """What the release as a whole loses follows from its tables; its query error needs the source."""
    claimed, rows = manifest.utility, sum(table.rows for table in measured)
    loss = sum(table.ncp * table.rows for table in measured) / rows
    for name, was, found in (
        ("ncp", claimed.ncp, loss),
        ("suppressed_share", claimed.suppressed_share, manifest.suppressed / manifest.rows),
    ):
        if not _same(was, found):
            raise IntegrityBroken(
                f"A false claim about the release: {name} is claimed as {_shown(was)} and is {_shown(found)}.", FALSE_CLAIM
            )


def _same_verdict(one: Verdict, other: Verdict) -> bool:
    return one.passed == other.passed and _same(one.measured, other.measured) and _same(one.required, other.required)
