"""Claims of a manifest against the bytes of its files: signatures and events have no part in it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from pyarrow import csv

from headgate.core.errors import IntegrityBroken
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.sealed.manifest import Manifest
from policies.sealed.promise import PublishedAs
from tasks.stores.files import Stored, read_folder
from tasks.tables.coded_cells import JoinedParts, coded_texts
from tasks.verification.claims import Remeasured, differing, published_table, remeasure
from tasks.verification.unchecked_claims import not_measurable
from tests.unit.claimed import claiming, required
from tests.unit.tasks.world import GROUP, ROWS, Made

Files = dict[str, Stored]


@pytest.fixture
def manifest(made: Made) -> Manifest:
    return made.manifest


@pytest.fixture
def files(made: Made) -> Files:
    return read_folder(made.folder)


def refused(manifest: Manifest, files: Files) -> str:
    with pytest.raises(IntegrityBroken) as broken:
        remeasure(manifest, files)
    assert broken.value.code == 5
    assert "Do not rely on this release" in broken.value.cure
    return broken.value.message


def stating(manifest: Manifest, **changes: object) -> Manifest:
    return manifest.model_copy(update=changes)


def claim(manifest: Manifest, **figures: object) -> Manifest:
    """Something else of the first table."""
    return stating(manifest, tables=(claiming(manifest.tables[0], **figures), *manifest.tables[1:]))


def edited(files: Files, path: str, edit: Callable[[bytes], bytes]) -> Files:
    return files | {path: Stored(path, edit(files[path].content))}


def one_format(files: Files) -> Files:
    return {path: stored for path, stored in files.items() if not path.endswith(".parquet")}


def test_true_claims_are_measured_again_from_the_files(manifest: Manifest, files: Files) -> None:
    again = remeasure(manifest, files)
    assert isinstance(again, Remeasured)
    assert [(table.name, table.rows, table.groups, table.k) for table in again.tables] == [
        (name, ROWS, ROWS // GROUP, GROUP) for name in ("table-1", "table-2")
    ]
    assert again.not_measured == not_measurable(manifest)
    assert remeasure(manifest, one_format(files)).tables == again.tables


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("k", 7), ("groups", 11), ("mean_group", 6.5), ("discernibility", 361), ("risk", 0.1), ("risk_all", 0.1),
        ("delta_reached", 0.9), ("vulnerability", 0.5), ("linkability", 0.2), ("linkability_all", 0.2), ("reidentification_max", 0.1),
        ("reidentification_mean", 0.1), ("ncp", 0.001), ("closeness", {"job": 0.01}), ("distinct_l", {"job": 9}), ("single_risk", {}),
        ("single_risk", {"job": 0.01}), ("risk", None), ("everything", {"age": 0.01}), ("everything", {}),
    ],
)  # fmt: skip
def test_every_false_figure_is_found(manifest: Manifest, files: Files, field: str, value: object) -> None:
    message = refused(claim(manifest, **{field: value}), files)
    assert "false claim about table table-1" in message
    assert field in message


def test_a_manifest_from_before_cells_of_everything_were_counted_claims_nothing_of_them(manifest: Manifest, files: Files) -> None:
    remeasure(claim(manifest, everything=None), files)


def test_a_figure_that_differs_within_the_tolerance_only_is_the_same(manifest: Manifest, files: Files) -> None:
    ncp = manifest.tables[0].ncp
    remeasure(claim(manifest, ncp=ncp * (1 + 1e-12)), files)
    assert "ncp" in refused(claim(manifest, ncp=ncp * (1 + 1e-6)), files)


def test_a_promise_the_table_does_not_keep_is_a_false_claim(manifest: Manifest, files: Files) -> None:
    """The figures are true, every verdict says passed, and k = 10 is promised of groups of six."""
    verdicts = tuple(
        verdict.model_copy(update={"required": 10.0, "measured": 10.0}) if verdict.gate == "k" else verdict for verdict in manifest.verdicts
    )
    message = refused(stating(manifest, promise=manifest.promise.requiring(required("k", 10)), verdicts=verdicts), files)
    assert "in table-1, k is 6 (at least 10 is required)" in message


def test_a_missing_an_invented_and_a_prettified_verdict_are_found(manifest: Manifest, files: Files) -> None:
    verdicts = manifest.verdicts
    invented = verdicts[0].model_copy(update={"gate": "anonymity"})
    nicer = verdicts[0].model_copy(update={"measured": 60.0})
    relaxed = verdicts[0].model_copy(update={"asked": 60.0})
    turned = verdicts[0].model_copy(update={"comparison": Comparison.AT_MOST})
    praised = verdicts[0].model_copy(update={"remedy": "The national authority has certified this table."})
    for forged, words in (
        (verdicts[1:], "does not follow from the figures"),
        ((*verdicts, invented), "that was not promised"),
        ((nicer, *verdicts[1:]), "does not follow from the figures"),
        ((relaxed, *verdicts[1:]), "does not follow from the figures"),
        ((turned, *verdicts[1:]), "does not follow from the figures"),
        ((praised, *verdicts[1:]), "does not follow from the figures"),
        ((nicer, *verdicts), "two verdicts on one gate"),
    ):
        assert words in refused(stating(manifest, verdicts=forged), files)


@pytest.mark.parametrize("change", [{"ncp": 0.001}, {"suppressed_share": 0.5}])
def test_a_false_figure_of_the_release_as_a_whole_is_found(manifest: Manifest, files: Files, change: dict[str, float]) -> None:
    """Only the tables' own figures were measured again: a manifest could claim any loss for the release, and let it pass `max_loss`."""
    assert next(iter(change)) in refused(stating(manifest, utility=manifest.utility.model_copy(update=change)), files)


