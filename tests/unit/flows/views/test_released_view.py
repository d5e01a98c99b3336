from __future__ import annotations

import json

from flows.views.released_view import estimate_document, released_document, say_withdrawn
from tasks.verification.released_folder import ReleasedFolder
from tests.unit.headgate.released.tiny_releases import release


def test_an_estimate_is_one_object_of_plain_figures() -> None:
    found = release(suppressed=1, age=["[1..3]", "*"], income=[1, 2]).estimate("mean", "income", "age >= 2")
    document = estimate_document(found)
    assert list(document) == ["measure", "of", "where", "table", "lowest", "expected", "highest", "rows", "suppressed", "weight", "notes"]
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["measure"], document["lowest"], document["highest"], document["suppressed"]) == ("mean", 1, 2, 1)


def test_a_release_is_described_with_the_parts_of_its_cells() -> None:
    document = released_document(ReleasedFolder(release(age=["1"], town=["t1"], income=[1]), withdrawn=True))
    assert document["withdrawn"]
    assert document["tables"] == [
        {
            "name": "table-1",
            "rows": 1,
            "quasi": ["age", "town"],
            "sensitive": ["income"],
            "insensitive": [],
            "parts": {"age": {"low": "age low", "high": "age high"}, "town": {"level": "town level"}},
        }
    ]


def test_who_reads_a_withdrawn_version_is_told(capsys) -> None:
    say_withdrawn(ReleasedFolder(release(age=["1"], income=[1]), withdrawn=True))
    assert "was withdrawn" in capsys.readouterr().err
    say_withdrawn(ReleasedFolder(release(age=["1"], income=[1]), withdrawn=False))
    assert capsys.readouterr().err == ""
