"""What somebody sees who compares the versions of a dataset, and who of the source is in none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.series.kept_version import KeptVersion, Pseudonyms
from headgate.series.published_versions import Version


@dataclass(frozen=True, eq=False)
class SeenTogether:
    """`versions` as `together` gives them; `nowhere`: the rows of the source whose people are known to be in none of them."""

    versions: Sequence[Version]
    nowhere: NDArray[np.int64]


def rows_nowhere(people: Pseudonyms, new: KeptVersion, earlier: Sequence[KeptVersion], unknown: int) -> NDArray[np.int64]:
    """`people`: the pseudonym of each row of the source; `unknown`: how many versions are not kept, so that anybody may be in them."""
    if unknown:
        return np.empty(0, dtype=np.int64)
    lacking = np.ones(len(people), dtype=np.bool_)
    for version in (new, *earlier):
        lacking &= version.places_of(people) < 0
    return np.flatnonzero(lacking)
