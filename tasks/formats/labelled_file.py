"""Files of SPSS and Stata: numbers that may stand for labels, with some numbers that mean 'missing'."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from headgate.core.errors import InputRejected
from tasks.formats.cell_texts import cell_text, table_of_texts, text_column
from tasks.runtime.input_limits import BYTES, CELLS
from tasks.runtime.wording import inside

CURE = "Save it again, or export it as CSV in UTF-8; for an old file, declare its `encoding`, such as latin1."
NUMBER_BYTES = 8


@dataclass(frozen=True, eq=False)
class LabelledFile:
    """What a file says of itself. The number of rows that it claims is not relied on."""

    parse: Callable[..., tuple[Any, Any]]  # pyreadstat's, for the program that wrote the file
    content: bytes
    encoding: str | None
    names: tuple[str, ...]
    widths: tuple[int, ...]  # bytes per cell
    labels: dict[str, dict[Any, str]]
    where: str

    def read(self, columns: Sequence[str], labels: bool) -> pa.Table:
        """Texts. A number that the file marks as missing is missing. With `labels`, a number that has a label is the label."""
        widths = dict(zip(self.names, self.widths, strict=True))
        width = max(1, sum(widths[name] for name in columns))
        most = min(CELLS.most // max(1, len(columns)), BYTES.most // width)
        cells, _ = _parsed(self.parse, self.content, self.where, encoding=self.encoding, usecols=list(columns), row_limit=most + 1)
        rows = len(next(iter(cells.values()), ()))
        CELLS.check(rows * len(columns), self.where)
        BYTES.check(rows * width, f"{self.where}, unpacked,")
        named = self.labels if labels else {}
        return table_of_texts({name: _column(cells[name], named.get(name, {})) for name in columns})


def open_labelled(parse: Callable[..., tuple[Any, Any]], content: bytes, encoding: str | None, where: str) -> LabelledFile:
    _, said = _parsed(parse, content, where, encoding=encoding, metadataonly=True)
    names = tuple(map(str, said.column_names))
    widths = tuple(max(NUMBER_BYTES, int(said.variable_storage_width.get(name, NUMBER_BYTES))) for name in names)
    return LabelledFile(parse, content, encoding, names, widths, dict(said.variable_value_labels), where)


def _parsed(parse: Callable[..., tuple[Any, Any]], content: bytes, where: str, **how: Any) -> tuple[dict[str, Any], Any]:
    from pyreadstat import PyreadstatError, ReadstatError

    read: tuple[dict[str, Any], Any] | None = None
    try:
        read = parse(io.BytesIO(content), output_format="dict", user_missing=False, **how)
    except (PyreadstatError, ReadstatError, OSError, ValueError, OverflowError, LookupError):
        read = None
    if read is None:
        raise InputRejected(f"{where} cannot be read: it is damaged, or its texts are in an unknown encoding.", CURE)
    return read


def _column(cells: Sequence[Any], labels: dict[Any, str]) -> tuple[pa.Array, bytes]:
    shown = [labels.get(cell, cell) for cell in cells]
    texts = [cell_text(cell, "Save the column as numbers, texts or dates.") for cell in shown]
    return text_column([None if text is None else cell for cell, text in zip(shown, texts, strict=True)], texts)


def require_labels(file: LabelledFile, columns: Sequence[str]) -> None:
    """Two numbers with one label would become one value."""
    for name in columns:
        given = [label.strip() for label in file.labels.get(name, {}).values()]
        if len(set(given)) < len(given):
            raise InputRejected(
                f"Column '{name}' of {inside(file.where)} gives one label to several numbers.",
                "Correct the labels, or read the numbers: labels: false.",
            )
