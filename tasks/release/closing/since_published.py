"""What a candidate changes of the version that was published last at its target: for its report, and for readers."""

from __future__ import annotations

import json
from collections.abc import Sequence

from headgate.core.errors import HeadgateError
from headgate.released.description import described, insensitive_columns
from headgate.released.released_tables import release_of
from policies.changes.release_changes import Changes, Side, release_changes
from policies.sealed.manifest import FileEntry, Manifest
from tasks.ledger.history import read_history
from tasks.release.closing.so_far import SoFar
from tasks.release.run import Run
from tasks.reporting.candidate_page.page_content import Answered
from tasks.stores.seal import load_candidate
from tasks.tables.read_published import PinnedFile
from tasks.verification.compared_versions import side_of_candidate

UNREADABLE = "The version that was published last cannot be read in the home any more, so nothing is compared with it."


def since_published(run: Run, done: SoFar, manifest: Manifest, package: bytes, files: Sequence[PinnedFile]) -> Changes | str | None:
    """None where no version is out; a sentence where it cannot be read. `package`: the data dictionary, which says how columns are read
    that are published as they are. `files`: all files of the tables, copies for statistics programs among them."""
    history = read_history(run.ledger)
    last = history.last_published(run.policy.dataset, run.policy.publish.to)
    if last is None:
        return None
    try:
        before = side_of_candidate(run.home, history, load_candidate(run.home.candidates, last.candidate))
    except HeadgateError:
        return UNREADABLE
    return release_changes(before, _written(run, done, manifest, package, files))


def since_answered(run: Run, done: SoFar, manifest: Manifest, package: bytes, files: Sequence[PinnedFile]) -> tuple[Answered, ...]:
    """The same of each candidate of which changes were requested, and which this one answers."""
    history, answered = read_history(run.ledger), []
    for candidate in manifest.answers:
        try:
            before = side_of_candidate(run.home, history, load_candidate(run.home.candidates, candidate))
        except HeadgateError:
            answered.append(Answered(candidate=candidate, changes=None))
            continue
        answered.append(Answered(candidate=candidate, changes=release_changes(before, _written(run, done, manifest, package, files))))
    return tuple(answered)


def _written(run: Run, done: SoFar, manifest: Manifest, package: bytes, files: Sequence[PinnedFile]) -> Side:
    """As the tables were read back."""
    entries = tuple(FileEntry(path=file.path, sha256=file.sha256, bytes=file.bytes) for file in files)
    listed = manifest.model_copy(update={"files": entries})
    frames = {table.table: run.spool.get(table.read).frame for table in done.written}
    kinds = insensitive_columns(json.loads(package))
    tables = release_of(described(listed.model_dump(mode="json")), lambda table: frames[table.name], kinds)
    return Side(listed, tables, policy=json.loads(run.loaded.digested))


def for_readers(changes: Changes) -> bytes:
    """changes.json: without what the policies say, which are not published, and without exact numbers of people."""
    counted = changes.people is not None and changes.people.exact
    document = (changes.model_copy(update={"people": None}) if counted else changes).model_dump(mode="json", exclude={"policy"})
    return json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"
