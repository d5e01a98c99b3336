"""The steps of a release, each called with its arguments and nothing else, on a clinic of sixty people."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from policies.sealed.specs import insensitive_tables
from tasks.release.steps import gate_tables as gate
from tasks.release.steps.anonymize_tables import anonymize_table, release_everybody
from tasks.release.steps.choose_plan import NotPlanned, choose_plan
from tasks.release.steps.expect_tables import expect_published, expect_source, refuse_failed
from tasks.release.steps.gate_tables import gate_table
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.transform_source import suppress_cells, transform_source
from tasks.release.steps.whose_records import whose_records
from tasks.release.steps.write_tables import write_table
from tasks.tables.read_published import read_published
from tests.unit.tasks.release.finished import finish


def test_the_number_told_is_that_of_the_cells_that_are_gone_and_sets_go_whole(begin):
    made = begin()
    run = made.run
    before = run.spool.get(made.read.ingested).table
    suppressed = suppress_cells(run, made.read, made.dictionaries)
    after = run.spool.get(suppressed.table)
    gone = {name: int((before[name].codes != after[name].codes).sum()) for name in before.columns}
    assert sum(suppressed.cells.values()) == sum(gone.values()) > 0
    assert suppressed.cells == {name: number for name, number in gone.items() if number}
    present = sum((before[name].codes >= 0).astype(int) for name in (*before.quasi, *before.sensitive))
    left = sum((after[name].codes >= 0).astype(int) for name in (*before.quasi, *before.sensitive))
    assert left.tolist() == np.minimum(present, 5).tolist()
    encoded = run.spool.get(transform_source(run, made.read, made.dictionaries, suppressed).encoded)
    bits = [column for column in encoded.table.columns.values() if column.origin == "diagnosis"]
    for bit in bits:
        assert ((bit.codes < 0) == (after["diagnosis"].codes < 0)).all()
    for bit in bits:
        assert (encoded.original[bit.name].codes >= 0).all()


def test_attackers_and_count_queries_still_have_the_cells_that_are_gone(begin, monkeypatch):
    asked = []
    counted = gate.count_query_error
    monkeypatch.setattr(gate, "count_query_error", lambda table, *others: asked.append(table) or counted(table, *others))
    made = begin(dictionaries=[{"source": True, "on": ["age", "sex"]}])
    before = made.run.spool.get(made.read.ingested).table
    finish(made)
    (attacker,) = made.encoded.attackers
    assert sum(made.suppressed.cells.get(name, 0) for name in ("age", "sex")) > 0
    for name in ("age", "sex"):
        assert attacker.dictionary[name].codes.tolist() == before[name].codes.tolist()
        assert (attacker.dictionary[name].codes >= 0).all()
    assert len(asked) == len(made.planned.names)
    for table in asked:
        assert table["age"].codes.tolist() == before["age"].codes.tolist() != made.encoded.table["age"].codes.tolist()


def test_people_keep_their_own_wishes_through_a_release(begin, clinic):
    wishes = {row["patient_id"]: place for place, row in enumerate(clinic.rows)}
    lines = [f"{who},{wish}" for who, wish in sorted(wishes.items(), reverse=True)]
    (clinic.folder / "people.csv").write_text("\n".join(["patient_id,all", *lines]) + "\n")
    cost = {"form": "additive", "weights": {"age": 1, "education": 1}, "people": {"path": "people.csv", "key": "patient_id"}}
    made = finish(begin(sensitivity=cost, dictionaries=[{"source": True, "on": ["sex"]}]))
    (attacker,) = made.encoded.attackers
    for written in made.written:
        published = read_published(made.run.stage / written.files[0].path, made.encoded.promise, written.table)
        people = whose_records(made.run.spool.get(written.people), published, made.encoded.table)
        assert sorted(people) == list(range(60))
        found = attacker.threat(published, people).risk
        here = "education" in published.sensitive
        for record, who in enumerate(people.tolist()):
            shown = str(published.cells["age"].texts[published.cells["age"].codes[record]]) not in ("", "*")
            shown += here and made.encoded.table["education"].codes[who] >= 0
            assert found.per_record[record] * found.consistent[record] == pytest.approx(who * shown)


def test_a_plan_that_discloses_too_much_is_refused_with_the_step_that_would_be_enough(begin):
    """Thirty of the sixty are of either sex; with their ages they are fewer."""
    made = begin(keep=7, dictionaries=[{"source": True, "on": ["age", "sex"]}], min_candidates=30)
    suppressed = suppress_cells(made.run, made.read, made.dictionaries)
    planned = choose_plan(made.run, transform_source(made.run, made.read, made.dictionaries, suppressed))
    assert isinstance(planned, NotPlanned)
    stopped = made.run.spool.get(planned.stopped)
    assert stopped.why.code == 3
    assert stopped.why.cure.startswith("For this table, one of these steps is enough: suppress age")
    assert stopped.why.required == 30.0
    assert stopped.table is not None
    assert stopped.exposures


def test_every_step_up_to_the_verdicts_stands_alone(begin):
    made = finish(begin(dictionaries=[{"source": True, "on": ["sex"]}]))
    refuse_failed(made.run, expect_source(made.run, made.read))
    for checked in made.checked:
        refuse_failed(made.run, checked)
        assert checked.successful == checked.expectations > 10
    judgement = made.run.spool.get(made.judged.judgement)
    assert made.judged.verdicts == len(judgement.verdicts) > 0
    assert made.judged.failed == sum(not verdict.passed for verdict in judgement.verdicts)
    assert made.attacked.attempts == len(made.run.spool.get(made.attacked.sentences)) > 0
    plan = made.run.spool.get(made.planned.plan)
    shown = [made.run.spool.get(table.measurement).published for table in made.gated]
    assert [tuple(table.sensitive) for table in shown] == list(plan.tables)
    assert [tuple(table.insensitive) for table in shown] == list(insensitive_tables(made.run.policy, len(shown)))


def test_the_same_seed_makes_the_same_release_on_any_number_of_threads(begin):
    """Groups and rows; their order is drawn anew for each release."""
    made = [finish(begin(workers=workers, dictionaries=[{"source": True, "on": ["sex"]}])) for workers in (1, 2, 4)]
    plans = [one.run.spool.get(one.planned.plan) for one in made]
    assert plans[0] == plans[1] == plans[2]
    for tables in zip(*(one.grouped for one in made), strict=True):
        groups = [one.run.spool.get(table.partition).groups.tolist() for one, table in zip(made, tables, strict=True)]
        assert groups[0] == groups[1] == groups[2]
    verdicts = [one.run.spool.get(one.judged.judgement).verdicts for one in made]
    assert verdicts[0] == verdicts[1] == verdicts[2]


def test_what_the_search_has_grouped_is_not_grouped_again(begin):
    made = begin()
    suppressed = suppress_cells(made.run, made.read, made.dictionaries)
    transformed = transform_source(made.run, made.read, made.dictionaries, suppressed)
    planned = choose_plan(made.run, transformed)
    asked, honest = [], made.run.engine.map
    made.run.engine.map = lambda jobs: asked.extend(jobs) or honest(jobs)
    everybody = release_everybody(made.run, transformed)
    for name in planned.names:
        assert anonymize_table(made.run, planned, everybody, name).partition in planned.groups
    assert asked == []
    kept = np.ones(60, dtype=bool)
    kept[3] = False
    grouped = anonymize_table(made.run, planned, type(everybody)(made.run.spool.put(kept), 1), "table-1")
    assert len(asked) == 1
    assert len(made.run.spool.get(grouped.partition).groups) == 59


def test_the_bytes_of_each_table_are_read_once_and_whatever_follows_uses_that_parse(begin):
    """A file that changes after it was read back changes no figure: sealing refuses it, for its digest is pinned."""
    made = begin(dictionaries=[{"source": True, "on": ["sex"]}])
    run = made.run
    transformed = transform_source(run, made.read, made.dictionaries, suppress_cells(run, made.read, made.dictionaries))
    planned = choose_plan(run, transformed)
    agreed = release_everybody(run, transformed)
    written = write_table(run, transformed, planned, agreed, anonymize_table(run, planned, agreed, "table-1"))
    before = run.spool.get(gate_table(run, transformed, planned, written).measurement).table.figures
    for file in written.files:
        (run.stage / file.path).unlink()
    refuse_failed(run, expect_published(run, made.read, transformed, planned, written))
    gated = gate_table(run, transformed, planned, written)
    assert run.spool.get(gated.measurement).table.figures == before


def test_steps_of_two_releases_in_one_process_do_not_meet(clinic, run_of):
    loaded = clinic.load()
    runs = [run_of(loaded, name=name) for name in ("one", "other")]
    reads: dict[str, object] = {}
    threads = [threading.Thread(target=lambda run=run: reads.update({run.release_id: ingest_source(run)})) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: read.rows for name, read in reads.items()} == {"one": 60, "other": 60}
    runs[0].spool.close()
    runs[0].stopping.set()
    assert choose_plan(runs[1], transform_source(runs[1], reads["other"])).steps > 0
