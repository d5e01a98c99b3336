"""What a reader's program would notice."""

from __future__ import annotations

from typing import Any

from policies.changes.reader_changes import reader_changes
from policies.gates.figures import TableFigures
from policies.sealed.manifest import FileEntry, Manifest
from policies.sealed.promise import Promise, PublishedAs, QuasiIdentifier, SensitiveAttribute

AGE = QuasiIdentifier(name="age", kind="integer", domain=(0, 99))
SEX = QuasiIdentifier(name="sex", kind="category", values=("f", "m"))
JOB = SensitiveAttribute(name="job", kind="category")
INCOME = SensitiveAttribute(name="income", kind="number", domain=(0, 1000))
SCHOOL = SensitiveAttribute(name="school", kind="ordinal", levels=("low", "high"))


def release(*tables: tuple[str, ...], quasi: tuple[Any, ...] = (AGE, SEX), forms: tuple[str, ...] = ("csv",), **changes: Any) -> Manifest:
    """Tables of these sensitive and insensitive columns."""
    sensitive = {each.name: each for each in changes.get("sensitive", (JOB, INCOME, SCHOOL))}
    named = {name for table in tables for name in table}
    promise = Promise(
        requirements=(),
        quasi=quasi,
        sensitive=tuple(each for each in sensitive.values() if each.name in named),
        insensitive=tuple(sorted(named - set(sensitive))),
    )
    figures = tuple(
        TableFigures(
            name=f"table-{number}",
            sensitive=tuple(name for name in table if name in sensitive),
            insensitive=tuple(name for name in table if name not in sensitive),
            rows=1,
            groups=1,
            mean_group=1.0,
            discernibility=1,
            ncp=0.0,
        )
        for number, table in enumerate(tables, 1)
    )
    files = tuple(FileEntry(path=f"tables/{each.name}.{form}", sha256="0" * 64, bytes=1) for each in figures for form in forms)
    return Manifest.model_construct(
        promise=promise, tables=figures, files=(*files, FileEntry(path="report.html", sha256="0" * 64, bytes=1))
    )


def changes(before: Manifest, after: Manifest) -> list[tuple[str, str, bool]]:
    return [(change.table, change.sentence, change.breaks) for change in reader_changes(before, after)]


def test_a_release_of_the_same_form_breaks_nothing() -> None:
    assert changes(release(("job",), ("income",)), release(("job",), ("income",))) == []


def test_a_column_that_moved_breaks_and_is_told_once() -> None:
    assert changes(release(("job", "income")), release(("job",), ("income",))) == [
        ("table-1", "income has moved to table-2.", True),
        ("", "tables/table-2.csv is new.", False),
    ]


def test_a_column_or_a_file_that_is_gone_breaks_and_what_is_new_does_not() -> None:
    found = changes(release(("job", "income"), forms=("csv", "parquet")), release(("job", "school")))
    assert found == [
        ("", "tables/table-1.parquet is gone.", True),
        ("table-1", "income is in no table any more.", True),
        ("table-1", "school is new.", False),
    ]


def test_another_kind_role_or_order_of_levels_breaks() -> None:
    other = (JOB, INCOME.model_copy(update={"kind": "integer"}), SCHOOL.model_copy(update={"levels": ("high", "low")}))
    assert changes(release(("income", "school")), release(("income", "school"), sensitive=other)) == [
        ("table-1", "income was of kind number, and is of kind integer now.", True),
        ("table-1", "school has other levels, or the same in another order.", True),
    ]
    assert changes(release(("job",)), release(("job",), sensitive=())) == [("table-1", "job was sensitive, and is insensitive now.", True)]


def test_other_values_and_other_rounding_are_told_and_break_nothing() -> None:
    towns = QuasiIdentifier(name="sex", kind="category", values=("f", "m", "x"))
    rounded = INCOME.model_copy(update={"published_as": PublishedAs(declared={"round": "100"})})
    assert changes(release(("income",)), release(("income",), quasi=(AGE, towns), sensitive=(rounded,))) == [
        ("table-1", "sex may hold 1 value that it could not hold before.", False),
        ("table-1", "The numbers of income are rounded or coded differently.", False),
    ]
    assert changes(release(("income",), quasi=(AGE, towns)), release(("income",))) == [
        ("table-1", "sex may no longer hold 1 value that it could hold before.", False)
    ]


def test_a_quasi_identifier_that_is_gone_was_in_every_table_and_is_told_once() -> None:
    """Of a release in seven tables the same was said seven times."""
    ends = AGE.model_copy(update={"bounds": ("age low", "age high")})
    found = changes(release(("job",), ("income",), quasi=(ends, SEX)), release(("job",), ("income",), quasi=(AGE,)))
    assert found == [("", f"{name} is in no table any more.", True) for name in ("age low", "age high", "sex")]


def in_parts(*files: str) -> Manifest:
    entries = tuple(FileEntry(path=path, sha256="0" * 64, bytes=1) for path in files)
    return release(("job",)).model_copy(update={"files": entries})


def test_how_many_parts_a_table_has_breaks_nothing_but_whether_it_has_any_does() -> None:
    one = in_parts("tables/table-1.csv")
    two, three = (in_parts(*(f"tables/table-1/part-{part:05}.csv" for part in range(parts))) for parts in (2, 3))
    assert changes(two, three) == changes(three, two) == []
    assert changes(one, three) == [("", "tables/table-1.csv is gone.", True), ("", "tables/table-1/part-*.csv is new.", False)]
