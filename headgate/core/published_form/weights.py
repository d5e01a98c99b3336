"""How many people of the population each row stands for, as a source or a published table says it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.core.columns import Column
from headgate.core.errors import InputRejected


def positive_numbers(column: Column) -> NDArray[np.float64]:
    """The weight of each row. A published column may have been read as text. Refuses what is missing or no positive, finite number."""
    try:
        values = np.array([float(value) for value in column.values], dtype=np.float64)
    except ValueError:
        raise InputRejected(f"The weight '{column.name}' has cells that are not numbers.", "Write 1234.5.") from None
    weights = np.append(values, np.nan)[column.codes]
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise InputRejected(f"The weight '{column.name}' is missing, 0 or negative in some rows.", "Give every row a positive weight.")
    return weights
