"""Step 6: attacks are told in sentences, and nothing is judged by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headgate.series.kept_version import kept_version
from headgate.series.with_earlier import together
from policies.gates.series_figures import SeriesFigures
from tasks.attacks import series_attempts
from tasks.release.steps import attack_tables as attacking
from tasks.release.steps.anonymize_tables import Agreed
from tasks.release.steps.attack_tables import attack_tables
from tasks.series.seen_together import SeenTogether
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


def seen_twice(made: Made, nowhere: range) -> SeenTogether:
    """As if the same version had been published before; and as if these rows were in none."""
    tables = [made.run.spool.get(table.published) for table in made.gated]
    whose = [made.run.spool.get(table.people) for table in made.written]
    new, own = kept_version(made.run.spool.get(made.read.people), list(zip(tables, whose, strict=True)))
    return SeenTogether(together([new], new, own, ["income", "education"]), np.array(nowhere, dtype=np.int64))


def test_it_is_attacked_together_with_the_versions_before(finished: Made, monkeypatch, canary) -> None:
    told = SeriesFigures(earlier=("ab" * 32,), people=60, several=50)
    seen = replace(
        finished.compared, together=finished.run.spool.put(seen_twice(finished, range(12))), figures=finished.run.spool.put(told)
    )
    before, sentences = attacked_again(finished), attacked_again(finished, compared=seen)
    assert sentences[: len(before)] == before
    *series, control = sentences[len(before) :]
    assert [sentence.split("'")[1] for sentence in series] == ["income", "education"]
    assert all("of 50 people; guessing from the whole table instead" in sentence for sentence in series)
    assert control.endswith("at least 100 people are needed who are known to be in no version, but only 12 can be looked for.")
    monkeypatch.setattr(series_attempts, "FEWEST", 12)
    monkeypatch.setattr(attacking, "PEOPLE", 12)
    controlled = attacked_again(finished, compared=seen)[-2:]
    assert all("Of 12 people who are in no version, the same guesses are right for " in sentence for sentence in controlled)
    assert canary not in " ".join((*sentences, *controlled))


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