def test_a_verdict_that_cannot_be_measured_again_is_about_a_figure_of_the_manifest(manifest: Manifest, files: Files) -> None:
    """A verdict on disclosure or utility could say anything, whatever figure stood beside it."""
    tables = tuple(claiming(table, disclosure_max={"r.csv": 0.4}) for table in manifest.tables)
    most = Requirement(gate="disclosure", dictionary="r.csv", bound="max", required="0.5")
    loss = Requirement(gate="utility", bound="max_loss", required="1")
    promise = manifest.promise.requiring(most, loss)
    place = most.model_dump(exclude={"settings", "required"})
    risks = tuple(Verdict(**place, table=table.name, comparison="at most", measured=0.4, required=0.5, passed=True) for table in tables)
    lost = risks[0].model_copy(
        update={"gate": "utility", "dictionary": None, "bound": "max_loss", "table": "", "measured": manifest.utility.ncp, "required": 1.0}
    )

    def with_verdicts(*verdicts: Verdict) -> Manifest:
        return stating(manifest, promise=promise, tables=tables, verdicts=(*manifest.verdicts, *verdicts))

    remeasure(with_verdicts(*risks, lost), files)
    for wrong, others in (
        (risks[0].model_copy(update={"measured": 0.1}), (risks[1], lost)),
        (risks[0].model_copy(update={"required": 0.3}), (risks[1], lost)),
        (risks[0].model_copy(update={"dictionary": "other.csv"}), (*risks, lost)),
        (lost.model_copy(update={"measured": 0.001}), risks),
        (lost.model_copy(update={"bound": "all_is_well"}), (*risks, lost)),
    ):
        assert wrong.name in refused(with_verdicts(*others, wrong), files)
    low = tuple(claiming(table, disclosure_max={"r.csv": 0.6}) for table in manifest.tables)  # the claimed figure itself is too large
    assert "disclosure.max" in refused(stating(with_verdicts(*risks, lost), tables=low), files)


def test_formats_that_hold_different_values_are_found_and_no_value_is_repeated(manifest: Manifest, files: Files) -> None:
    for text in (b"clerk", b"CANARY-7"):
        message = refused(manifest, edited(files, "tables/table-1.csv", lambda content, text=text: content.replace(b"nurse", text, 1)))
        assert "formats of table-1 hold different values" in message
        assert "CANARY" not in message


def test_a_cell_of_another_kind_is_not_repeated(manifest: Manifest, files: Files) -> None:
    lonely = edited(one_format(files), "tables/table-2.csv", lambda content: content.replace(b",400,", b",CANARY-7,", 1))
    message = refused(manifest, lonely)
    assert "Table table-2 cannot be measured again: " in message
    assert "CANARY" not in message


