"""The files of a table for statistics programs hold its cells, the names and labels of the data dictionary, and nothing else: byte for byte
they are what headgate writes of these. No stranger's file is parsed for this."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pyarrow as pa

from headgate.core.errors import IntegrityBroken
from headgate.core.published_form.file_parts import TABLES
from tasks.formats.variables import Variable, variable_names, variables_of
from tasks.formats.write_labelled import labelled_bytes
from tasks.stores.files import Stored
from tasks.stores.seal import DATAPACKAGE, LABELLED_ENDINGS
from tasks.verification.unchecked_claims import FALSE_CLAIM


def check_labelled(name: str, cells: pa.Table, files: Mapping[str, Stored]) -> None:
    """`cells` are the table's, as texts."""
    for form, ending in LABELLED_ENDINGS.items():
        path = f"{TABLES}{name}.{ending}"
        if path not in files:
            continue
        title, variables = _described(files, path)
        if [(each.column, each.name) for each in variables] != [*variable_names(cells.column_names).items()]:
            raise IntegrityBroken(f"{path} has other columns than {name}, or other names for them.", FALSE_CLAIM)
        if labelled_bytes(form, cells, variables, title) != files[path].content:
            raise IntegrityBroken(f"{path} is not what headgate writes of the cells of {name}.", FALSE_CLAIM)


def _described(files: Mapping[str, Stored], path: str) -> tuple[str, tuple[Variable, ...]]:
    try:
        package = json.loads(files[DATAPACKAGE].content)
        (fields,) = (resource["schema"]["fields"] for resource in package["resources"] if resource["path"] == path)
        return package["title"], variables_of(fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise IntegrityBroken(f"{DATAPACKAGE} does not describe {path}.", FALSE_CLAIM) from None
