"""A table as a file of SPSS or Stata: texts are texts, numbers numbers, days days, levels numbers with labels. Missing cells are missing in
the program's own way.

The same cells give the same bytes: both programs' files say when they were written, and here all of them say the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as compute
import pyreadstat
from numpy.typing import NDArray

from headgate.core.calendar_parts import EPOCH
from headgate.core.errors import Defect, InputRejected
from tasks.formats.labelled_file import NUMBER_BYTES, open_labelled
from tasks.formats.variables import Variable, short_label
from tasks.runtime.input_limits import BYTES

LONGEST_TITLE = 60  # bytes, in SPSS
NUMBERS = ("integer", "number")


@dataclass(frozen=True)
class Program:
    """`first_day` is 1970-01-01 in its count of days, and `day` the length of one. `stamp` finds the moment of writing, of which each file
    has one; `moment` stands there instead."""

    name: str
    form: str
    write: Callable[..., None]
    parse: Callable[..., tuple[Any, Any]]
    longest_text: int  # bytes
    first_day: int
    day: int
    formats: Mapping[str, str]
    stamp: re.Pattern[bytes]
    moment: bytes
    more: Mapping[str, Any]


SPSS = Program(
    name="SPSS",
    form="spss",
    write=pyreadstat.write_sav,
    parse=pyreadstat.read_sav,
    longest_text=32_767,
    first_day=141_428,
    day=86_400,
    formats={"integer": "F12.0", "number": "F16.4", "date": "SDATE10"},
    stamp=re.compile(rb"(?<=\A.{92}).{17}", re.DOTALL),
    moment=b"01 Jan 7000:00:00",
    more={"row_compress": True},
)
STATA = Program(
    name="Stata",
    form="stata",
    write=pyreadstat.write_dta,
    parse=pyreadstat.read_dta,
    longest_text=2_044,  # longer ones are kept apart from the cells, where pyreadstat writes None for a missing one
    first_day=3_653,
    day=1,
    formats={"integer": "%12.0g", "number": "%12.0g", "date": "%tdCCYY-NN-DD"},
    stamp=re.compile(rb"(?<=<timestamp>\x11).{17}(?=</timestamp>)", re.DOTALL),
    moment=b"01 Jan 1970 00:00",
    more={"version": 14},
)
PROGRAMS = {program.form: program for program in (SPSS, STATA)}


def labelled_bytes(form: str, cells: pa.Table, variables: Sequence[Variable], title: str, folder: Path | None = None) -> bytes:
    """The file's content. `cells` are texts; `folder` is where it may lie for a moment, or else where temporary files do."""
    program = PROGRAMS[form]
    frame = _frame(program, cells, variables)
    _require_room(program, cells, variables)
    content = _written(program, frame, variables, title, folder)
    stamp = program.stamp.search(content)
    if stamp is None:
        raise Defect(f"A file for {program.name} does not say when it was written.", "This is a defect of headgate; please report it.")
    return content[: stamp.start()] + program.moment + content[stamp.end() :]


def require_same_cells(form: str, content: bytes, cells: pa.Table, variables: Sequence[Variable]) -> None:
    """What the program will read must be what was to be written: texts of SPSS, for example, lose blanks at their end."""
    program = PROGRAMS[form]
    names = [variable.name for variable in variables]
    read = open_labelled(program.parse, content, None, f"The file for {program.name}").read(names, labels=True)
    for variable in variables:
        if not _same(read.column(variable.name), cells.column(variable.column), variable.kind):
            raise _not_held(program, f"the cells of '{variable.column}' as they are: it reads others")


def _same(read: pa.ChunkedArray, cells: pa.ChunkedArray, kind: str) -> bool:
    if kind in NUMBERS:
        read, cells = read.cast(pa.float64()), cells.cast(pa.float64())
    return bool(read.combine_chunks().equals(cells.combine_chunks()))


def _written(program: Program, frame: pd.DataFrame, variables: Sequence[Variable], title: str, folder: Path | None) -> bytes:
    measures = {variable.name: _measure(variable) for variable in variables}
    with TemporaryDirectory(dir=folder) as place:
        path = Path(place) / "table"
        try:
            program.write(
                frame,
                path,
                file_label=short_label(title, LONGEST_TITLE),
                column_labels={variable.name: variable.label for variable in variables},
                variable_value_labels={each.name: dict(enumerate(each.levels, 1)) for each in variables if each.levels},
                variable_format={each.name: program.formats[each.kind] for each in variables if each.kind in program.formats},
                **({"variable_measure": measures} if program is SPSS else {}),
                **program.more,
            )
        except (pyreadstat.PyreadstatError, pyreadstat.ReadstatError):
            raise _not_held(program, "a table of these columns and cells") from None
        return path.read_bytes()


def _require_room(program: Program, cells: pa.Table, variables: Sequence[Variable]) -> None:
    """Every cell of a column of texts takes as much as the longest."""
    widest = 0
    for variable in variables:
        width = compute.max(compute.binary_length(cells.column(variable.column))).as_py() or 0
        if width > program.longest_text:
            raise _not_held(program, f"the cells of '{variable.column}': the longest has {width:,} bytes, and {program.longest_text:,} fit")
        widest += max(NUMBER_BYTES, width)
    BYTES.check(widest * cells.num_rows, f"The table, as a file for {program.name},")


def _measure(variable: Variable) -> str:
    if variable.levels:
        return "ordinal"
    return "nominal" if variable.kind == "string" else "scale"


def _frame(program: Program, cells: pa.Table, variables: Sequence[Variable]) -> pd.DataFrame:
    try:
        return pd.DataFrame({variable.name: _column(program, cells.column(variable.column), variable) for variable in variables})
    except (pa.ArrowInvalid, ValueError, KeyError):
        raise InputRejected(f"The data dictionary describes other cells than are to be written for {program.name}.") from None


def _column(program: Program, cells: pa.ChunkedArray, variable: Variable) -> Any:
    if variable.kind in NUMBERS:
        return cells.cast(pa.float64()).to_numpy()
    if variable.kind == "date":
        return (_days(cells) + program.first_day) * program.day
    if not variable.levels:
        return pd.Series(cells.to_pylist(), dtype=object)
    places = compute.index_in(cells, pa.array(variable.levels, pa.string()))
    if places.null_count != cells.null_count:
        raise ValueError
    return pd.array(compute.add(places, 1).to_pylist(), dtype="Int32")


def _days(cells: pa.ChunkedArray) -> NDArray[np.float64]:
    return np.array([np.nan if cell is None else date.fromisoformat(cell).toordinal() - EPOCH for cell in cells.to_pylist()], dtype=float)


def _not_held(program: Program, what: str) -> InputRejected:
    return InputRejected(
        f"A file for {program.name} cannot hold {what}.",
        f"Take {program.form} out of publish.formats. Texts may be too long, or end with blanks.",
    )
