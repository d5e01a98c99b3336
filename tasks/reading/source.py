"""What an opened table is, whichever kind of source it comes from.

Every way in which a table can be unreadable ends in one refusal that names the file, the line or the column and the cure, never a
cell. The digest is of exactly the bytes that are then parsed.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from headgate.core.errors import LINE, MOST_PLACES, PERSON, ROWS_OF_PERSON, CellsRejected, InputRejected
from tasks.runtime.boundary import reason_of
from tasks.runtime.input_limits import BYTES, CELLS, Limit
from tasks.runtime.wording import inside

MOST_SHOWN = 6  # names of columns in a message
MOST_COLUMNS = 100_000  # of a file, whether they are read or not


@dataclass(frozen=True, eq=False)
class Source:
    """An opened table: what its columns are called, the SHA-256 of its bytes, and a way to read some of the columns, in parts that stand
    one below the other, as often as it is asked for. `texts`: all cells are
    texts, whatever they mean. `keys`: what a policy's `source` says beside the path, where several tables could be meant. `lines` says in
    which lines of the file rows are, counted from 0; a table that has no lines has numbers of rows."""

    name: str
    names: tuple[str, ...]
    digest: str
    reader: Callable[[Sequence[str]], Iterable[pa.Table]]
    texts: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    lines: Callable[[Sequence[int]], Sequence[int] | None] | None = None

    def parts(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Only these columns; the others are never parsed. Refuses a table without rows."""
        rows = 0
        for part in self.reader(columns):
            rows += part.num_rows
            yield part
        if rows == 0:
            raise InputRejected(f"{self.name} has a header and no rows.", "Give a table with at least one person.")

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The whole, of which each cell holds its own text."""
        return pa.concat_tables([_written_out(part) for part in self.parts(columns)])

    def located(self, refusal: CellsRejected, every: bool = False, people: bool = False) -> CellsRejected:
        """With the lines of the file, where it has lines: those that a sentence names, or every one. `people`: they begin in these rows."""
        lines = None if self.lines is None else self.lines(refusal.rows if every else refusal.rows[:MOST_PLACES])
        place = PERSON if people else LINE
        if people and lines is None:
            return refusal.at(ROWS_OF_PERSON, [row + 1 for row in refusal.rows])
        return refusal if lines is None else refusal.at(place, lines)


def _written_out(part: pa.Table) -> pa.Table:
    for place, column in enumerate(part.schema):
        if pa.types.is_dictionary(column.type):
            plain = column.type.value_type
            part = part.set_column(place, column.with_type(plain), part.column(place).cast(plain))
    return part


def require_columns(source: Source, wanted: Sequence[str]) -> None:
    for name in wanted:
        if name not in source.names:
            raise InputRejected(f"{source.name} has no column '{name}'.", names_instead(source.names, wanted, name))


def names_instead(names: Sequence[str], wanted: Sequence[str], lacking: str) -> str:
    """What a table has instead. A file without a header begins with somebody's data: its first line is only shown where at least one
    column is called as it should be."""
    same = [name for name in names if name.casefold() == lacking.casefold()]
    if same:
        return f"Did you mean '{same[0]}'? Names are case-sensitive."
    headed = bool(set(names) & set(wanted))
    others = [name for name in names if name not in wanted] or list(names)
    guess = difflib.get_close_matches(lacking, others, 1, cutoff=0.6 if headed else 0.75)
    if guess:
        return f"Did you mean '{guess[0]}'?"
    if not headed:
        return "None of the expected columns is there: the first line must name the columns."
    more = f" and {len(others) - MOST_SHOWN:,} more" if len(others) > MOST_SHOWN else ""
    return f"It has: {', '.join(others[:MOST_SHOWN])}{more}."


def read_bytes(path: Path, what: str, limit: Limit = BYTES) -> bytes:
    """The whole file. Refuses what is not a readable, non-empty file, what is larger than anybody means, and what is being written."""
    with ExitStack() as opened:
        descriptor = open_regular(path, what, limit)
        opened.callback(os.close, descriptor)
        before = last_written(descriptor)
        try:
            content = os.fdopen(descriptor, "rb", closefd=False).read(limit.most + 1)
        except OSError as problem:
            raise unreadable(f"{what} {path}", problem) from None
        limit.check(len(content), f"{what} {path}")
        if last_written(descriptor) != before:
            raise changed(f"{what} {path.name}")
    if not content:
        raise InputRejected(f"{what} {path} is empty.", "Give a table with a header and at least one row.")
    return content


def open_regular(path: Path, what: str, limit: Limit) -> int:
    """Its descriptor, which the caller closes."""
    with ExitStack() as opened:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe that nobody writes must not make us wait
            opened.callback(os.close, descriptor)
            status = os.fstat(descriptor)
        except FileNotFoundError:
            raise file_missing(path, what) from None
        except OSError as problem:
            raise unreadable(f"{what} {path}", problem) from None
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise InputRejected(f"{what} {path} is {kind}.", "Name a file.")
        limit.check(status.st_size, f"{what} {path}")
        opened.pop_all()
    return descriptor


def last_written(descriptor: int) -> tuple[int, int]:
    """What a write into the file changes, and another file in its place does not."""
    status = os.fstat(descriptor)
    return status.st_size, status.st_mtime_ns


def changed(where: str) -> InputRejected:
    return InputRejected(f"{where} changed while it was read.", "Wait until it is written, or give a copy of it.")


def unreadable(where: str, problem: OSError) -> InputRejected:
    return InputRejected(f"{where} cannot be read ({reason_of(problem)}).", "Check its permissions.")


def file_missing(path: Path, what: str) -> InputRejected:
    return InputRejected(f"{what} {path} does not exist.", "Correct the path; paths in a policy are relative to the policy file.")


def check_cells(rows: int, columns: int, where: str) -> None:
    CELLS.check(rows * columns, where)


def check_names(names: Sequence[str], where: str) -> None:
    """Each column has a name, and one of its own."""
    if len(names) > MOST_COLUMNS:
        raise InputRejected(
            f"{where} has {len(names):,} columns; at most {MOST_COLUMNS:,} are read.", "Give a table of the columns that are needed."
        )
    for place, name in enumerate(names, 1):
        if not name.strip():
            raise InputRejected(f"Column {place} of {inside(where)} has no name.", "Name it, or remove it if it is only an index.")
    places: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        first = places.setdefault(name, place)
        if first < place:  # the name is not shown: where a header is missing it is somebody's cell
            raise InputRejected(f"Columns {first} and {place} of {inside(where)} have the same name.", "Rename or remove one.")
