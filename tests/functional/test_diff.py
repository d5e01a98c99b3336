"""A published version is compared with the dataset's next candidate, as an approver of that one would."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.functional.conftest import people

PERSON = "person: person\n"
SERIES = ", series: {linkability: 1, changed: 1}"  # everybody has other values in the second version


@pytest.mark.long
def test_the_next_candidate_is_compared_with_what_is_published(project: Any) -> None:
    project.write_policy(more=PERSON, gates=SERIES)
    first, folder = project.published()
    project.write_source(people(count=320, seed=2))
    project.write_policy(more=PERSON, k=6, gates=f"{SERIES}, distinct_l: {{education: 2}}")
    policy = project.policy.read_text(encoding="utf-8").replace("formats: [csv, parquet]", "formats: [csv, spss]")
    project.policy.write_text(policy, encoding="utf-8")
    second = str(project._release()["candidate"])

    said = project.run("diff", first[:12], second[:12])
    assert said.code == 0, said.err
    assert "programs written for the earlier version would break" in said.out
    found = project.run("diff", first, second, "--json").json
    assert {change["key"]: (change["before"], change["after"]) for change in found["policy"]} == {
        "anonymize.k": ("5", "6"),
        "gates.distinct_l.education": (None, "2"),
        "publish.formats": ('["csv", "parquet"]', '["csv", "spss"]'),
    }
    assert "tables/table-1.parquet is gone." in [change["sentence"] for change in found["readers"] if change["breaks"]]
    assert "tables/table-1.sav is new." in [change["sentence"] for change in found["readers"] if not change["breaks"]]
    k = [change for change in found["gates"] if change["gate"] == "k"]
    assert {(change["stricter"], change["better"]) for change in k} == {(True, True)}
    assert not found["same_source"]
    assert 0 < found["columns"][0]["total_variation"] < 0.3

    sealed = project.home / "candidates" / second
    told = json.loads((sealed / "changes.json").read_text(encoding="utf-8"))
    counted, roughly = found.pop("people"), told.pop("people")
    assert told == {**{name: part for name, part in found.items() if name != "policy"}, "after": {**found["after"], "candidate": ""}}
    assert (counted["exact"], roughly["exact"]) == (True, False)
    assert roughly["came"] - roughly["left"] == counted["came"] - counted["left"]
    assert roughly["came"] > counted["came"] > 0
    assert f"People: {counted['both']} are in both, {counted['came']} came, and {counted['left']} left." in said.out
    report = (sealed / "report.html").read_text(encoding="utf-8")
    assert "<code>anonymize.k</code>" in report
    assert "Programs that were written for that version would break:" in report
    for approver in ("alice", "bob"):
        assert project.run("approve", second, "--key", project.keys[approver], "--reason", "read").code == 0
    version = Path(project.run("publish", second, "--json").json["folder"])
    verified = project.run("verify", version)
    assert verified.code == 0, verified.out
    assert "changes.json" in verified.out

    folders = project.run("diff", folder, folder, "--json").json
    assert (folders["policy"], folders["readers"], folders["gates"], folders["figures"]) == (None, [], [], [])
    own = project.run("diff", project.policy, second, "--json")
    assert own.json == {"policy": []}
    wrong = project.run("diff", first, "deadbeef")
    assert (wrong.code, wrong.out) == (2, "")

    shutil.rmtree(sealed)
    third = project._release()
    assert "cannot be read in the home any more" in (Path(third["folder"]) / "report.html").read_text(encoding="utf-8")
    assert not (Path(third["folder"]) / "changes.json").exists()
