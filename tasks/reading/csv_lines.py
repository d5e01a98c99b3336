"""Which lines of a CSV its rows are in: a cell may span several lines, and blank lines are no rows. The text is read again for it from its
beginning, so only a refusal asks. `stream` is of text in UTF-8."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import BinaryIO

from tasks.reading.title_lines import LOOKED_AT, MOST, below_titles


def lines_of_rows(stream: BinaryIO, separator: str, rows: Sequence[int]) -> list[int] | None:
    """The line in which each row begins; rows count from 0 below the header, lines from 1. None if the text cannot be followed so far."""
    wanted = set(rows)
    found: dict[int, int] = {}
    try:
        for row, (line, _fields, _filled) in enumerate(_records(stream, separator), -1):
            if row in wanted:
                found[row] = line
                if len(found) == len(wanted):
                    break
    except csv.Error:  # a cell that is longer than Python's reader takes
        return None
    return [found[row] for row in rows] if len(found) == len(wanted) else None


def uneven_lines(stream: BinaryIO, separator: str, fields: int, most: int) -> list[int]:
    """The first lines, at most so many, that have another number of fields; none if the text cannot be followed so far."""
    lines: list[int] = []
    try:
        for line, present, _ in _records(stream, separator):
            if present != fields:
                lines.append(line)
                if len(lines) == most:
                    break
    except csv.Error:
        return []
    return lines


def splits_evenly(stream: BinaryIO, separator: str) -> bool:
    """Whether most of the first lines have as many fields as the header, which are several."""
    try:
        fields = [present for _, present, _ in islice(_records(stream, separator), LOOKED_AT)]
    except csv.Error:
        return False
    return bool(fields) and fields[0] > 1 and fields.count(fields[0]) >= MOST * len(fields)


def line_below_titles(stream: BinaryIO, separator: str) -> int | None:
    """Of the header, where lines of a title seem to stand above it."""
    try:
        return below_titles(list(islice(_records(stream, separator), LOOKED_AT)))
    except csv.Error:
        return None


def _records(stream: BinaryIO, separator: str) -> Iterator[tuple[int, int, int]]:
    """The line in which each record begins, the header's first, how many fields it has, and how many of them hold something."""
    reader = csv.reader(io.TextIOWrapper(stream, encoding="utf-8", newline=""), delimiter=separator)
    line = 1
    for record in reader:
        if record:
            yield line, len(record), sum(bool(field.strip()) for field in record)
        line = reader.line_num + 1
