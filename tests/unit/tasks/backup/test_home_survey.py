"""What belongs into a backup, and what is said to be lacking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headgate.core.errors import InputRejected
from tasks.backup.home_survey import store_shown, survey


def test_every_file_of_a_home_is_listed_but_what_passes(world: Any) -> None:
    world.published()
    root = world.home.root
    for name in (
        "prefect/prefect.db",
        "staging/x/a",
        "candidates/.draft/a",
        "series/people/x.draft",
        "state/progress/x.json",
        "state/outbox.db",
        "ledger.db-journal",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("a")
    found = survey(world.home)
    listed = {file.path for file in (*found.files, *found.keys)}
    here = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and "latest" not in path.parts}
    passing = (
        "prefect/",
        "staging/",
        "candidates/.draft/",
        "series/people/x.draft",
        "state/progress/",
        "state/outbox.db",
        "state/head.dsse.json",
        "ledger.db",
    )
    assert here - listed == {path for path in here if path.startswith(passing)}
    assert {file.path for file in found.keys} == {path for path in here if path.startswith("keys/") and not path.endswith(".pub")}
    assert [(link.path, link.target) for link in found.links] == [("releases/people/latest", "1")]


def test_what_is_published_elsewhere_is_in_it_or_said(world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADGATE_STORE", str(tmp_path / "store"))
    (world.home.root / "operator.yaml").write_text(
        f"floor: {{approvals: 1}}\ntargets: {{people: {tmp_path}/open, health: s3://open-data/health}}\n"
    )
    published = world.published()
    assert published.folder == tmp_path / "open" / "people" / "1"
    found = survey(world.home)
    assert "releases/people/1/manifest.json" in {file.path for file in found.files}
    assert [sentence.split(":")[0] for sentence in found.absent] == [
        f"The place {tmp_path}/store of what is published",
        "The series health, published to s3",
        f"The place {tmp_path}/open of the series people",
    ]
    monkeypatch.setenv("HEADGATE_STORE", "postgresql://user@host/database/schema")
    assert "What is published to postgresql://…: it needs a backup of its own." in survey(world.home).absent
    assert store_shown("s3://key:secret@bucket") == "s3://…"


def test_a_name_that_no_home_has_is_refused(world: Any) -> None:
    (world.home.root / "comments").mkdir()
    (world.home.root / "comments" / "a\nb").write_text("a")
    with pytest.raises(InputRejected, match="unsafe name"):
        survey(world.home)
