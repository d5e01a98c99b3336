"""What `resume` and `abandon` have in common: an operator's signed word on a release that is stuck, signed here or handed in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def sign_operation(
    operation: Callable[..., Any], name: str, key: Path | None, signature: Path | None, reason: str | None, as_json: bool
) -> None:
    from flows.cli.sign_decision import require_given, signing_of
    from flows.terminal.output import print_json, results
    from flows.views.shown_figures import in_words
    from tasks.ledger.open_ledger import home_with_ledger, open_ledger

    require_given(key, signature, reason)
    home = home_with_ledger()
    ledger = open_ledger(home)
    release = operation(home, ledger, name, *signing_of(home, ledger, name, key, signature, reason))
    if as_json:
        print_json({"release": release.release_id, "candidate": release.candidate or None, "state": str(release.state)})
        return
    results().print(f"{release.decided[:12]}: {in_words(release.state)}.", soft_wrap=True)
    if release.state == "publishing":
        results().print(f"  headgate publish {release.candidate[:12]}", soft_wrap=True)
