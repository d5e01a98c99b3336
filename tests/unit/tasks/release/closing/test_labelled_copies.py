"""The copies for statistics programs are made of the cells that were measured, and are pinned like every file."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyreadstat

from tasks.release.closing.labelled_copies import write_copies
from tasks.release.steps.choose_plan import insensitive_of, sensitive_of
from tasks.reporting.data_dictionary import data_dictionary
from tests.unit.tasks.release.finished import Made


def test_each_table_has_a_copy_per_format_with_the_cells_of_its_csv(finished: Made, tmp_path: Path) -> None:
    policy = finished.run.policy
    policy = policy.model_copy(update={"publish": policy.publish.model_copy(update={"formats": ("csv", "stata", "spss")})})
    run = replace(finished.run, loaded=replace(finished.run.loaded, policy=policy), stage=tmp_path)
    for table in finished.written:
        sensitive, insensitive = (of(finished.run, finished.planned, table.table) for of in (sensitive_of, insensitive_of))
        fields = data_dictionary(policy, run.spool.get(finished.planned.promise), sensitive, insensitive)
        copies = write_copies(run, table, fields)
        assert [copy.path for copy in copies] == [f"tables/{table.table}.dta", f"tables/{table.table}.sav"]
        for copy, reader in zip(copies, (pyreadstat.read_dta, pyreadstat.read_sav), strict=True):
            content = (tmp_path / copy.path).read_bytes()
            assert (copy.sha256, copy.bytes, copy.rows) == (hashlib.sha256(content).hexdigest(), len(content), 60)
            read, said = reader(tmp_path / copy.path)
            cells = pd.read_csv(finished.run.stage / table.files[0].path, dtype=str, keep_default_na=False)
            assert read["age"].tolist() == cells["age"].tolist()
            assert [label.split(":")[0] for label in said.column_labels] == list(cells.columns)
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == sorted(
        f"{table.table}.{ending}" for table in finished.written for ending in ("dta", "sav")
    )
