"""The examples of the guide for the data user run as they stand, on a release that was made and published here."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tests.functional.conftest import Project

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide-data-user.md"
RSCRIPT = shutil.which("Rscript")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.long
def test_the_python_examples_run(project: Project) -> None:
    _, folder = project.published()
    names: dict[str, object] = {"folder": str(folder)}
    printed = io.StringIO()
    with redirect_stdout(printed):
        for block in blocks("python"):
            exec(compile(block, GUIDE.name, "exec"), names)
    shown = printed.getvalue()
    assert "{'low': 'age low', 'high': 'age high'}" in shown
    lowest, expected, highest = (float(figure) for figure in re.findall(r"^([\d.]+) ([\d.]+) ([\d.]+)$", shown, re.MULTILINE)[0])
    assert 0 < lowest <= expected <= highest


@pytest.mark.long
@pytest.mark.skipif(RSCRIPT is None, reason="R is not installed: apt-get install r-base-core")
def test_the_r_examples_run(project: Project, tmp_path: Path) -> None:
    _, folder = project.published()
    script = tmp_path / "guide.R"
    script.write_text(f'options(warn = 2)\nfolder <- "{folder}"\n' + "".join(blocks("r")), encoding="utf-8")
    done = subprocess.run([str(RSCRIPT), "--vanilla", str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+ rows, ages from \d+ to \d+ \n", done.stdout)


@pytest.mark.long
def test_the_commands_run(project: Project) -> None:
    _, folder = project.published()
    lines = [line for block in blocks("") for line in block.splitlines() if line.startswith(("headgate estimate", "headgate read"))]
    assert len(lines) >= 2
    for line in lines:
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', line)][1:]
        done = project.run(*[str(folder) if word == "FOLDER" else word for word in words])
        assert done.code == 0, done.err
