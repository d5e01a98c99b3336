"""A home for somebody who starts: private, with the two files of trust to fill in."""

from __future__ import annotations

import os
from pathlib import Path

from headgate.core.errors import StoreUnavailable
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import OPERATOR_FILE

OPERATOR = """\
# What no policy can lower. Whoever can write this file and `signers` is the operator, and must not be a steward.
# Every key is described in docs/guide-operator.md. Remove the # of a line to use it.

floor: {approvals: 2}     # every release needs at least so many approvals, whatever its policy says
policy_signers: false     # true lets whoever writes a policy decide who can agree to it

# runners: [steward@hospital.example]       # who may run releases; without this key everybody in `signers`
# operators: [olga@hospital.example]        # who may resume, abandon and purge; without this key those who may run
# roles: {data-protection: [anna@hospital.example], methods: [bert@hospital.example]}
# clock: {max_gap_days: 40}                 # little more than the time between two releases; after a longer gap you confirm the clock
# backup: {every: 1d, recipients: ["ssh-ed25519 AAAA…"]}   # how often, and whose key opens the home's keys in it
# targets: {patients: /srv/releases}        # what a policy's publish.to may name, and where it lies: a folder, s3://… or postgresql://…
# notify: [{to: env:HEADGATE_TELL_OPERATORS}]   # who is told of what; the variable holds the address
# passkeys: {rp: release.hospital.example, origins: ["https://release.hospital.example"]}   # the site whose passkeys count
# floor: {approvals: 2, roles: {data-protection: 1}}     # in place of the first line: one of the two holds this role
"""
SIGNERS = """\
# Who may run and approve: one OpenSSH public key per line, after the person's name. Each person keeps their own private key.
# anna@hospital.example namespaces="headgate" ssh-ed25519 AAAA…
"""


def make_home(root: Path | None) -> tuple[Home, tuple[Path, ...]]:
    """The home, and those of its files that were not there. A file that is there stays as it is."""
    home = Home.open(root)
    files = {home.root / OPERATOR_FILE: OPERATOR, home.signers: SIGNERS}
    made = []
    for path, text in files.items():
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        except OSError as problem:
            raise StoreUnavailable(f"{path} cannot be written ({reason_of(problem)}).", "Check permissions and free space.") from None
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        made.append(path)
    return home, tuple(made)
