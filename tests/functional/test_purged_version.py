"""A version of which an operator dropped who was in which group: nobody measures the next one with it, and approvers read why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

REASON = "Version 1 was purged when the agreement ended."
PERSON = "person: person\n"


@pytest.mark.long
def test_after_a_purge_the_next_release_is_refused_until_the_policy_says_why_and_approvers_read_it(project: Any) -> None:
    project.write_policy(more=PERSON)
    first, folder = project.published()
    purged = project.run("purge", first, "--key", project.keys["steward"], "--reason", "the agreement ended", "--json")
    assert purged.code == 0, purged.err
    assert (purged.json["version"], purged.json["state"]) == (1, "published")
    assert list((project.home / "series").rglob("?" * 64)) == []
    assert project.run("verify", folder).code == 0

    refused = project.run("release", project.policy, "--json")
    assert refused.code == 6, refused.out
    assert "version 1 was purged on" in refused.json["error"]["message"]
    assert "gates.series: {unmeasured: REASON}" in refused.json["error"]["cure"]

    project.write_policy(more=PERSON, gates=f', series: {{linkability: 0.9, unmeasured: "{REASON}"}}')
    second = project.run("release", project.policy, "--json")
    assert second.code == 0, second.err
    assert (second.json["series"]["compared_with"], second.json["series"]["not_measured"]) == ([], 1)
    assert REASON in project.run("show", second.json["candidate"]).out
    assert REASON in (Path(second.json["folder"]) / "report.html").read_text(encoding="utf-8")

    changed = project.run("diff", first, second.json["candidate"])
    assert "nobody can say how many people came" in changed.out
    audited = project.run("audit", "verify", "--json").json
    assert (audited["unfinished"], audited["lacking"]) == ([], [])
    assert project.run("doctor", "--json").json["series"] is None
