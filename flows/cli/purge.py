"""`headgate purge RELEASE`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.terminal.options import Json, Key, ReasonHere, SignatureFile

Release = Annotated[
    str | None,
    typer.Argument(metavar="[RELEASE]", help="The id of a release or of its candidate, or a unique prefix of at least 8 characters."),
]
ByRule = Annotated[
    bool, typer.Option("--by-rule", help="Drop the groups of every version whose policy says that they are kept no longer (keep.groups).")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="With --by-rule: show what would be dropped, and drop nothing.")]


def purge(
    release: Release = None,
    reason: ReasonHere = None,
    key: Key = None,
    signature: SignatureFile = None,
    by_rule: ByRule = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Forget for good who was in which group of a published version: no later version can be measured with it (operator)."""
    from headgate.core.errors import InputRejected

    if by_rule == (release is not None) or (dry_run and not by_rule):
        raise InputRejected(
            "Say what is to be purged.",
            "Name a release, with --key and --reason; or give --by-rule (with --dry-run, to see what it would drop).",
        )
    if release is None:
        _by_rule(dry_run, json)
    else:
        _purge(release, reason, key, signature, json)


def _by_rule(dry_run: bool, json: bool) -> None:
    from flows.terminal.output import plain, print_json, results, tell
    from tasks.approval.purging_by_rule import kept_too_long, purge_by_rule
    from tasks.ledger.open_ledger import found_ledger, home_with_ledger, open_ledger
    from tasks.runtime.home import Home

    if dry_run:
        home = Home.read()
        found = kept_too_long(home, found_ledger(home))
    else:
        home = home_with_ledger()
        found = purge_by_rule(home, open_ledger(home))
    if json:
        rows = [
            {
                "dataset": each.release.dataset,
                "version": each.release.version,
                "release": each.release.release_id,
                "candidate": each.release.candidate,
                "rule": each.rule,
            }
            for each in found
        ]
        print_json({"dry_run": dry_run, "purged": rows})
        return
    out = results()
    does = "would be dropped" if dry_run else "were dropped"
    for each in found:
        tell(out, plain(f"{each.release.dataset}: the groups of version {each.release.version} {does}, after {each.rule}."))
    if not found:
        tell(out, "Nothing to drop: no version is older than its policy lets its groups be kept (keep.groups).")


def _purge(release: str, reason: str | None, key: Path | None, signature: Path | None, json: bool) -> None:
    from flows.cli.sign_decision import require_given, signing_of
    from flows.terminal.output import console, plain, print_json, results, tell
    from tasks.approval import purging
    from tasks.ledger.history import read_history
    from tasks.ledger.open_ledger import home_with_ledger, open_ledger

    require_given(key, signature, reason)
    home = home_with_ledger()
    ledger = open_ledger(home)
    found = read_history(ledger).find(release)
    follows = purging.what_a_purge_means(home, found)
    if found.version is not None and not json:
        tell(console(), plain(f"Purging drops who was in which group of version {found.version} of {found.dataset}. {follows[0]}"))
    purged = purging.purge(home, ledger, release, *signing_of(home, ledger, release, key, signature, reason))
    if json:
        print_json(
            {
                "release": purged.release_id,
                "candidate": purged.candidate,
                "state": str(purged.state),
                "version": purged.version,
                "purged": purged.purged,
                "follows": list(follows),
            }
        )
        return
    out = results()
    tell(out, plain(f"Purged: the home no longer keeps who was in which group of version {purged.version} of {purged.dataset}."))
    for sentence in follows[1:]:
        tell(out, plain(sentence))
