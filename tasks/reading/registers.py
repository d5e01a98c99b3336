"""What attackers may hold, as it is read: of a register only the fields that it shares with the release, and who each row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from headgate.risk.candidates.marginals import COUNT, FIELD, VALUE
from policies.attackers.dictionary_key import DictionaryKey
from tasks.reading.arrow_frame import frame_of, unique_keys
from tasks.reading.source import Source, require_columns


@dataclass(frozen=True, eq=False)
class Keys:
    """Who each row of a register is, under the name of the column that says so."""

    name: str
    texts: NDArray[np.object_] = field(repr=False)


@dataclass(frozen=True, eq=False)
class RegisterTexts:
    """Texts, under the policy's own names. Of frequency tables: columns `field`, `value` and `count`, and nobody in particular."""

    where: str
    frame: pd.DataFrame = field(repr=False)
    keys: Keys | None = None


def read_register(given: DictionaryKey, source: Source, identifiers: Sequence[str]) -> RegisterTexts:
    """The key is the column that the policy names, or an identifier of the policy that is there too. It must be unique."""
    if given.marginals is not None:
        return _read_marginals(given, source)
    key = given.key or next((name for name in identifiers if name in source.names), None)
    columns = list(given.columns.values())
    wanted = list(dict.fromkeys([*columns, *([key] if key is not None else [])]))
    require_columns(source, wanted)
    read = source.read(wanted)
    keys = None if key is None else Keys(key, unique_keys(read.column(key), key, source.name).to_numpy(zero_copy_only=False))
    shared = pa.table({name: read.column(column) for name, column in given.columns.items()})
    return RegisterTexts(source.name, frame_of(shared, source.name), keys)


def _read_marginals(given: DictionaryKey, source: Source) -> RegisterTexts:
    """A field goes by its column's name under `on`; others of the file play no part."""
    require_columns(source, (FIELD, VALUE, COUNT))
    frame = frame_of(source.read([FIELD, VALUE, COUNT]), source.name)
    names = {column: name for name, column in given.columns.items()}
    frame[FIELD] = [names.get(str(name).strip(), "") for name in frame[FIELD]]
    return RegisterTexts(source.name, frame[frame[FIELD] != ""])
