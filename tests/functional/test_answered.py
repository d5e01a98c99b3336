"""Changes are requested of a candidate: the next one says on its page what is otherwise, and `page.json` says no more than that page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tasks.reporting.candidate_page.page_content import read_page
from tasks.reporting.candidate_page.page_told import render_page


@pytest.mark.long
def test_a_candidate_is_compared_with_the_one_that_it_answers(project: Any) -> None:
    project.write_policy(k=5)
    first = str(project._release()["candidate"])
    asked = project.run("request-changes", first, "--key", project.keys["alice"], "--reason", "Larger groups, please.")
    assert asked.code == 0, asked.err
    project.write_policy(k=6)
    folder = Path(project._release()["folder"])
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "Since the candidate that it answers" in report
    assert f"<code>{first[:12]}…</code>" in report
    assert "Larger groups, please." not in report  # the page is published
    page = read_page((folder / "page.json").read_bytes())
    assert render_page(page) == report
    (answered,) = page.answered
    assert answered.candidate == first
    assert answered.changes is not None
    assert {(change.key, change.before, change.after) for change in answered.changes.policy or ()} == {("anonymize.k", None, None)}
    assert answered.changes.columns == ()  # what it held was never published
    assert {change.gate for change in answered.changes.gates} >= {"k"}
    sample = page.tables[0].sample
    assert sample is not None
    assert len(sample.rows) == 20
    assert page.tables[0].example is not None
    assert page.tables[0].example.people >= 6
    assert page.tables[0].fields
    assert page.spread
