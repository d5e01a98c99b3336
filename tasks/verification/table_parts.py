"""The files of a published table, read part by part: every part that is claimed, in its place, alike in all formats, and no other.

The bytes of one part, in each format, are in memory at a time; of the parts before it, codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headgate.core.errors import IntegrityBroken
from policies.gates.figures import TableFigures
from tasks.stores.files import Stored
from tasks.stores.seal import MEASURED
from tasks.tables.coded_cells import JoinedParts, coded_texts
from tasks.verification.table_files import open_table
from tasks.verification.unchecked_claims import FALSE_CLAIM


def stored_forms(claimed: TableFigures, files: Mapping[str, Stored]) -> tuple[tuple[Stored, ...], ...]:
    """By format, every part of the table. What has some of its parts only is broken, whatever the other formats have."""
    forms = []
    for ending in MEASURED:
        paths = claimed.paths(ending)
        present = [path for path in paths if path in files]
        if not present:
            continue
        if len(present) != len(paths):
            lacking = next(path for path in paths if path not in files)
            raise IntegrityBroken(f"{lacking} is missing, and other parts of {claimed.name} are there.", FALSE_CLAIM)
        forms.append(tuple(files[path] for path in paths))
    if not forms or claimed.path != forms[0][0].path:
        raise IntegrityBroken(f"Table {claimed.name} is claimed but missing from the folder.", FALSE_CLAIM)
    return tuple(forms)


def joined_cells(name: str, forms: Sequence[Sequence[Stored]]) -> tuple[JoinedParts, tuple[str, ...]]:
    """The cells, and the files that are not, byte for byte, what this machine would write of them."""
    cells, foreign = JoinedParts(name), []
    for part in zip(*forms, strict=True):
        first = None
        for stored in part:
            table, as_written = open_table(stored)
            foreign += [] if as_written else [stored.path]
            texts = coded_texts(table, name)
            if first is None:
                first = texts
                cells.add(table, texts)
            elif not texts.equals(first):
                raise IntegrityBroken(f"The formats of {name} hold different values.", FALSE_CLAIM)
    return cells, tuple(foreign)
