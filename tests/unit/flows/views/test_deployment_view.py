"""What changes at a Prefect server, as people and programs are told."""

from __future__ import annotations

import pytest

from flows.schedules.deployment_changes import Change, Difference, What
from flows.views.deployment_view import deployment_document, show_deployments

CHANGES = (
    Change(What.CREATE, "release/a"),
    Change(What.UPDATE, "release/b", paused=True, differences=(Difference("pull", [{"shell": "x"}], []), Difference("path", None, "/p"))),
    Change(What.SAME, "release/c"),
    Change(What.REFUSED, "release/d"),
    Change(What.REMOVE, "release/e"),
)


def shown(capsys: pytest.CaptureFixture[str], diff: bool, prune: bool) -> list[str]:
    show_deployments(CHANGES, diff, prune)
    return capsys.readouterr().out.splitlines()


def test_what_would_happen_is_not_told_as_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, diff=True, prune=True) == [
        "release/a: would be created",
        "release/b: would change (it is paused at the server, and stays so)",
        '  pull: [{"shell": "x"}] → nothing',
        '  path: nothing → "/p"',
        "release/c: is up to date",
        "release/d: is refused: somebody else made it",
        "release/e: would be removed",
    ]
    did = shown(capsys, diff=False, prune=False)
    assert (did[0], did[1], did[-1]) == (
        "release/a: created",
        "release/b: changed (it is paused at the server, and stays so)",
        "release/e: belongs to this home, but its policy is not named: left as it is (--prune removes it)",
    )
    assert shown(capsys, diff=False, prune=True)[-1] == "release/e: removed"


def test_programs_are_told_key_by_key() -> None:
    document = deployment_document(CHANGES, "http://there/api", prune=False)
    assert [one["action"] for one in document["deployments"]] == ["create", "update", "same", "refused", "leave"]
    assert document["deployments"][1]["differences"][0] == {"key": "pull", "server": [{"shell": "x"}], "wanted": []}
    assert deployment_document(CHANGES, "", prune=True)["deployments"][-1]["action"] == "remove"
