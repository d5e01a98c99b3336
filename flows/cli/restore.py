"""`headgate restore TARGET`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.terminal.options import Json

if TYPE_CHECKING:
    from tasks.backup.restore_home import Restored
    from tasks.backup.verified_backup import Verified

Target = Annotated[Path, typer.Argument(metavar="TARGET", help="The folder that `headgate backup` wrote to.")]
To = Annotated[Path | None, typer.Option("--to", metavar="HOME", help="The home to make: a folder that does not exist or is empty.")]
Check = Annotated[bool, typer.Option("--check", help="Verify the backup and restore nothing.")]
OperatorsKey = Annotated[
    Path | None, typer.Option("--key", envvar="HEADGATE_KEY", help="The private key of a recipient: it opens the home's keys.")
]
WithoutKeys = Annotated[bool, typer.Option("--without-keys", help="Restore a home that can be read and verified, but cannot sign.")]
Named = Annotated[str | None, typer.Option("--backup", metavar="NAME", help="Which backup of the target.", show_default="the newest")]
LedgerKey = Annotated[Path | None, typer.Option("--ledger-key", help="The public half of the ledger's key, as an auditor keeps it.")]
Published = Annotated[
    list[Path] | None,
    typer.Option(
        "--published",
        help="A published folder, a store or a former home: no event that it shows may be missing; may be given several times.",
    ),
]
Cosigned = Annotated[
    list[Path] | None, typer.Option("--cosigned", help="A head that an auditor cosigned, likewise; may be given several times.")
]
AcceptLoss = Annotated[bool, typer.Option("--accept-loss", help="Restore even though the backup lacks events that others have seen.")]


def restore(
    target: Target,
    to: To = None,
    check: Check = False,
    key: OperatorsKey = None,
    without_keys: WithoutKeys = False,
    backup: Named = None,
    ledger_key: LedgerKey = None,
    published: Published = None,
    cosigned: Cosigned = None,
    accept_loss: AcceptLoss = False,
    json: Json = False,
) -> None:
    """Make a home from a backup, after every byte of it has been verified (operator).

    Refused if the backup lacks events that were published or cosigned."""
    from flows.terminal.output import print_json
    from headgate.core.errors import InputRejected
    from tasks.backup.restore_home import restore as restore_home
    from tasks.backup.verified_backup import Wanted, verify_backup

    if check == (to is not None):
        raise InputRejected("Say what to do with the backup.", "Give --to HOME to restore it, or --check to verify it.")
    if not (check or without_keys) and key is None:
        raise InputRejected(
            "The home's keys in the backup are encrypted.",
            "Give --key, the private key of a recipient. With --without-keys the home can be read and verified, but nothing can be run, "
            "approved or published in it, and no later version can be measured with those before.",
        )
    wanted = Wanted(target, backup, None if without_keys else key, ledger_key, published or (), cosigned or (), accept_loss)
    if to is None:
        verified = verify_backup(wanted)
        print_json(_document(verified)) if json else _say_verified(verified, ledger_key is not None, key is not None)
        return
    restored = restore_home(wanted, to)
    if json:
        print_json(
            _document(restored.verified) | {"restored": str(to), "former": None if restored.former is None else str(restored.former)}
        )
        return
    _say_verified(restored.verified, ledger_key is not None, key is not None)
    _say_restored(restored)


def _document(verified: Verified) -> dict[str, object]:
    manifest = verified.manifest
    return {
        "backup": verified.backup.name,
        "home": manifest.home,
        "at": manifest.at,
        "events": manifest.seq,
        "head": manifest.hash,
        "files": len(manifest.files),
        "keys": bool(verified.keys),
        "lost_events": verified.beyond[0].seq - manifest.seq if verified.beyond else 0,
        "absent": list(manifest.absent),
    }


def _say_verified(verified: Verified, known: bool, opened: bool) -> None:
    from flows.terminal.output import plain, results, tell
    from headgate.core.units import counted

    out, manifest = results(), verified.manifest
    tell(
        out,
        plain(f"Backup {verified.backup.name}: {counted(manifest.seq, 'event')}, {counted(len(manifest.files), 'file')}, all verified."),
    )
    vouched = "the key that you gave" if known else f"{manifest.home}: compare it, or give --ledger-key"
    tell(out, plain(f"It is signed by {vouched}."))
    if not opened:
        tell(out, "The home's keys were not opened: give --key to check them too.")
    for sentence in manifest.absent:
        tell(out, plain(f"Not in it: {sentence}"))


def _say_restored(restored: Restored) -> None:
    from flows.terminal.output import plain, results, tell
    from headgate.core.units import counted

    out, manifest = results(), restored.verified.manifest
    tell(out, plain(f"Restored to {restored.home}."))
    if restored.former is not None:
        tell(out, plain(f"What lay there is now in {restored.former}."))
    if restored.database > manifest.seq:
        further = counted(restored.database - manifest.seq, "event")
        tell(
            out,
            plain(f"The ledger's database holds {further} more than the backup: `headgate audit verify` names the files that they lack."),
        )
    if not restored.verified.keys:
        tell(out, "It has no private keys: it can be read and verified, and nothing can be run, approved or published in it.")
    if restored.verified.beyond:
        tell(out, "Events that others have seen are lost: nothing is written in this home until you run `headgate doctor --accept-ledger`.")
    tell(
        out,
        plain(
            f"Its operator.yaml, signers, revoked_keys and accounts are those of {manifest.at[:16]}: a key that was revoked since then "
            "counts again until you revoke it again."
        ),
    )
    tell(out, "Never use it beside the home that was backed up. Next: `headgate audit verify`, then `headgate doctor`.")
