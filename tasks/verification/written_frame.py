"""Writing a reader's frame to a file of their own, or as text."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa

from headgate.core.errors import InputRejected, StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.tables.write import write_csv, write_parquet


def require_new_file(path: Path) -> None:
    """Before the work, not after it."""
    if path.suffix not in (".csv", ".parquet"):
        raise InputRejected(f"{path.name} is neither a .csv nor a .parquet file.", "Name the file table.csv or table.parquet.")
    if path.exists() or path.is_symlink():
        raise InputRejected(f"{path} exists already.", "Name a file that does not exist yet.")
    if not path.parent.is_dir():
        raise InputRejected(f"{path.parent} is not a folder.", "Make it, or name another.")


def write_reader_frame(frame: pd.DataFrame, path: Path) -> None:
    content = parquet_bytes(frame) if path.suffix == ".parquet" else csv_text(frame).encode()
    try:
        with path.open("xb") as stream:
            stream.write(content)
    except OSError as problem:
        raise StoreUnavailable(f"{path} cannot be written ({reason_of(problem)}).", "Check permissions and free space.") from None


def csv_text(frame: pd.DataFrame) -> str:
    """Days as YYYY-MM-DD, and the members of a set as a JSON list."""
    stream = io.BytesIO()
    write_csv(pa.table({str(name): _texts(frame[name]) for name in frame.columns}), stream)
    return stream.getvalue().decode()


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """Days as dates, sets as lists; no index, and nothing about pandas."""
    stream = io.BytesIO()
    write_parquet(pa.table({str(name): _typed(frame[name]) for name in frame.columns}).replace_schema_metadata(None), stream)
    return stream.getvalue()


def _typed(cells: pd.Series) -> pa.Array:
    if cells.dtype.kind == "M":
        return pa.array(cells.to_numpy().astype("datetime64[D]"))
    if isinstance(cells.dtype, pd.CategoricalDtype):
        return pa.array(cells.astype("str"), from_pandas=True)
    if cells.dtype == object:
        return pa.array([None if members is None else list(members) for members in cells], type=pa.list_(pa.string()))
    return pa.array(cells, from_pandas=True)


def _texts(cells: pd.Series) -> pa.Array:
    typed = _typed(cells)
    if pa.types.is_list(typed.type):
        return pa.array(
            [None if members is None else json.dumps(members, ensure_ascii=False) for members in typed.to_pylist()], pa.string()
        )
    if pa.types.is_date(typed.type):
        return typed.cast(pa.string())
    return typed
