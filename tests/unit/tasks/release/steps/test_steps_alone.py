"""The steps of a release, each called with its arguments and nothing else, on a clinic of sixty people."""

from __future__ import annotations

import threading

import pytest

from policies.sealed.specs import insensitive_tables
from tasks.release.steps.anonymize_tables import anonymize_table, release_everybody
from tasks.release.steps.choose_plan import choose_plan
from tasks.release.steps.expect_tables import expect_published, expect_source, refuse_failed
from tasks.release.steps.gate_tables import gate_table
from tasks.release.steps.ingest_source import ingest_source
from tasks.release.steps.transform_source import suppress_cells, transform_source
from tasks.release.steps.write_tables import write_table
from tests.unit.tasks.release.finished import finish


def test_every_step_up_to_the_verdicts_stands_alone(begin):
    made = finish(begin(dictionaries=[{"source": True, "on": ["sex"]}]))
    refuse_failed(made.run, expect_source(made.run, made.read))
    for checked in made.checked:
        refuse_failed(made.run, checked)
        assert checked.successful == checked.expectations > 10
    judgement = made.run.spool.get(made.judged.judgement)
    assert made.judged.verdicts == len(judgement.verdicts) > 0
    assert made.judged.failed == sum(not verdict.passed for verdict in judgement.verdicts)
    assert made.attacked.attempts == len(made.run.spool.get(made.attacked.attacked).sentences) > 0
    plan = made.run.spool.get(made.planned.plan)
    shown = [made.run.spool.get(table.published) for table in made.gated]
    assert [tuple(table.sensitive) for table in shown] == list(plan.tables)
    assert [tuple(table.insensitive) for table in shown] == list(insensitive_tables(made.run.policy, len(shown)))


@pytest.mark.slow
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


def test_the_bytes_of_each_table_are_read_once_and_whatever_follows_uses_that_parse(begin):
    """A file that changes after it was read back changes no figure: sealing refuses it, for its digest is pinned."""
    made = begin(dictionaries=[{"source": True, "on": ["sex"]}])
    run = made.run
    transformed = transform_source(run, made.read, made.dictionaries, suppress_cells(run, made.read, made.dictionaries))
    planned = choose_plan(run, transformed)
    agreed = release_everybody(run, transformed)
    written = write_table(run, transformed, planned, agreed, anonymize_table(run, planned, agreed, planned.groups, "table-1"))
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
