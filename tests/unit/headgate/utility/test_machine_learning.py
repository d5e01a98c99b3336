"""Classifier accuracy, against a classifier that is trained on one dense line a row, written from the definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from headgate.core.columns import Kind, Role, Table
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected, RequirementNotMet
from headgate.core.hierarchy import Hierarchy
from headgate.core.published_form.cell_reader import CellReader
from headgate.core.published_form.published_table import PublishedTable, publish_form
from headgate.utility import machine_learning
from headgate.utility.machine_learning import classifier_accuracy

PEOPLE = Callable[..., Table]
TREE = Hierarchy.from_rows([["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"]], "town")
TOWNS = ["a1", "a2", "b1", "b2"]


def released(table: Table, groups: np.ndarray) -> tuple[Table, PublishedTable, np.ndarray]:
    return table, publish_form(table, groups, "one", table.sensitive), groups.astype(np.int32)


def workers(rows: int, seed: int) -> Table:
    """Illness follows, roughly, from age and town; the job from the illness."""
    rng = np.random.default_rng(seed)
    age, town = rng.integers(0, 20, rows), rng.choice(TOWNS, rows)
    ill = np.where((age > 9) ^ (rng.random(rows) < 0.1), np.where(town == "a1", "flu", "cold"), "none")
    job = np.where(rng.random(rows) < 0.7, np.where(ill == "none", "cook", "smith"), rng.choice(["cook", "smith", "clerk"], rows))
    specs = {
        "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI, domain=(0, 19)),
        "town": ColumnSpec("town", Kind.CATEGORY, Role.QUASI, hierarchy=TREE),
        "job": ColumnSpec("job", Kind.CATEGORY, Role.QUASI),
        "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE),
    }
    return encode_table(pd.DataFrame({"age": age, "town": town, "job": job, "ill": ill}), specs)


def covered(name: str, own: list[Any]) -> list[Any]:
    if name == "age":
        return list(range(min(own), max(own) + 1))
    if name != "town" or len(set(own)) == 1:
        return sorted(set(own))
    return [town for town in TOWNS if len({value[0] for value in own}) > 1 or town[0] == own[0][0]]


@pytest.mark.parametrize("target", ["ill", "job", "town"])
@pytest.mark.parametrize("size", [3, 40])
def test_accuracies_are_those_of_one_dense_line_a_row_and_value_of_the_target(target: str, size: int) -> None:
    from sklearn.linear_model import LogisticRegression

    rows = 400
    table = workers(rows, 7)
    groups = np.argsort(np.argsort(table["age"].codes, kind="stable")) // size
    groups = np.where(groups == groups.max(), -1, groups)
    found = classifier_accuracy(*released(table, groups), target, seed=3)

    values = {name: table[name].values[table[name].codes].tolist() for name in table.columns}
    domains = {name: sorted(set(values[name])) for name in values}
    features = [name for name in values if name != target]
    mates = {group: np.flatnonzero(groups == group) for group in set(groups.tolist())}

    def line(cells: dict[str, list[Any]]) -> list[float]:
        return [(value in cells[name]) / len(cells[name]) for name in features for value in domains[name]]

    def accuracy(cells_of: Callable[[int], dict[str, list[Any]]], people: list[int], tested: list[int]) -> float:
        lines, labels, weights = [], [], []
        for row in people:
            cells = cells_of(row)
            for label in cells[target]:
                lines.append(line(cells))
                labels.append(label)
                weights.append(1 / len(cells[target]))
        model = LogisticRegression(max_iter=2000).fit(np.array(lines), labels, sample_weight=weights)
        predicted = model.predict([line({name: [values[name][row]] for name in features}) for row in tested])
        return float(np.mean([one == values[target][row] for one, row in zip(predicted, tested, strict=True)]))

    def raw(row: int) -> dict[str, list[Any]]:
        return {name: [values[name][row]] for name in values}

    def generalized(row: int) -> dict[str, list[Any]]:
        own = {name: [values[name][mate] for mate in mates[groups[row]]] for name in values}
        return {name: [values[name][row]] if name == "ill" else covered(name, own[name]) for name in values}

    order = np.random.default_rng(3).permutation(rows).tolist()
    tested, trained = order[:120], order[120:]
    kept = [row for row in trained if groups[row] >= 0]
    most = pd.Series([values[target][row] for row in trained]).value_counts().idxmax()
    assert (found.rows, found.trained_raw, found.trained_released) == (120, 280, len(kept))
    assert found.baseline == pytest.approx(np.mean([values[target][row] == most for row in tested]))
    assert found.accuracy_raw == pytest.approx(accuracy(raw, trained, tested), abs=1e-9)
    assert found.accuracy_released == pytest.approx(accuracy(generalized, kept, tested), abs=1e-9)


@pytest.mark.parametrize("target", ["ill", "eye", "grade", "floor", "town"])
def test_rows_released_as_they_are_teach_as_much_as_the_raw_ones(make_people: PEOPLE, target: str) -> None:
    table = make_people(300, 5)
    found = classifier_accuracy(*released(table, np.arange(300)), target)
    assert found.accuracy_released == found.accuracy_raw
    known = int((table[target].codes >= 0).sum())
    assert found.rows + found.trained_raw == known < 300
    assert found.trained_released == found.trained_raw


def test_one_group_of_all_teaches_no_more_than_the_most_frequent_class() -> None:
    table = workers(600, 2)
    found = classifier_accuracy(*released(table, np.zeros(600, dtype=int)), "ill")
    assert found.accuracy_released == found.baseline
    assert found.accuracy_raw > found.baseline + 0.2


def test_a_target_that_is_generalized_away_cannot_be_learned() -> None:
    """All towns are one cell, so that each of them counts alike, whatever the illness."""
    table = workers(600, 2)
    found = classifier_accuracy(*released(table, np.zeros(600, dtype=int)), "town")
    assert found.accuracy_released <= found.baseline < found.accuracy_raw


def test_the_seed_chooses_who_is_tested_and_nothing_else_is_random() -> None:
    given = released(workers(500, 1), np.arange(500) // 5)
    first = classifier_accuracy(*given, "ill", seed=1)
    assert classifier_accuracy(*given, "ill", seed=1) == first
    assert len({classifier_accuracy(*given, "ill", seed=seed).accuracy_raw for seed in range(4)}) > 1


def test_people_who_are_tested_are_not_learned_from_in_either_training(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody has a name of their own: who was learned from would be known by it."""
    monkeypatch.setattr(machine_learning, "FLAGS", 120)  # each name is a feature
    frame = pd.DataFrame({"name": [f"p{i}" for i in range(120)], "ill": np.random.default_rng(4).choice(["flu", "cold"], 120)})
    specs = {"name": ColumnSpec("name", Kind.CATEGORY, Role.QUASI), "ill": ColumnSpec("ill", Kind.CATEGORY, Role.SENSITIVE)}
    found = classifier_accuracy(*released(encode_table(frame, specs), np.arange(120)), "ill")
    assert found.accuracy_raw == found.accuracy_released == found.baseline


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_numbers_of_many_values_dates_sets_and_vectors_are_learned_from(missing: float) -> None:
    rng = np.random.default_rng(6)
    rows = 800
    frame = pd.DataFrame(
        {
            "size": rng.lognormal(1, 1, rows),
            "born": pd.Timestamp("2000-01-01") + pd.to_timedelta(rng.integers(0, 9000, rows), unit="D"),
            "habits": rng.choice(["tea", "tea|wine", "wine", "|"], rows),
            "x": rng.random(rows),
            "y": rng.random(rows),
        }
    )
    wealth = {
        "by_size": frame["size"] > frame["size"].median(),
        "by_day": frame["born"] > pd.Timestamp("2012-06-01"),
        "by_habit": frame["habits"].str.contains("wine"),
        "by_vector": frame["x"] > frame["y"],
    }
    frame = frame.mask(rng.random(frame.shape) < missing)
    specs = {
        "size": ColumnSpec("size", Kind.NUMBER, Role.QUASI),
        "born": ColumnSpec("born", Kind.DATE, Role.QUASI),
        "habits": ColumnSpec("habits", Kind.SET, Role.SENSITIVE),
        "place": ColumnSpec("place", Kind.VECTOR, Role.SENSITIVE, components=("x", "y"), metric="lp"),
    }
    for name, truth in wealth.items():
        target = ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE)
        table = encode_table(frame.assign(**{name: truth.map({True: "yes", False: "no"})}), {**specs, name: target})
        found = classifier_accuracy(*released(table, np.arange(rows)), name)
        assert found.accuracy_raw == found.accuracy_released > (0.93 if missing == 0 else 0.8)  # one vector in five is missing then