def test_a_column_of_which_nothing_is_claimed_is_found(manifest: Manifest, files: Files) -> None:
    def widen(content: bytes) -> bytes:
        lines = content.decode().splitlines()
        return "\n".join([lines[0] + ",name", *(f"{line},{number}" for number, line in enumerate(lines[1:]))]).encode() + b"\n"

    wider = edited(one_format(files), "tables/table-1.csv", widen)
    assert "does not have the columns that are claimed" in refused(manifest, wider)
    undescribed = stating(manifest, promise=manifest.promise.model_copy(update={"insensitive": ()}))
    assert "holds visit, about which nothing is promised" in refused(undescribed, files)
    levelled = claim(manifest, levels={"age": 1, "nonexistent": 3})
    assert "holds nonexistent, about which nothing is promised" in refused(levelled, files)


def test_every_table_is_claimed_once_is_in_the_folder_and_belongs_to_the_plan(manifest: Manifest, files: Files) -> None:
    first, second = manifest.tables
    more = files | {"tables/table-3.csv": replace(files["tables/table-1.csv"], path="tables/table-3.csv")}
    assert "tables/table-3.csv is a table about which nothing is claimed" in refused(manifest, more)
    assert "two claims about one" in refused(stating(manifest, tables=(first, first)), files)
    assert "claims nothing about any table" in refused(stating(manifest, tables=()), files)
    assert "not those of the plan" in refused(stating(manifest, tables=(second, first)), files)
    without = {path: stored for path, stored in files.items() if "table-2" not in path}
    assert "Table table-2 is claimed but missing" in refused(manifest, without)
    assert "Table table-1 is claimed but missing" in refused(manifest, {path: files[path] for path in files if path != first.path})


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"a,b\n1\n", b"PAR1PAR1", b'"' * 1000])
def test_a_table_that_cannot_be_read_is_named(manifest: Manifest, files: Files, content: bytes) -> None:
    assert "Table table-1 cannot be measured again" in refused(manifest, edited(files, "tables/table-1.csv", lambda _: content))


@pytest.mark.parametrize("place", ["file", "column", "arrow schema"])
def test_what_a_parquet_file_holds_beside_its_cells_is_refused(manifest: Manifest, files: Files, place: str) -> None:
    """Both formats held the same cells, and the whole source lay in the metadata of one."""

    def hide(content: bytes) -> bytes:
        table, sink = parquet.read_table(io.BytesIO(content)), io.BytesIO()
        if place == "column":
            hidden = table.schema.field(0).with_metadata({"source": "CANARY"})
            table = table.cast(table.schema.set(0, hidden))
        with parquet.ParquetWriter(sink, table.schema, store_schema=place != "file") as writer:
            writer.write_table(table)
            if place == "file":
                writer.add_key_value_metadata({"source": "CANARY"})
        return sink.getvalue()

    message = refused(manifest, edited(files, "tables/table-1.parquet", hide))
    assert "tables/table-1.parquet holds metadata about which nothing is claimed" in message
    assert "CANARY" not in message


def test_a_row_that_was_taken_out_of_every_format_is_missed(manifest: Manifest, files: Files) -> None:
    def shorter(content: bytes) -> bytes:
        sink = io.BytesIO()
        parquet.write_table(parquet.read_table(io.BytesIO(content)).slice(1), sink, store_schema=False)
        return sink.getvalue()

    fewer = edited(files, "tables/table-1.csv", lambda content: b"\n".join([*content.split(b"\n")[:1], *content.split(b"\n")[2:]]))
    message = refused(manifest, edited(fewer, "tables/table-1.parquet", shorter))
    assert f"table-1 has {ROWS - 1} rows; every row not suppressed" in message


def test_what_cannot_be_measured_from_here_is_named(manifest: Manifest, files: Files) -> None:
    promise = manifest.promise.model_copy(update={"callable": "evil:function"})
    tables = tuple(claiming(table, disclosure_mean={"register.csv": 0.1}, query_error_mean=0.2, risk=0.01) for table in manifest.tables)
    verdicts = tuple(
        verdict.model_copy(update={"measured": 0.99}) if verdict.gate == "dissimilarity" else verdict for verdict in manifest.verdicts
    )
    named = "; ".join(remeasure(stating(manifest, promise=promise, tables=tables, verdicts=verdicts), files).not_measured)
    for part in ("dictionary register.csv", "query error of table-1", "evil:function", "source", "association loss", "datapackage.json"):
        assert part in named
    assert "does not follow from the figures" in refused(stating(manifest, promise=promise, tables=tables), files)


