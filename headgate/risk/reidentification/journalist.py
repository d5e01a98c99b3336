"""The journalist's risk against a population table (El Emam and Dankar 2008; DEFINITIONS §7): 1/(individuals there who match the record).

The journalist does not know who is in the release, but knows the population that it was drawn from. So a record hides among all individuals
of the population who are consistent with it. Released cells may be generalized or missing, cells of the population may be missing;
`headgate.risk.candidates.consistency` decides what is consistent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from headgate.core.columns import Codes, Column
from headgate.core.distinct import distinct_rows
from headgate.core.published_form.published_table import PublishedTable
from headgate.risk.candidates.consistency import consistent_individuals, frame_cells
from headgate.risk.disclosure.expected_loss import disclosure_risk
from headgate.risk.disclosure.sensitivity import Sensitivity
from headgate.risk.reidentification.prosecutor import Reidentification, journalist


@dataclass(frozen=True, eq=False)
class JournalistRisk:
    risk: Reidentification  # its mean is the marketer's figure against the population (Dankar, El Emam 2010)
    consistent: NDArray[np.int64]  # per record, the individuals of the population who fit
    unmatched: float  # share of records that fit nobody: they cannot be linked, and the population table is not the whole population
    smaller: float  # share of records with fewer individuals than records in their group: a population that lacks people of the release


def journalist_risk(
    published: PublishedTable, population: Mapping[str, Column], fields: Sequence[str] | None = None, threshold: Any = None
) -> JournalistRisk:
    """The risk of a release. `encode_dictionary` of `headgate.risk.candidates.consistency` encodes `population`, with one row per
    individual. `fields` are the quasi-identifiers that the population has; by default all of the release."""
    names = list(published.cells) if fields is None else list(fields)
    consistent = consistent_individuals(published.cells, population, names)
    return _measured(consistent, published.classes(), threshold)


def journalist_frames(
    released: pd.DataFrame,
    population: pd.DataFrame,
    quasi: Sequence[str],
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    key: str | None = None,
    threshold: Any = None,
) -> JournalistRisk:
    """The risk from frames, which are read as `headgate.risk.disclosure.expected_loss.disclosure_risk` reads them. `key` names the
    population's individuals."""
    consistent = disclosure_risk(released, population, quasi, Sensitivity.fixed(), kinds, hierarchies, key).consistent.astype(np.int64)
    codes = np.stack([frame_cells(released[name]).codes for name in quasi], axis=1)
    return _measured(consistent, [distinct_rows(codes)[1]], threshold)


def _measured(consistent: NDArray[np.int64], classes: Sequence[Codes], threshold: Any) -> JournalistRisk:
    sizes = np.bincount(classes[-1])[classes[-1]]  # by published values
    return JournalistRisk(
        journalist(consistent, classes, threshold), consistent, float((consistent == 0).mean()), float((consistent < sizes).mean())
    )
