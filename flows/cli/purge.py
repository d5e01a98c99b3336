"""`headgate purge RELEASE`."""

from __future__ import annotations

from flows.terminal.options import Json, Key, ReasonHere, ReleaseId, SignatureFile


def purge(release: ReleaseId, reason: ReasonHere = None, key: Key = None, signature: SignatureFile = None, json: Json = False) -> None:
    """Drop who was in which group of a published version, for good: no later version can be measured with it (operator)."""
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
