"""Classifier accuracy (DEFINITIONS §8): what a table is worth to somebody who learns from it to predict one of its attributes.

A classifier is trained on raw rows, another on the same people's released rows; both are tested on raw rows of other people. A suppressed
person is missing from the second one's training, and not from the tests.

Both see the same features. A value becomes a few numbers: one flag a category, level or band (numbers are cut into at most 32 bands of
about equally many people, categories beyond the 63 most frequent go together), one a member of a set, a vector's own components, and one
flag for missing. A generalized cell becomes the mean over the values that it covers, the uniform spread of the count queries. So a raw
value is a cell that covers itself. A generalized target counts as each of its values by its part.

Multinomial logistic regression, since its scores are linear: the score of a cell is the mean score of what it covers, so that learning from
cells and asking about values are one thing. (A tree learns thresholds on parts, which no raw row has.) It has one optimum, whatever the
order of rows, and rows that are alike are learned from once, with their number as weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from headgate.core.cells import EVERYTHING
from headgate.core.columns import Codes, Column, Table
from headgate.core.distinct import distinct_rows
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.frame_specs import absent_column
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedCells, PublishedTable
from headgate.core.seeds import checked_seed

BANDS = 32  # of a numeric feature
FLAGS = 64  # of a categorical feature
CLASSES = 100  # of the target
FEWEST_ROWS = 100
STEPS = 2000  # of the optimizer


@dataclass(frozen=True)
class ClassifierAccuracy:
    """Shares of the tested rows that were predicted rightly; `baseline` always says the most frequent class of the raw training rows."""

    target: str
    accuracy_raw: float
    accuracy_released: float
    baseline: float
    rows: int  # tested
    trained_raw: int
    trained_released: int


@dataclass(frozen=True, eq=False)
class _Attribute:
    """One attribute of some rows: a code a row, and for each code what it is in features."""

    codes: Codes
    parts: sparse.csr_array

    def take(self, rows: NDArray[np.intp]) -> _Attribute:
        return _Attribute(self.codes[rows], self.parts)


def classifier_accuracy(
    table: Table, published: PublishedTable, groups: Codes, target: str, seed: int = 0, test_share: float = 0.3
) -> ClassifierAccuracy:
    """`published` is `publish_form` of the input rows `table` under `groups`, not shuffled yet: only so is it known who is trained on.
    Features are its other columns. Rows whose target is missing take no part."""
    seed, kept = checked_seed(seed), np.flatnonzero(groups >= 0)
    _check(table, published, groups, kept, target, test_share)
    truth, classes = table[target].codes, len(table[target].values)
    known = np.flatnonzero(truth >= 0)
    tested, trained = np.split(np.random.default_rng(seed).permutation(known), [max(1, round(len(known) * test_share))])
    counts = np.bincount(truth[trained], minlength=classes)
    if (counts > 0).sum() < 2:
        raise InputRejected(f"'{target}' has fewer than two classes to learn from.", "Choose another target, or test fewer rows.")
    names = [name for name in (*published.cells, *published.sensitive, *published.insensitive) if name != target]
    raw = [_raw_attribute(table[name]) for name in names]
    released = [_released_attribute(published, table[name]) for name in names]
    labels = _Attribute(truth, _flags(np.arange(classes), classes))
    learned = np.flatnonzero(np.isin(kept, trained))
    test_features = _features([attribute.take(tested) for attribute in raw], np.arange(len(tested)))
    by_raw = _predicted([attribute.take(trained) for attribute in raw], labels.take(trained), test_features)
    by_released = _predicted(
        [attribute.take(learned) for attribute in released], _released_labels(published, table[target]).take(learned), test_features
    )
    return ClassifierAccuracy(
        target,
        float((by_raw == truth[tested]).mean()),
        float((by_released == truth[tested]).mean()),
        float((truth[tested] == counts.argmax()).mean()),
        len(tested),
        len(trained),
        len(learned),
    )


def _check(table: Table, published: PublishedTable, groups: Codes, kept: NDArray[np.intp], target: str, test_share: float) -> None:
    unchanged = {**published.sensitive, **published.insensitive}
    names = [*published.cells, *unchanged]
    if target not in names:
        raise absent_column(target, names, f"table '{published.name}'")
    if len(names) < 2:
        raise InputRejected(f"Table '{published.name}' has no column but the target.", "Choose a table with more columns.")
    if not 0 < test_share < 1:
        raise InputRejected("The share of rows to test is not between 0 and 1.", "Give a share such as 0.3.")
    same = len(groups) == table.rows and np.array_equal(published.group, groups[kept])
    if not same or any(not np.array_equal(column.codes, table[name].codes[kept]) for name, column in unchanged.items()):
        raise InputRejected(
            "The published rows are not the input rows in their order.", "Give the form before it is shuffled, and its groups."
        )
    column = table[target]
    counts = column.counts()[:-1] if column.kind.rules.single else np.empty(0)
    if not 0 < (counts > 0).sum() <= CLASSES:
        raise InputRejected(f"'{target}' does not have between 1 and {CLASSES} classes.", "Cut it into bands, or choose another target.")
    if counts.sum() < FEWEST_ROWS:
        raise InputRejected(f"{int(counts.sum())} rows have a '{target}'; {FEWEST_ROWS} are needed.", "Give a larger table.")


def _raw_attribute(column: Column) -> _Attribute:
    if column.kind.rules.components:
        return _Attribute(column.codes, _components(column))
    if not column.kind.rules.single:
        return _Attribute(column.codes, _members(column))
    places = _places(column)
    return _Attribute(places[column.codes], _flags(np.arange(places[-1] + 1), places[-1] + 1))


def _released_attribute(published: PublishedTable, column: Column) -> _Attribute:
    cells = published.cells.get(column.name)
    if cells is None:
        return _raw_attribute({**published.sensitive, **published.insensitive}[column.name])
    return _Attribute(cells.codes, _spread(column, cells, _places(column)))


def _released_labels(published: PublishedTable, column: Column) -> _Attribute:
    """The labels of the released rows. The part of a cell that covers missing is not a class."""
    size = len(column.values)
    cells = published.cells.get(column.name)
    if cells is None:
        return _Attribute({**published.sensitive, **published.insensitive}[column.name].codes, _flags(np.arange(size), size))
    return _Attribute(cells.codes, _spread(column, cells, np.arange(size + 1, dtype=np.int32))[:, :-1].tocsr())


def _places(column: Column) -> Codes:
    """The feature of each value, and a last one for missing: bands in order, or the most frequent categories and one for the others."""
    counts = column.counts()[:-1]
    if column.kind.ordered:
        place = np.arange(len(counts)) if len(counts) <= BANDS else (np.cumsum(counts) - counts) * BANDS // max(int(counts.sum()), 1)
        place = np.unique(place, return_inverse=True)[1]
    else:
        place = np.empty(len(counts), dtype=np.int64)
        place[np.argsort(-counts, kind="stable")] = np.minimum(np.arange(len(counts)), FLAGS - 1)
    return np.append(place, place.max(initial=-1) + 1).astype(np.int32)


def _flags(place: NDArray[Any], width: int) -> sparse.csr_array:
    return sparse.csr_array((np.ones(len(place)), place, np.arange(len(place) + 1)), shape=(len(place), int(width)))


def _spread(column: Column, cells: PublishedCells, place: Codes) -> sparse.csr_array:
    """The part of each cell that lies at each place: the mean over the values that it covers."""
    reader = CellReader(column)
    ordered = column.kind.ordered
    edges = np.append(np.searchsorted(place[:-1], np.arange(place[-1])), len(column.values)) if ordered else np.empty(0)
    parts = np.zeros((len(cells.texts), place[-1] + 1))
    for i, text in enumerate(cells.texts):
        ends = reader.places(text) if ordered else None
        if ends is not None:
            parts[i, :-1] = np.diff(np.clip(edges, *ends))
        else:
            covered = reader.covers(text)
            covered[-1] &= text != EVERYTHING or bool((column.codes < 0).any())
            parts[i] = np.bincount(place[covered], minlength=place[-1] + 1)
    total = parts.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise InputRejected(f"A published cell of '{column.name}' covers no value of the input.", "Publish the table again.")
    return sparse.csr_array(parts / total)


def _members(column: Column) -> sparse.csr_array:
    """A flag for each of the most frequent members of a set, and one for missing."""
    counts = column.counts()
    often: dict[str, int] = {}
    for value, count in zip(column.values, counts, strict=False):
        for member in value:
            often[member] = often.get(member, 0) + int(count)
    place = {member: i for i, member in enumerate(sorted(often, key=lambda member: (-often[member], member))[:FLAGS])}
    parts = np.zeros((len(column.values) + 1, len(place) + 1))
    for code, value in enumerate(column.values):
        parts[code, [place[member] for member in value if member in place]] = 1
    parts[-1, -1] = 1
    return sparse.csr_array(parts)


def _components(column: Column) -> sparse.csr_array:
    """A vector's components, each over its range, and a flag for missing."""
    values = np.asarray(column.values, dtype=np.float64).reshape(len(column.values), -1)
    parts = np.zeros((len(values) + 1, values.shape[1] + 1))
    if len(values):
        low, high = values.min(axis=0), values.max(axis=0)
        parts[:-1, :-1] = (values - low) / np.where(high > low, high - low, 1.0)
    parts[-1, -1] = 1
    return sparse.csr_array(parts)


