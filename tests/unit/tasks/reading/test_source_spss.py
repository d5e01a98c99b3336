from __future__ import annotations

import pandas as pd
import pyreadstat

from tasks.reading.source_spss import READER


def test_what_the_file_marks_as_missing_is_missing(tmp_path) -> None:
    """A number that the file calls missing is missing."""
    path = tmp_path / "t.sav"
    cells = [1.0, 9.0, 2.0]
    pyreadstat.write_sav(pd.DataFrame({"sex": cells}), path, missing_ranges={"sex": [9]})
    source = READER.open_recognized(path.read_bytes(), "t.sav", "The source t.sav")
    assert source is not None
    assert source.read(["sex"]).column("sex").to_pylist() == ["1", None, "2"]
