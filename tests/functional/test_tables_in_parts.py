"""A release whose tables have more rows than one file should hold, from the policy to readers, attackers and the next version."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from contextlib import redirect_stdout
from pathlib import Path

import pandas as pd
import pytest

import headgate as hg
from tests.functional.conftest import Project
from tests.functional.test_guide_data_user import RSCRIPT, blocks

FORMATS = "formats: [csv, parquet]"


@pytest.mark.long
def test_a_release_in_parts_is_verified_read_attacked_and_compared_with_the_next(project: Project, tmp_path: Path) -> None:
    whole = project.write_policy(more="person: person\n").read_text(encoding="utf-8")
    project.policy.write_text(whole.replace(FORMATS, "formats: [csv, parquet, spss, ddi, croissant], rows_per_part: 70"), encoding="utf-8")
    candidate, folder = project.published()
    manifest = json.loads((folder / "manifest.json").read_text())
    for table in manifest["tables"]:
        assert sum(table["parts"]) == table["rows"] == manifest["rows"] - manifest["suppressed"]
        assert max(table["parts"]) <= 70
        assert table["path"] == f"tables/{table['name']}/part-00000.csv"
        assert (folder / "tables" / f"{table['name']}.sav").exists()
        parts = [pd.read_parquet(path) for path in sorted((folder / "tables" / table["name"]).glob("part-*.parquet"))]
        assert tuple(len(part) for part in parts) == tuple(table["parts"])
        assert len(hg.read(folder)[table["name"]].frame) == table["rows"]
    assert project.run("verify", folder).code == 0
    assert project.run("audit", "verify").code == 0
    assert project.run("attack", candidate).code == 0
    assert project.run("estimate", folder, "count", "--where", "age >= 40").code == 0
    names: dict[str, object] = {"folder": str(folder)}
    with redirect_stdout(io.StringIO()):
        for block in blocks("python"):
            exec(compile(block, "guide", "exec"), names)
    assert len(names["plain"]) == manifest["tables"][0]["rows"]  # type: ignore[arg-type]
    if RSCRIPT is not None:
        script = tmp_path / "guide.R"
        script.write_text(f'options(warn = 2)\nfolder <- "{folder}"\n' + "".join(blocks("r")), encoding="utf-8")
        done = subprocess.run([RSCRIPT, "--vanilla", str(script)], capture_output=True, text=True, timeout=120)
        assert done.stdout.startswith(f"{manifest['tables'][0]['rows']} rows"), done.stderr
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    first = copy / "tables" / "table-1" / "part-00000.csv"
    first.parent.chmod(0o755)
    first.unlink()
    assert project.run("verify", copy).code == 5
    project.policy.write_text(whole, encoding="utf-8")
    after = project._release()
    assert [table["path"] for table in after["tables"]] == [f"tables/{table['name']}.csv" for table in after["tables"]]
    told = project.run("diff", candidate, str(after["candidate"]))
    assert told.code == 0, told.err
    assert "tables/table-1/part-*.csv is gone." in told.out
