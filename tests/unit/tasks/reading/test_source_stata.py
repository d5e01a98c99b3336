from __future__ import annotations

import pandas as pd
import pyreadstat

from tasks.reading.source_stata import READER


def test_what_the_file_marks_as_missing_is_missing(tmp_path) -> None:
    """Of Stata's 27 ways of missing, each is missing."""
    path = tmp_path / "t.dta"
    cells = [1.0, "a", 2.0]
    pyreadstat.write_dta(pd.DataFrame({"sex": cells}), path, missing_user_values={"sex": ["a"]})
    source = READER.open_recognized(path.read_bytes(), "t.dta", "The source t.dta")
    assert source is not None
    assert source.read(["sex"]).column("sex").to_pylist() == ["1", None, "2"]
