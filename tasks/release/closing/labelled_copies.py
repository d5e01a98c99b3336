"""The copies of a table for statistics programs: written from the cells that were measured, and read again before they count."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from headgate.core.published_form.file_parts import TABLES
from tasks.formats.variables import variables_of
from tasks.formats.write_labelled import labelled_bytes, require_same_cells
from tasks.release.run import Run
from tasks.release.steps.write_tables import Written
from tasks.reporting.data_dictionary import FieldDescription
from tasks.stores.files import write_file
from tasks.stores.seal import LABELLED_ENDINGS
from tasks.tables.coded_cells import plain_texts
from tasks.tables.read_published import PinnedFile


def write_copies(run: Run, table: Written, fields: Sequence[FieldDescription]) -> tuple[PinnedFile, ...]:
    """One per format that the policy asks for; `fields` describe the table's columns."""
    cells = plain_texts(run.spool.get(table.read).texts)
    variables = variables_of([field.model_dump(mode="json", exclude_none=True) for field in fields])
    title = run.policy.title or run.policy.dataset
    copies = []
    for form in run.policy.publish.labelled:
        content = labelled_bytes(form, cells, variables, title, run.stage)
        require_same_cells(form, content, cells, variables)
        path = f"{TABLES}{table.table}.{LABELLED_ENDINGS[form]}"
        write_file(run.stage, path, content)
        copies.append(PinnedFile(table.table, form, path, cells.num_rows, hashlib.sha256(content).hexdigest(), len(content)))
    return tuple(copies)
