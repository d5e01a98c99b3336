from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headgate.core.errors import InputRejected, IntegrityBroken
from headgate.released.description import described, insensitive_columns
from headgate.released.released_tables import release_of
from tests.unit.headgate.released.tiny_releases import frame, manifest, of_tables, quasi, release, sensitive


def texts(cells: pd.Series) -> list[str | None]:
    return [None if pd.isna(cell) else str(cell) for cell in cells]


def test_each_generalized_cell_is_given_with_its_parts() -> None:
    found = release(
        age=["3", "[1..2]", "*", None],
        weight=["[1.5..2]", "3", "*", None],
        seen=["2024-02", "2024-01-05", "*", None],
        grade=["[low..middle]", "high", "*", None],
        eye=["{blue|brown}", "{|green}", "*", None],
        town=["t1", "south", "*", None],
        era=["young", "70", "*", None],
        income=[1, 2, 3, 4],
    )["table-1"]
    shown = found.frame
    assert texts(shown["age"]) == ["3", "[1..2]", "*", None]
    assert str(shown["age low"].dtype) == str(shown["age high"].dtype) == "Int64"
    assert texts(shown["age low"]) == ["3", "1", "0", None]
    assert texts(shown["age high"]) == ["3", "2", "5", None]
    assert shown["weight high"].tolist()[:3] == [2, 3, 8]
    assert np.isnan(shown["weight low"].iloc[3])
    assert [str(day)[:10] for day in shown["seen low"]] == ["2024-02-01", "2024-01-05", "2024-01-01", "NaT"]
    assert [str(day)[:10] for day in shown["seen high"]] == ["2024-02-29", "2024-01-05", "2024-03-01", "NaT"]
    assert shown["seen low"].dtype.kind == "M"
    assert texts(shown["grade low"]) == ["low", "high", "low", None]
    assert shown["grade high"].cat.ordered
    assert (shown["grade high"] < "high").tolist() == [True, False, False, False]
    assert shown["eye values"].tolist() == [("blue", "brown"), (None, "green"), (None, "blue", "brown", "green"), None]
    assert texts(shown["town level"]) == ["0", "1", "2", None]
    assert texts(shown["era level"]) == ["1", "0", "2", None]
    assert texts(shown["era low"]) == ["20", "70", "20", None]
    assert texts(shown["era high"]) == ["30", "70", "70", None]
    assert found.hierarchies["town"].iloc[0].tolist() == ["t1", "north", "*"]


def test_sensitive_columns_have_the_type_of_their_kind() -> None:
    columns = {
        "age": ["1", "2"],
        "income": ["1.5", None],
        "kids": ["3", None],
        "ill=flu": ["1", None],
        "school": ["secondary", None],
        "m1": ["0.5", None],
        "m2": ["1", None],
        "born": ["2024-01-02", None],
        "job": ["nurse", None],
    }
    shown = release(**columns)["table-1"].frame
    kinds = {name: str(shown[name].dtype) for name in columns}
    assert kinds["income"] == kinds["m1"] == kinds["m2"] == "float64"
    assert kinds["kids"] == kinds["ill=flu"] == "Int64"
    assert kinds["school"] == "category"
    assert kinds["born"] == "datetime64[s]"
    assert kinds["job"] == "str"
    assert [texts(shown[name])[1] for name in columns if name != "age"] == [None] * 8
    assert texts(shown["born"])[0] == "2024-01-02 00:00:00"
    assert shown["group"].tolist() == [1, 2]


