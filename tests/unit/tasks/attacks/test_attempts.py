"""Which attacks are tried on which tables, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate.core.columns import GROUP, Column
from headgate.core.published_form.published_table import PublishedTable, to_frame
from headgate.risk.disclosure.sensitivity import Sensitivity
from policies.attackers.attacker import Attacker
from policies.gates.verdict import Requirement
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tasks.attacks import attempts
from tasks.attacks.attempts import Attempt, Finished, gains_of, read_finished, try_attacks
from tasks.tables.write import write_published
from tests.unit.claimed import proximity, required
from tests.unit.headgate.attacks.planted import Small, drawn, small


def promise_of(*sensitive: SensitiveAttribute, epsilon: str | None = None) -> Promise:
    return Promise(
        requirements=(required("k", 1), required("linkability", 1), *(() if epsilon is None else (proximity(epsilon, "0.5"),))),
        quasi=(
            QuasiIdentifier(name="age", kind="integer", domain=(0, 120)),
            QuasiIdentifier(name="sex", kind="category", values=("f", "m")),
        ),
        sensitive=sensitive or (SensitiveAttribute(name="illness", kind="category"), SensitiveAttribute(name="job", kind="category")),
    )


def projected(case: Small) -> tuple[PublishedTable, ...]:
    """One table has both attributes; of several each has another than the one before."""
    if len(case.published) == 1:
        return tuple(case.published)
    chosen = [("illness", "job")[number % 2] for number in range(len(case.published))]
    return tuple(replace(table, sensitive={name: table.sensitive[name]}) for table, name in zip(case.published, chosen, strict=True))


def finished_of(case: Small, promise: Promise, attackers: tuple[Attacker, ...] = ()) -> Finished:
    cells = {table.name: to_frame(table, number)[["age", "sex", GROUP]] for number, table in enumerate(projected(case))}
    return Finished(promise, projected(case), cells, case.table, case.table, attackers)


def holder(columns: Mapping[str, Column], name: str = "data/register.csv") -> Attacker:
    return Attacker(name, {key: columns[key] for key in ("age", "sex")}, ("age", "sex"), Sensitivity.fixed())


def tried(finished: Finished, most: int = 1000) -> tuple[Attempt, ...]:
    return try_attacks(finished, most, np.random.default_rng(1))


def test_each_table_and_each_with_the_next_is_attacked() -> None:
    case = drawn(3, 3)
    found = tried(finished_of(case, promise_of(), (holder(case.table.columns),)))
    per_table = {"Homogeneity": 3, "Background join": 2, "Dictionary linking": 3, "Linkage by order": 2, "Intersection": 1}
    assert {name: sum(one.attack == name for one in found) for name in per_table} == per_table
    assert len(found) == sum(per_table.values())
    assert [one.where for one in found if one.attack == "Linkage by order"] == ["t0 and t1", "t1 and t2"]
    assert [one.where for one in found if one.attack == "Intersection"] == ["t0 to t2"]
    assert all(one.sentence.startswith(f"{one.where}: ") for one in found)


def test_one_table_alone_is_not_compared_with_itself() -> None:
    found = tried(finished_of(drawn(3, 1), promise_of()))
    assert {one.attack for one in found} == {"Homogeneity", "Background join"}


def test_no_more_people_are_attacked_than_asked() -> None:
    case = drawn(4, 2)
    assert case.table.rows > 5
    found = tried(finished_of(case, promise_of(), (holder(case.table.columns),)), 5)
    assert {one.success.people for one in found if one.success is not None and one.attack != "Intersection"} == {5}


def test_fewer_people_are_looked_for_in_a_large_dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    case = drawn(4, 1)
    monkeypatch.setattr(attempts, "MOST_PAIRS", 3 * case.table.rows)
    found = tried(finished_of(case, promise_of(), (holder(case.table.columns),)))
    (linking,) = (one for one in found if one.attack == "Dictionary linking")
    assert linking.success is not None
    assert linking.success.people == 3
    assert "'register.csv'" in linking.sentence  # a folder says nothing here


def test_the_attribute_with_most_to_gain_in_sensitive_values_stands_for_the_table() -> None:
    """Jobs are known of everybody and no secret; illnesses are a secret, and known of everybody by their groups."""
    rows = [(20 + 10 * (i // 4), "f", "ab"[i // 4], "xy"[i // 4]) for i in range(8)]
    case = small(rows, [i // 4 for i in range(8)])
    harmless = replace(case.table["job"], sensitive=np.zeros(3, dtype=bool))
    for name in ("illness", "job"):
        columns = {**case.published[0].sensitive, "job": replace(harmless, codes=case.published[0].sensitive["job"].codes)}
        turned = {key: columns[key] for key in sorted(columns, reverse=name == "job")}  # ties would go to the first
        table = replace(case.published[0], sensitive=turned)
        finished = replace(finished_of(case, promise_of()), tables=(table,))
        (found,) = (one for one in tried(finished) if one.attack == "Homogeneity")
        assert found.success is not None
        assert "'illness'" in found.success.guess


def test_neighbourhoods_are_those_promised_of_the_attribute_or_else_of_all() -> None:
    case = drawn(5, 1)
    pay = replace(case.table["age"], name="pay", sensitive=np.ones(len(case.table["age"].values) + 1, dtype=bool))
    table = replace(case.published[0], sensitive={"illness": case.published[0].sensitive["illness"], "pay": pay})
    source = replace(case.table, columns={**case.table.columns, "pay": pay})
    promise = promise_of(SensitiveAttribute(name="illness", kind="category"), SensitiveAttribute(name="pay", kind="number"), epsilon="0.02")

    def guesses(promise: Promise) -> list[str]:
        finished = replace(finished_of(case, promise), tables=(table,), people=source, original=source)
        return [one.success.guess for one in tried(finished) if one.attack == "Proximity" and one.success is not None]

    own = proximity("0.05", "0.5", "pay")
    assert [guess[:44] for guess in guesses(promise)] == ["the centre of the largest 0.02-neighbourhood"]
    assert [guess[:44] for guess in guesses(promise.requiring(own))] == ["the centre of the largest 0.05-neighbourhood"]
    assert "'pay'" in guesses(promise)[0]
    assert guesses(promise.without("dissimilarity")) == []  # without ε there is no neighbourhood
    everything = proximity("1", "0", "pay")
    assert guesses(promise.requiring(everything)) == []  # everything is near everything
    in_units = required("dissimilarity", "0.5", "pay", epsilon="2", units="own")  # as a share it would be everything
    within = finished_of(case, promise.requiring(in_units))
    within = replace(within, tables=(table,), people=source, original=source)
    (near,) = (one for one in tried(within) if one.attack == "Proximity")
    assert near.success is not None
    assert near.success.guess.startswith("the centre of the largest 2-neighbourhood")
    assert near.success.right < len(case.rows)
    assert near.who.endswith("knows 'pay' up to what counts as alike (within 2 of each other)")


def test_what_an_attack_gains_is_counted_in_sensitive_values_and_said_in_plain_words() -> None:
    """Two groups, in each of which all have one illness: x is known of everybody in its group, and no secret."""
    rows = [(20 + 10 * (i // 3), "f", "ab"[i // 3], "xy"[i % 2]) for i in range(6)]
    case = small(rows, [i // 3 for i in range(6)])
    half = np.array([True, False, True])
    illness = replace(case.published[0].sensitive["illness"], sensitive=half)
    finished = replace(finished_of(case, promise_of()), tables=(replace(case.published[0], sensitive={"illness": illness}),))
    (homogeneity,) = gains_of(tried(finished))
    assert (homogeneity.attack, homogeneity.people, homogeneity.right, homogeneity.right_overall, homogeneity.drawn) == (
        "homogeneity",
        6,
        3,
        3,
        False,
    )
    assert homogeneity.who == "somebody who finds a person's group in t0 is right about a sensitive value of 'illness'"
    assert {gain.drawn for gain in gains_of(tried(finished, 3))} == {True}


def test_a_gate_on_intersection_has_one_table_compared_with_itself() -> None:
    wanted = Requirement(gate="attack", bound="intersection", required="0.5")
    found = gains_of(tried(finished_of(drawn(3, 1), promise_of().requiring(wanted))))
    assert {gain.attack for gain in found} == {"homogeneity", "background_join", "intersection"}


def test_each_kind_of_attack_says_who_does_what() -> None:
    case = drawn(3, 2)
    found = gains_of(tried(finished_of(case, promise_of(), (holder(case.table.columns),))))
    said = {gain.attack: gain.who for gain in found}
    assert said["background_join"].startswith("somebody who puts t0 and t1 side by side and knows a person's '")
    assert said["dictionary_linking"] == "somebody who holds 'register.csv' and looks up records of t1 names the right person"
    assert said["intersection"] == "somebody who compares a person's groups in t0 and t1 names the right person"
    assert [gain.drawn for gain in found if gain.attack == "dictionary_linking"] == [True, True]


def test_a_table_in_which_nothing_can_be_guessed_is_said_and_measures_nothing() -> None:
    case = drawn(3, 1)
    finished = replace(finished_of(case, promise_of()), tables=(replace(case.published[0], sensitive={}),))
    (homogeneity,) = tried(finished)
    assert homogeneity.sentence == "t0: Homogeneity was not tried: no sensitive attribute has one value per person."
    assert homogeneity.gain.largest_gain is None


def test_too_many_different_people_are_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    case = small([(20, "f", "a", "x"), (21, "m", "b", "y"), (22, "f", "a", "x")], [0, 0, 0], [0, 0, 0])
    monkeypatch.setattr(attempts, "MOST_CELLS", 2)
    (found,) = (one for one in tried(finished_of(case, promise_of())) if one.attack == "Intersection")
    assert found.success is None
    assert (
        found.sentence
        == "t0 and t1: Intersection was not tried: at most 2 combinations of quasi-identifiers are compared, and there are 3."
    )


def test_written_files_are_attacked_as_the_tables_were(tmp_path: Path) -> None:
    case = drawn(6, 2)
    files = {table.name: [tmp_path / write_published(table, tmp_path, seed=number)[0].path] for number, table in enumerate(projected(case))}
    read = read_finished(promise_of(), files, case.table, case.table, ())
    guessed = ("Homogeneity", "Intersection")
    again, before = (
        [one.sentence for one in tried(finished) if one.attack in guessed] for finished in (read, finished_of(case, promise_of()))
    )
    assert again == before
    assert [one.sentence for one in tried(read) if one.attack == "Linkage by order"] == [
        one.sentence for one in tried(finished_of(case, promise_of())) if one.attack == "Linkage by order"
    ]


def test_people_are_matched_by_what_was_anonymized_and_guessed_by_what_is_true(tmp_path: Path) -> None:
    """A policy may suppress cells before there are groups."""
    case = small([(20, None, None, "x"), (30, "f", "b", "y")], [0, 1])
    whole = small([(20, "m", "a", "x"), (30, "f", "b", "y")], [0, 1])
    files = {"t0": [tmp_path / write_published(case.published[0], tmp_path, seed=1)[0].path]}
    read = read_finished(promise_of(), files, case.table, whole.table, ())
    assert read.people["sex"].codes.tolist() == case.table["sex"].codes.tolist()
    assert read.people["illness"].codes.tolist() == whole.table["illness"].codes.tolist()
    assert read.original["sex"].codes.tolist() == whole.table["sex"].codes.tolist()
