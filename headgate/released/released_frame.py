"""A published table as a frame that remembers where it comes from, so that rows of two tables are never joined."""

from __future__ import annotations

from typing import Any

import pandas as pd

from headgate.core.columns import GROUP
from headgate.core.errors import InputRejected

NOT_BY_GROUP = (
    f"Each has an order of rows of its own, and '{GROUP}' numbers are drawn anew for each: the same number in two tables is a coincidence."
)
COUNT_EACH = (
    "Answer each question from one table. Figures of two tables can be compared: count or average in each first, such as by region."
)


class ReleasedFrame(pd.DataFrame):
    """`released_from` (the release and the table) stays through selections. pandas hands both sides of a merge to `__finalize__`; it
    doesn't say by what they were merged, and there is nothing by which rows of two tables could be."""

    _metadata = ["released_from"]
    released_from: tuple[str, str] | None = None

    @property
    def _constructor(self) -> type[ReleasedFrame]:
        return ReleasedFrame

    def __finalize__(self, other: Any, method: str | None = None, **options: Any) -> ReleasedFrame:
        left, right = getattr(other, "left", None), getattr(other, "right", None)
        if isinstance(left, ReleasedFrame) and isinstance(right, ReleasedFrame):
            _require_same(left, right)
        super().__finalize__(other, method, **options)  # type: ignore[misc] # which its stubs leave out
        if method == "merge":
            self.released_from = getattr(left, "released_from", None) or getattr(right, "released_from", None)
        if method == "groupby" and GROUP not in self.index.names and GROUP not in self.columns:
            self.released_from = None  # figures, no longer rows
        return self


def _require_same(left: ReleasedFrame, right: ReleasedFrame) -> None:
    if left.released_from and right.released_from and left.released_from != right.released_from:
        names = " and ".join(f"'{frame.released_from[1]}'" for frame in (left, right) if frame.released_from)
        raise InputRejected(f"The rows of tables {names} cannot be joined, by '{GROUP}' or anything else. {NOT_BY_GROUP}", COUNT_EACH)