def test_the_features_of_a_cell_are_the_mean_of_those_of_the_values_that_it_covers(make_people: PEOPLE) -> None:
    table = make_people(90, 11, size=np.random.default_rng(2).random(90))  # more sizes than bands
    groups = np.random.default_rng(1).permutation(90) // 3
    published = publish_form(table, groups, "one", ())
    for name, cells in published.cells.items():
        column = table[name]
        raw = machine_learning._raw_attribute(column)
        of_value = np.full((len(column.values) + 1, raw.parts.shape[1]), np.nan)
        for row, code in enumerate(column.codes):
            of_value[code] = raw.parts.toarray()[raw.codes[row]]
        found = machine_learning._released_attribute(published, column).parts.toarray()
        for text, parts in zip(cells.texts, found, strict=True):
            covered_values = of_value[CellReader(column).covers(text)]
            if not np.isnan(covered_values).any():
                assert parts == pytest.approx(covered_values.mean(axis=0))
            assert parts.sum() == pytest.approx(1.0)


def test_a_cell_that_covers_more_values_of_one_band_than_of_another_lies_more_in_it() -> None:
    """64 values, two a band: [0..2] covers the first band and half of the second."""
    frame = pd.DataFrame({"size": np.arange(64) * 10})
    table = encode_table(frame, {"size": ColumnSpec("size", Kind.NUMBER, Role.QUASI)})
    published = publish_form(table, np.minimum(np.arange(64) // 3, 20), "one", ())
    parts = machine_learning._released_attribute(published, table["size"]).parts.toarray()
    assert parts.shape == (21, 33)
    assert parts[0, :3] == pytest.approx([2 / 3, 1 / 3, 0])
    assert parts[1, :3] == pytest.approx([0, 1 / 3, 2 / 3])


def test_the_most_frequent_categories_are_told_apart_and_the_rest_are_one() -> None:
    names = [f"c{i:03d}" for i in range(100)]
    cells = np.repeat(names, np.arange(1, 101))
    table = encode_table(pd.DataFrame({"job": cells}), {"job": ColumnSpec("job", Kind.CATEGORY, Role.SENSITIVE)})
    places = machine_learning._raw_attribute(table["job"]).codes
    by_name = dict(zip(cells.tolist(), places.tolist(), strict=True))
    assert len({by_name[name] for name in names[-63:]}) == 63
    assert {by_name[name] for name in names[:-63]} == {63}


def test_components_of_a_vector_weigh_alike_whatever_their_units() -> None:
    frame = pd.DataFrame({"x": [10.0, 20.0, 40.0, None], "y": [0.01, 0.05, 0.03, 0.02], "z": [7.0] * 4})
    spec = ColumnSpec("place", Kind.VECTOR, Role.SENSITIVE, components=("x", "y", "z"), metric="lp")
    table = encode_table(frame, {"place": spec})
    found = machine_learning._raw_attribute(table["place"])
    wanted = [[0, 0, 0, 0], [1 / 3, 1, 0, 0], [1, 0.5, 0, 0], [0, 0, 0, 1]]
    assert found.parts.toarray()[found.codes] == pytest.approx(np.array(wanted))


def test_suppressed_people_are_missed_in_training_and_kept_in_the_tests() -> None:
    table = workers(400, 9)
    old = table["age"].codes > 9
    groups = np.full(400, -1)
    groups[~old] = np.arange((~old).sum()) // 4
    found = classifier_accuracy(*released(table, groups), "ill")
    assert found.trained_released < found.trained_raw
    assert found.accuracy_released < found.accuracy_raw - 0.2  # nobody old was seen


def test_a_release_that_says_nothing_of_the_target_cannot_be_measured() -> None:
    table = workers(200, 1)
    empty = replace(table["ill"], codes=np.where(np.arange(200) < 10, -1, table["ill"].codes).astype(np.int32))
    one = Table({**table.columns, "ill": empty}, table.quasi, table.sensitive)
    with pytest.raises(RequirementNotMet, match="could not be measured"):
        classifier_accuracy(*released(one, np.where(np.arange(200) < 10, 0, -1)), "ill")


def test_a_release_in_which_all_have_one_class_predicts_that_class() -> None:
    table = workers(400, 1)
    none = np.flatnonzero(table["ill"].values[table["ill"].codes] == "none")
    groups = np.full(400, -1)
    groups[none] = 0
    found = classifier_accuracy(*released(table, groups), "ill")
    assert 0 < found.accuracy_released < found.accuracy_raw
    assert found.accuracy_released == found.baseline


def test_what_cannot_be_learned_is_refused_without_a_value_in_the_message(make_people: PEOPLE) -> None:
    table, published, groups = released(make_people(200, 1, gaps=False), np.arange(200) // 5)
    many = make_people(200, 1, gaps=False, pay=np.arange(200) + 1234.5)
    same = make_people(200, 1, gaps=False, ill="flu")
    absent = make_people(200, 1, gaps=False, ill=None)
    cases = [
        ((table, published, groups, "il"), "Did you mean 'ill'"),
        ((table, published, groups, "habits"), "does not have between 1 and 100 classes"),
        ((*released(many, groups), "pay"), "does not have between 1 and 100 classes"),
        ((*released(absent, groups), "ill"), "does not have between 1 and 100 classes"),
        ((*released(same, groups), "ill"), "fewer than two classes"),
        ((*released(make_people(99, 1, gaps=False), np.arange(99) // 5), "ill"), "99 rows have"),
        ((table, published, groups[::-1], "ill"), "not the input rows in their order"),
        ((table.take(np.arange(200)[::-1]), published, groups, "ill"), "not the input rows in their order"),
        ((table, published, groups[:-1], "ill"), "not the input rows in their order"),
        ((table, replace(published, cells={}, sensitive={"ill": table["ill"]}), groups, "ill"), "no column but the target"),
        ((table, published, groups, "ill", 1, 1.0), "share of rows to test"),
        ((table, published, groups, "ill", 1, float("nan")), "share of rows to test"),
    ]
    for given, words in cases:
        with pytest.raises(InputRejected, match=words) as refused:
            classifier_accuracy(*given)
        assert "flu" not in str(refused.value)
        assert "1234.5" not in str(refused.value)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_classifier_that_did_not_settle_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_learning, "STEPS", 2)
    with pytest.raises(RequirementNotMet, match="did not converge"):
        classifier_accuracy(*released(workers(300, 1), np.arange(300)), "ill")