def _features(attributes: Sequence[_Attribute], rows: NDArray[Any]) -> sparse.csr_array:
    # A missing code, −1, is the last of an attribute's parts.
    return sparse.hstack([attribute.parts[attribute.codes[rows] % attribute.parts.shape[0]] for attribute in attributes], format="csr")


def _predicted(attributes: Sequence[_Attribute], labels: _Attribute, test_features: sparse.csr_array) -> NDArray[np.int64]:
    from sklearn.linear_model import LogisticRegression  # slow to import

    codes = np.stack([*(attribute.codes for attribute in attributes), labels.codes], axis=1)
    distinct, place = distinct_rows(codes)
    first = np.unique(place, return_index=True)[1]
    classes = labels.parts[distinct[:, -1]].tocoo()
    row, label = classes.coords
    if len(row) == 0:
        raise RequirementNotMet(
            "Classifier accuracy could not be measured.", "No released row says anything about the target; suppress less.", "accuracy"
        )
    if (label == label[0]).all():
        return np.full(test_features.shape[0], label[0], dtype=np.int64)
    model = LogisticRegression(max_iter=STEPS)
    model.fit(_features(attributes, first)[row], label, sample_weight=np.bincount(place)[row] * classes.data)
    if int(model.n_iter_.max()) >= STEPS:
        raise RequirementNotMet(
            "Classifier accuracy could not be measured.", "The classifier did not converge; choose a target with fewer classes.", "accuracy"
        )
    return np.asarray(model.predict(test_features))
