from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from headgate.core.errors import InputRejected
from tasks.formats.labelled_file import open_labelled, require_labels


@pytest.fixture
def content(tmp_path: Path) -> bytes:
    frame = pd.DataFrame({"id": [1.0, 2.0, 3.0], "sex": [1.0, 2.0, 9.0], "town": ["a", "", "ü"]})
    labels = {"sex": {1: "male", 2: "female"}, "id": {1: "same", 2: "same "}}
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_value_labels=labels, missing_ranges={"sex": [9]})
    return (tmp_path / "t.sav").read_bytes()


def test_cells_are_texts_and_marked_numbers_are_missing(content: bytes) -> None:
    file = open_labelled(pyreadstat.read_sav, content, None, "The source t.sav")
    assert file.read(["town", "sex", "id"], False).to_pydict() == {
        "town": ["a", None, "ü"],
        "sex": ["1", "2", None],
        "id": ["1", "2", "3"],
    }
    assert file.read(["sex"], True).to_pydict() == {"sex": ["male", "female", None]}


def test_two_numbers_with_one_label_are_refused(content: bytes) -> None:
    file = open_labelled(pyreadstat.read_sav, content, None, "The source t.sav")
    require_labels(file, ["sex"])
    with pytest.raises(InputRejected, match="Column 'id' of the source t.sav gives one label to several numbers"):
        require_labels(file, ["id"])


def test_what_it_unpacks_to_is_bounded_whatever_the_file_claims(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of rows in the header is not relied on: it is set to one here."""
    rows = content.index((3).to_bytes(4, "little"), 72)
    claimed = content[:rows] + (1).to_bytes(4, "little") + content[rows + 4 :]
    for name, value in (("CELLS", "5"), ("BYTES", "20")):
        with monkeypatch.context() as patch:
            patch.setenv(f"HEADGATE_MAX_{name}", value)
            with pytest.raises(InputRejected, match=f"more than {value} {name.lower()}"):
                open_labelled(pyreadstat.read_sav, content, None, "The source").read(["id", "sex"], False)
    assert open_labelled(pyreadstat.read_sav, claimed, None, "The source").read(["id"], False).num_rows <= 3


@pytest.mark.parametrize("length", [10, 200, 400])
def test_a_damaged_file_is_refused(content: bytes, length: int) -> None:
    with pytest.raises(InputRejected, match="damaged"):
        open_labelled(pyreadstat.read_sav, content[:length], None, "The source").read(["id"], False)
