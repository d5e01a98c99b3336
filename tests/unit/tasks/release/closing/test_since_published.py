"""What is compared with the version before: the tables as they were read back. A published one is needed for the rest: see
tests/functional/test_diff.py."""

from __future__ import annotations

import json
from dataclasses import replace

from policies.changes.people_changes import PeopleChange
from policies.changes.release_changes import release_changes
from tasks.approval.approvals import operator_roots
from tasks.release.closing.assemble import manifest_of
from tasks.release.closing.since_published import _written, for_readers, since_answered, since_published
from tasks.stores.seal import DATAPACKAGE
from tasks.tables.read_published import PinnedFile
from tests.unit.tasks.release.finished import Made

PACKAGE = json.dumps({"resources": []}).encode()


def files_of(made: Made) -> list[PinnedFile]:
    return [file for table in made.written for file in table.files]


def test_a_first_version_is_compared_with_nothing(tracked: Made) -> None:
    manifest = manifest_of(tracked.run, tracked.so_far(), operator_roots(tracked.run.home))
    assert since_published(tracked.run, tracked.so_far(), manifest, PACKAGE, files_of(tracked)) is None


def test_the_tables_are_those_that_were_read_back_and_readers_are_not_told_what_the_policy_says(tracked: Made) -> None:
    manifest = manifest_of(tracked.run, tracked.so_far(), operator_roots(tracked.run.home))
    side = _written(tracked.run, tracked.so_far(), manifest, PACKAGE, files_of(tracked))
    assert {entry.path for entry in side.manifest.files} == {file.path for table in tracked.written for file in table.files}
    assert {name: table.rows for name, table in side.tables.items()} == {table.name: table.rows for table in manifest.tables}
    changes = release_changes(side, side)
    assert changes.policy == ()
    assert {change.total_variation for change in changes.columns} == {0.0}
    counted = changes.model_copy(update={"people": PeopleChange(both=59, came=1, left=1, exact=True)})
    assert json.loads(for_readers(counted))["people"] is None
    told = json.loads(for_readers(changes))
    assert set(told) == {"before", "after", "same_source", "people", "readers", "gates", "figures", "columns"}
    assert DATAPACKAGE not in {entry.path for entry in side.manifest.files}


def test_a_copy_for_a_statistics_program_is_a_file_of_the_new_version_too(tracked: Made) -> None:
    """Versions with the same formats told readers that every .sav and .dta was gone: only CSV and Parquet were listed."""
    manifest = manifest_of(tracked.run, tracked.so_far(), operator_roots(tracked.run.home))
    copy = replace(files_of(tracked)[0], format="spss", path="tables/table-1.sav")
    before, after = (_written(tracked.run, tracked.so_far(), manifest, PACKAGE, [*files_of(tracked), copy]) for _ in range(2))
    assert copy.path in {entry.path for entry in after.manifest.files}
    assert release_changes(before, after).readers == ()


def test_a_candidate_that_is_answered_and_gone_is_named(tracked: Made) -> None:
    """That it cannot be read any more is said on the page; the release goes on."""
    manifest = manifest_of(tracked.run, tracked.so_far(), operator_roots(tracked.run.home)).model_copy(update={"answers": ("ab" * 32,)})
    (answered,) = since_answered(tracked.run, tracked.so_far(), manifest, PACKAGE, files_of(tracked))
    assert (answered.candidate, answered.changes) == ("ab" * 32, None)
