"""Texts that are nearly the same, by Jaro similarity (Jaro 1989, without Winkler's prefix). Texts are compared as they are written,
including case."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Jaro
from rapidfuzz.process import cdist

from headgate.core.cells import Everything, Interval, Members, Missing, Single, parse_cell
from headgate.core.columns import MISSING, Column
from headgate.core.errors import InputRejected
from headgate.core.kinds.kind_rules import FLAT
from headgate.core.published_form.published_table import PublishedCells
from headgate.core.tolerance import TOLERANCE
from headgate.risk.candidates.runs import Runs, joined, run_ends

MOST_PAIRS = 4 * 10**9  # of distinct texts, half a minute on two cores
_PAIRS_AT_ONCE = 4 * 2**20
_THREADS = 2


def check_similar(similar: Mapping[str, float], dictionary: Mapping[str, Column]) -> None:
    """Refuses an invalid similarity, or one for a field that is not text."""
    for name, threshold in similar.items():
        if name not in dictionary:
            raise InputRejected(f"Field '{name}' is compared by similarity but is not shared.", "Name it among the shared fields.")
        if not isinstance(threshold, int | float) or not 0 < threshold <= 1:
            raise InputRejected(f"The Jaro similarity of '{name}' must be above 0 and at most 1.", "Give a number such as 0.8.")
        if dictionary[name].kind.rules.shape(dictionary[name]) != FLAT:
            raise InputRejected(
                f"Field '{name}' is compared by similarity but is not a category without a hierarchy.", "Compare it exactly, or as text."
            )


def similar_runs(cells: PublishedCells, column: Column, threshold: float) -> Runs:
    """The runs of similar values: a text covers the dictionary's values whose similarity to it is at least `threshold`; a set covers
    what any of its members covers."""
    labels = [_labels(text, column.name) for text in cells.texts]
    texts = list(dict.fromkeys(label for own in labels for label in own or ()))
    present = np.unique(column.codes[column.codes != MISSING])
    if len(texts) * len(present) > MOST_PAIRS:
        raise InputRejected(
            f"Field '{column.name}' has too many texts to compare all pairs: {len(texts)} and {len(present)} distinct ones.",
            "Compare it exactly, or leave it out of the shared fields.",
        )
    near = dict(zip(texts, _near(texts, [str(value) for value in column.values[present]], threshold), strict=True))
    ends = []
    for own in labels:
        mask = np.full(len(column.values), own is None)
        for label in own or ():
            mask[present[near[label]]] = True
        ends.append(run_ends(mask))
    return joined(ends, len(column.values))


def _labels(text: str, name: str) -> tuple[str, ...] | None:
    """The texts that a cell names; None if the cell covers everybody."""
    match parse_cell(text):
        case Everything() | Missing():
            return None
        case Single(label):
            return (label,)
        case Members(labels):
            return None if None in labels else tuple(str(label) for label in labels)
        case Interval():
            raise InputRejected(f"Field '{name}' is compared by similarity but was released as intervals.", "Compare it exactly.")


def _near(texts: list[str], values: list[str], threshold: float) -> list[NDArray[np.intp]]:
    """For each text, the places of the values that are similar to it. Scores are at most 1, so the tolerance is absolute.

    `score_cutoff` is not used, because near the cutoff it loses scores that reach it."""
    step = max(1, _PAIRS_AT_ONCE // max(len(values), 1))
    out: list[NDArray[np.intp]] = []
    for start in range(0, len(texts), step):
        scores = cdist(texts[start : start + step], values, scorer=Jaro.similarity, dtype=np.float64, workers=_THREADS)
        out += [np.flatnonzero(row >= threshold - TOLERANCE) for row in scores]
    return out
