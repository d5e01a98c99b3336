"""Step 6: attacks are told in sentences, and nothing is judged by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tasks.release.steps import attack_tables as attacking
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.attack_tables import attack_tables
from tests.unit.tasks.release.finished import Made


def attacked_again(made: Made, **changes) -> tuple[str, ...]:
    made = replace(made, **changes)
    attacked = attack_tables(made.run, made.transformed, made.planned, made.agreed, made.written, made.gated, made.compared)
    sentences: tuple[str, ...] = made.run.spool.get(attacked.attacked).sentences
    assert attacked.attempts == len(sentences)
    return sentences


def test_each_table_is_attacked_and_all_of_them_together(finished: Made, canary) -> None:
    sentences = finished.run.spool.get(finished.attacked.attacked).sentences
    assert {sentence.partition(":")[0] for sentence in sentences} >= {"table-1", "table-2", "table-1 and table-2"}
    assert finished.attacked.attempts == len(sentences)
    assert canary not in " ".join(sentences)
    assert canary not in repr(finished.attacked)


def test_the_same_run_attacks_the_same_people(finished: Made) -> None:
    assert attacked_again(finished) == finished.run.spool.get(finished.attacked.attacked).sentences


def test_no_more_people_are_attacked_than_a_release_has_time_for(finished: Made, monkeypatch) -> None:
    monkeypatch.setattr(attacking, "PEOPLE", 7)
    assert all("of 7 people" in sentence for sentence in attacked_again(finished) if "Homogeneity" in sentence)


def test_only_people_who_were_released_are_attacked(finished: Made, monkeypatch) -> None:
    seen = []
    honest = attacking.finished
    monkeypatch.setattr(attacking, "finished", lambda *given: seen.append(given[2:4]) or honest(*given))
    kept = np.arange(60) % 2 == 0
    try:
        attacked_again(finished, agreed=Agreed(finished.run.spool.put(kept), 30))
    finally:
        ((table, original),) = seen
    assert table.rows == original.rows == 30
    assert table["income"].codes.tolist() == finished.encoded.table["income"].codes[kept].tolist()
