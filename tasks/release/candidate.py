"""Step 8: what describes the tables is put beside them, and the folder is sealed under the digest of its manifest."""

from __future__ import annotations

import json

from policies.judging.verdicts import require_passed
from tasks.approval.approvals import SIGNERS_FILE, policy_roots
from tasks.attacks.origin import keep_origin
from tasks.release import assemble
from tasks.release.workbench import Workbench, present
from tasks.reporting.package import TableEntry, write_datapackage
from tasks.reporting.report import render_report
from tasks.signing.keys import write_private
from tasks.stores.files import write_file
from tasks.stores.seal import Candidate, seal

SEEDS = "seeds"


def seal_candidate(bench: Workbench) -> Candidate:
    """The candidate, which is none before the ledger says so."""
    require_passed(bench.verdicts)
    signers, promise = bench.loaded.references.signers, present(bench.promise, "promise")
    entries = [TableEntry(name, bench.columns_of(name), bench.insensitive_of(name), bench.written[name]) for name in bench.names]
    write_datapackage(bench.stage, bench.loaded.policy, promise, entries, bench.started)
    write_file(bench.stage, "report.html", render_report(assemble.report_content(bench)).encode())
    write_file(bench.stage, "expectations.json", _outcomes(bench))
    if signers is not None:
        write_file(bench.stage, SIGNERS_FILE, signers.encode())
    manifest = assemble.manifest_of(bench, policy_roots(bench.home, signers))
    candidate = seal(bench.home.candidates, bench.stage, manifest, bench.key, bench.examined)
    _keep_seed(bench, candidate.id)
    keep_origin(bench.home, candidate.id, bench.loaded.path, bench.source)
    return candidate


def _outcomes(bench: Workbench) -> bytes:
    told = [
        {"side": outcome.side, "table": outcome.table, "type": outcome.expectation, "column": outcome.column, "success": outcome.success}
        for outcome in bench.outcomes
    ]
    return (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode()


def _keep_seed(bench: Workbench, candidate: str) -> None:
    """With the keys, so that the operator can open the commitment to an auditor; whoever has it could undo the shuffles of nothing:
    the order of rows is drawn apart from it."""
    write_private(bench.home.keys / SEEDS / candidate, bench.seed.hex().encode() + b"\n")