def test_parts_take_names_that_no_published_column_has() -> None:
    """A column was called `age low`: its cells would have been replaced by those of a part."""
    promise = {
        "people_checked": True,
        "quasi": [quasi("age", "integer", domain=[0, 9]), quasi("age low", "integer", domain=[0, 9])],
        "sensitive": [sensitive("age high", "category"), sensitive('a "b" | c', "number"), sensitive("größe, 名", "category")],
    }
    cells = frame(**{"age": ["[1..2]"], "age low": ["7"], "age high": ["x"], 'a "b" | c': [2], "größe, 名": ["ä"]})
    said = manifest({"table-1": cells}, promise=promise)
    said["tables"][0]["sensitive"] = ["age high", 'a "b" | c', "größe, 名"]
    table = release_of(described(said), lambda _: cells)["table-1"]
    assert table.parts["age"] == {"low": "age low 2", "high": "age high 2"}
    assert table.parts["age low"] == {"low": "age low low", "high": "age low high"}
    row = table.frame.iloc[0]
    assert (row["age low"], row["age high"], row["age low 2"], row["age high 2"]) == ("7", "x", 1, 2)
    assert table.estimate("mean", 'a "b" | c', "'größe, 名' == ä and \"age low\" == 7").lowest == 2


def test_published_ends_of_cells_are_given_under_their_names() -> None:
    cells = frame(age=["[1..2]"], **{"from": [1], "to": [2]}, income=[3])
    said = manifest({"table-1": cells})
    said["promise"]["quasi"][0]["bounds"] = ["from", "to"]
    table = release_of(described(said), lambda _: cells)["table-1"]
    assert table.parts["age"] == {"low": "from", "high": "to"}
    assert list(table.frame.columns) == ["age", "from", "to", "income", "group"]


def test_insensitive_columns_are_texts_unless_the_data_dictionary_says_more() -> None:
    cells = frame(age=["1", "2"], income=[3, 4], visits=["7", None])
    said = manifest({"table-1": cells})
    said["tables"][0]["insensitive"] = ["visits"]
    package = {
        "resources": [
            {"schema": {"fields": [{"name": "age", "role": "quasi"}, {"name": "visits", "role": "insensitive", "kind": "integer"}]}}
        ]
    }
    plain = release_of(described(said), lambda _: cells)["table-1"]
    typed = release_of(described(said), lambda _: cells, insensitive_columns(package))["table-1"]
    assert (str(plain.frame["visits"].dtype), str(typed.frame["visits"].dtype)) == ("str", "Int64")
    assert typed.estimate("mean", "visits").expected == 7
    with pytest.raises(IntegrityBroken, match="not a data dictionary"):
        insensitive_columns({"resources": [{"schema": None}]})


def test_tables_are_found_by_their_names() -> None:
    both = of_tables({"table-1": frame(age=["1"], income=[1]), "table-2": frame(age=["1"], job=["x"])})
    assert list(both) == ["table-1", "table-2"]
    assert len(both) == 2
    assert "table-3" not in both
    with pytest.raises(InputRejected, match="no table 'table-3'") as caught:
        _ = both["table-3"]
    assert "table-1, table-2" in caught.value.cure


def test_cells_that_are_not_those_of_the_manifest_are_refused() -> None:
    cells = frame(age=["1"], income=[1])
    said = manifest({"table-1": cells})
    said["tables"][0]["rows"] = 2
    with pytest.raises(IntegrityBroken, match="not the table that the manifest describes"):
        release_of(described(said), lambda _: cells)
    said = manifest({"table-1": cells})
    with pytest.raises(IntegrityBroken, match="group numbers"):
        release_of(described(said), lambda _: cells.assign(group="x"))


def test_values_of_a_set_are_asked_in_the_table_that_has_them() -> None:
    """A set whose values lie in several tables ended as a defect."""
    both = of_tables({"table-1": frame(age=["1", "2"], job=["x", "y"]), "table-2": frame(**{"age": ["1", "2"], "ill=flu": ["1", None]})})
    assert both.estimate("count", where="ill has flu").table == "table-2"
    assert both.estimate("count", where="ill is missing").expected == 1
    assert both["table-2"].estimate("count", where="ill is not missing").expected == 1
    for where in ("ill has cold", "ill has flu and job == x", "job has flu"):
        with pytest.raises(InputRejected):
            both.estimate("count", where=where)
    with pytest.raises(InputRejected, match="'ill' is a set") as caught:
        both.estimate("count", where="ill == flu", table="table-2")
    assert caught.value.cure == "Ask for a value, such as ill has VALUE."
