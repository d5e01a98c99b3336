"""`headgate backup TARGET`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.terminal.options import Json

Target = Annotated[
    Path, typer.Argument(metavar="TARGET", help="A folder that holds nothing but backups of this home; made if it does not exist.")
]
Recipients = Annotated[
    list[Path] | None,
    typer.Option(
        "--recipient",
        help="A public key whose owner can open the home's keys in the backup, besides those of operator.yaml; may be given several times.",
    ),
]


Keep = Annotated[
    int | None,
    typer.Option("--keep", min=1, help="Keep only this many of the newest backups; older ones are removed afterwards.", show_default="all"),
]


def backup(target: Target, recipient: Recipients = None, keep: Keep = None, json: Json = False) -> None:
    """Copy the ledger, the keys (encrypted), candidates, releases and everything else that a home needs, while releases run (operator).

    Every file is read back and hashed. What the target holds already is not copied again."""
    from flows.terminal.output import plain, print_json, results, tell
    from headgate.core.units import counted
    from tasks.backup.make_backup import back_up
    from tasks.backup.sealed_keys import recipients_in
    from tasks.ledger.open_ledger import home_with_ledger, open_ledger

    given = [line for file in recipient or () for line in recipients_in(file)]
    home = home_with_ledger()
    made = back_up(home, open_ledger(home), target, given, keep)
    if json:
        print_json(
            {
                "backup": made.name,
                "target": str(target),
                "home": made.manifest.home,
                "events": made.manifest.seq,
                "head": made.manifest.hash,
                "files": made.files,
                "bytes": made.bytes,
                "copied": made.copied,
                "copied_bytes": made.written,
                "recipients": list(made.recipients),
                "dropped": made.dropped,
                "absent": list(made.manifest.absent),
            }
        )
        return
    out = results()
    tell(out, plain(f"Backup {made.name}: {counted(made.manifest.seq, 'event')}, {counted(made.files, 'file')}, {made.bytes:,} bytes."))
    tell(out, plain(f"New in the target: {counted(made.copied, 'file')}, {made.written:,} bytes, each read back."))
    tell(out, plain(f"It is signed by the ledger's key, {made.manifest.home}."))
    tell(out, plain(f"Its keys can be opened by {', '.join(made.recipients)}."))
    if made.dropped:
        tell(out, plain(f"Dropped: {counted(made.dropped, 'older backup')}."))
    for sentence in made.manifest.absent:
        tell(out, plain(f"Not in it: {sentence}"))