def test_a_difference_says_what_is_claimed_and_what_is(manifest: Manifest) -> None:
    table = manifest.tables[0]
    assert differing(manifest, table, table) == []
    assert differing(manifest, claiming(table, k=7), table) == ["k is claimed as 7 and is 6"]
    assert differing(manifest, claiming(table, linkability=None), claiming(table, linkability=0.25)) == [
        "linkability is not claimed, and is 0.25"
    ]


def test_a_claim_that_this_version_cannot_measure_is_told_as_that(manifest: Manifest) -> None:
    """A release with a gate that the auditor's version does not have was said to claim "1.25 and is nothing"."""
    table = manifest.tables[0]
    later = table.model_copy(update={"measured": (*table.measured, Measured(figure="later", of="illness", value=1.25))})
    assert differing(manifest, later, table) == [
        "later of illness is claimed as 1.25, and this version of headgate cannot measure it in these files"
    ]


def test_numbers_that_are_not_rounded_or_coded_as_promised_are_found(manifest: Manifest, files: Files) -> None:
    """The files are not changed; what is promised of them is."""

    def promising(form: PublishedAs) -> Manifest:
        sensitive = tuple(
            attribute.model_copy(update={"published_as": form}) if attribute.name == "income" else attribute
            for attribute in manifest.promise.sensitive
        )
        return stating(manifest, promise=manifest.promise.model_copy(update={"sensitive": sensitive}))

    assert remeasure(promising(PublishedAs(declared={"round": "0.5"})), files).tables == remeasure(manifest, files).tables
    for form in (PublishedAs(declared={"round": "1000000"}), PublishedAs(declared={"top": "0.5"}, top=0.5)):
        assert "of income are not rounded and coded as promised" in refused(promising(form), files)


def test_that_a_row_is_a_person_is_never_said_to_be_checked_where_nobody_did(manifest: Manifest) -> None:
    def named(checked: bool) -> str:
        return "; ".join(not_measurable(stating(manifest, promise=manifest.promise.model_copy(update={"people_checked": checked}))))

    assert "every row is one person: the source is not published" in named(True)
    assert "a row is a person: nobody checked it" in named(False)
    assert "every row is one person" not in named(False)


def opened(table: pa.Table) -> tuple[pa.Table, pd.DataFrame]:
    cells = JoinedParts("t")
    cells.add(table, coded_texts(table, "t"))
    return cells.texts(), cells.frame(cells.texts())


def test_published_ends_that_are_not_those_of_the_cells_are_a_false_claim(world) -> None:
    manifest = world.made.manifest
    age, sex = manifest.promise.quasi
    bounded = age.model_copy(update={"bounds": ("l", "h")})
    promised = manifest.model_copy(update={"promise": manifest.promise.model_copy(update={"quasi": (bounded, sex)})})
    cells = csv.read_csv(world.made.folder / "tables" / "table-2.csv")
    ends = [re.fullmatch(r"\[(\d+)\.\.(\d+)\]|(\d+)", str(cell)) for cell in cells["age"].to_pylist()]
    low, high = ([int(end[side] or end[3]) for end in ends if end is not None] for side in (1, 2))
    table = cells.append_column("l", pa.array(low)).append_column("h", pa.array(high))
    assert published_table(promised, manifest.tables[1], *opened(table)).rows == 60
    wrong = cells.append_column("l", pa.array(low)).append_column("h", pa.array([high[0] + 1, *high[1:]]))
    with pytest.raises(IntegrityBroken, match="1 row with other ends of age than its cell says"):
        published_table(promised, manifest.tables[1], *opened(wrong))
    with pytest.raises(IntegrityBroken, match="does not have the columns that are claimed"):
        published_table(promised, manifest.tables[1], *opened(cells))


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_copy_for_a_statistics_program_is_checked_too(manifest: Manifest, files: Files, ending: str) -> None:
    path = f"tables/{manifest.tables[0].name}.{ending}"
    assert refused(manifest, files | {path: Stored(path, b"$FL2")}) == f"datapackage.json does not describe {path}."
