"""What is compared with the version before: the tables as they were read back. A published one is needed for the rest: see
tests/functional/test_diff.py."""

from __future__ import annotations

import json

from policies.changes.release_changes import release_changes
from tasks.approval.approvals import operator_roots
from tasks.release.closing.assemble import manifest_of
from tasks.release.closing.since_published import _written, for_readers, since_published
from tasks.stores.seal import DATAPACKAGE
from tests.unit.tasks.release.finished import Made

PACKAGE = json.dumps({"resources": []}).encode()


def test_a_first_version_is_compared_with_nothing(tracked: Made) -> None:
    manifest = manifest_of(tracked.run, tracked.so_far(), operator_roots(tracked.run.home))
    assert since_published(tracked.run, tracked.so_far(), manifest, PACKAGE) is None


def test_the_tables_are_those_that_were_read_back_and_readers_are_not_told_what_the_policy_says(tracked: Made) -> None:
    manifest = manifest_of(tracked.run, tracked.so_far(), operator_roots(tracked.run.home))
    side = _written(tracked.run, tracked.so_far(), manifest, PACKAGE)
    assert {entry.path for entry in side.manifest.files} == {file.path for table in tracked.written for file in table.files}
    assert {name: table.rows for name, table in side.tables.items()} == {table.name: table.rows for table in manifest.tables}
    changes = release_changes(side, side)
    assert changes.policy == ()
    assert {change.total_variation for change in changes.columns} == {0.0}
    told = json.loads(for_readers(changes))
    assert set(told) == {"before", "after", "same_source", "readers", "gates", "figures", "columns"}
    assert DATAPACKAGE not in {entry.path for entry in side.manifest.files}
