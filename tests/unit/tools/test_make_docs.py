"""Parts of the docs that follow from the code are compared with it, and written only when asked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tools import make_docs

ROOT = Path(__file__).parents[3]


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the pages, as `make docs` leaves them."""
    for page in {part.page for part in make_docs.PARTS}:
        shutil.copy(ROOT / "docs" / page, tmp_path / page)
    monkeypatch.setattr(make_docs, "DOCS", tmp_path)
    assert make_docs.main([]) == 0
    return tmp_path


def test_the_committed_pages_are_those_that_make_docs_writes() -> None:
    assert make_docs.outdated(ROOT / "docs") == {}, "run make docs"


def test_a_page_that_differs_is_named_and_left_as_it_is(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = docs / "architecture.md"
    changed = page.read_text(encoding="utf-8").replace("running --> refused", "running --> approved")
    page.write_text(changed, encoding="utf-8")
    assert make_docs.main(["--check"]) == 1
    assert "docs/architecture.md does not match the code: run make docs" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == changed


def test_what_people_wrote_stays_and_what_they_changed_in_a_part_goes(docs: Path) -> None:
    page = docs / "reference-cli.md"
    before = page.read_text(encoding="utf-8")
    page.write_text(before.replace("| `init TABLE` |", "| `begin TABLE` |").replace("# The command line", "# Commands"), encoding="utf-8")
    assert make_docs.main([]) == 0
    assert page.read_text(encoding="utf-8") == before.replace("# The command line", "# Commands")


def test_a_page_without_its_part_is_an_error() -> None:
    with pytest.raises(ValueError, match="states"):
        make_docs.Part("architecture.md", "states", lambda: "").replaced_in("no such part")
