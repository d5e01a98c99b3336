from __future__ import annotations

import numpy as np

from headgate.core.published_form.published_table import PublishedCells
from headgate.risk.candidates.consistency import consistent_individuals
from headgate.risk.disclosure.what_if import coarser_cells
from tasks.reading.dictionaries import encode_dictionaries
from tasks.reading.ingest import ingest


def test_whom_a_mask_covers_is_found_though_the_source_lacks_his_value(clinic):
    """34* covered 34009 only if somebody in the source lived there: people elsewhere counted as nobody, and nobody is no risk."""
    clinic.policy["attributes"]["region"] = {"role": "quasi", "kind": "category", "hierarchy": {"mask": 2}}
    clinic.policy["gates"]["disclosure"] = {"max": 1, "dictionaries": [{"path": "held.csv", "on": ["region", "age"]}]}
    clinic.policy["attributes"]["age"]["hierarchy"] = {"widths": [10, 100]}
    region = clinic.rows[0]["region"]
    (clinic.folder / "held.csv").write_text(f"region,age\n{region[:-1]}~,{95}\n")
    loaded = clinic.load()
    table = ingest(loaded).table
    columns = encode_dictionaries(loaded, table).encoded["held.csv"]
    cells = {
        "region": PublishedCells(np.zeros(1, dtype=np.int32), np.array([region[:-1].replace("[", "\\[") + "*"], dtype=object)),
        "age": PublishedCells(np.zeros(1, dtype=np.int32), np.array(["[90..99]"], dtype=object)),
    }
    assert consistent_individuals(cells, columns, ["region", "age"]).tolist() == [1]
    assert coarser_cells(cells["age"], columns["age"]).texts.tolist() == ["[0..99]"]
