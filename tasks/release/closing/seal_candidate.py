"""Step 8: the files that describe the tables are written beside them, the folder is sealed, and the ledger records its digest."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

from policies.changes.release_changes import Changes
from policies.judging.verdicts import require_passed
from policies.ledger.states import State
from policies.schema import requirements
from tasks.approval.approvals import policy_roots
from tasks.approval.operator_demands import operator_demands
from tasks.attacks.origin import keep_origin
from tasks.release.closing.assemble import manifest_of, report_content
from tasks.release.closing.end_release import end_as_sealed
from tasks.release.closing.labelled_copies import write_copies
from tasks.release.closing.since_published import for_readers, since_answered, since_published
from tasks.release.closing.so_far import SoFar
from tasks.release.run import Run, require_approvers
from tasks.release.steps.choose_plan import Planned, insensitive_of, sensitive_of
from tasks.release.steps.write_tables import Written
from tasks.reporting.candidate_page.page_content import page_json
from tasks.reporting.candidate_page.page_told import render_page
from tasks.reporting.croissant import croissant
from tasks.reporting.data_dictionary import data_dictionary
from tasks.reporting.ddi_codebook import ddi_codebook
from tasks.reporting.mlflow_runs import tag_candidate
from tasks.reporting.package import TableEntry, package_json, package_of
from tasks.reporting.report import candidate_page
from tasks.series.side_store import keep
from tasks.signing.detached import with_detached
from tasks.signing.home_keys import home_fingerprint
from tasks.signing.keys import write_private
from tasks.signing.registration import REGISTRATION
from tasks.stores.files import write_file
from tasks.stores.seal import CHANGES_FILE, CROISSANT, DATAPACKAGE, DDI_CODEBOOK, EXPECTATIONS, PAGE, REPORT, SIGNERS_FILE, Candidate, seal
from tasks.tables.read_published import PinnedFile


@dataclass(frozen=True)
class Sealed:
    candidate: str
    folder: Path
    state: State


def seal_candidate(run: Run, done: SoFar) -> Sealed:
    """The candidate, which is none before the ledger says so; nothing that can still fail follows the ledger's word. What the operator
    demands is read again: it may have changed in the hours since the start."""
    run = replace(run, demands=operator_demands(run.home))
    candidate = _sealed(run, done)
    tag_candidate(done.mlflow_run_id, candidate.id, run.home.root)
    return Sealed(candidate.id, candidate.folder, end_as_sealed(run, candidate))


def _sealed(run: Run, done: SoFar) -> Candidate:
    whole = done.whole()
    require_passed(run.spool.get(whole.judged.judgement).verdicts)
    signers, planned = run.loaded.references.signers, whole.planned
    roots = policy_roots(run.home, signers)
    require_approvers(run.loaded, roots, run.runner, run.key, run.demands, run.ledger.now())
    entries = [_entry(run, planned, table) for table in done.written]
    package = package_of(run.policy, run.spool.get(planned.promise), entries, run.started)
    package_content, manifest, formats = package_json(package), manifest_of(run, done, roots), run.policy.publish.formats
    written = [file for entry in entries for file in entry.files]
    changes = since_published(run, done, manifest, package_content, written)
    answered = since_answered(run, done, manifest, package_content, written)
    content = replace(report_content(run, done), changes=changes, answered=answered)
    page = candidate_page(content)
    outcomes = [
        {"side": outcome.side, "table": outcome.table, "type": outcome.expectation, "column": outcome.column, "success": outcome.success}
        for outcome in content.measured.outcomes
    ]
    described = {
        DATAPACKAGE: package_content,
        **({CHANGES_FILE: for_readers(changes)} if isinstance(changes, Changes) else {}),
        **({DDI_CODEBOOK: ddi_codebook(package)} if requirements.DDI in formats else {}),
        **({CROISSANT: croissant(package)} if requirements.CROISSANT in formats else {}),
        REPORT: render_page(page).encode(),
        PAGE: page_json(page),
        EXPECTATIONS: (json.dumps(outcomes, indent=1, ensure_ascii=False) + "\n").encode(),
        **({} if signers is None else {SIGNERS_FILE: signers.encode()}),
        **({} if run.registration is None else with_detached({REGISTRATION: run.registration.envelope})),
    }
    for path, said in described.items():
        write_file(run.stage, path, said)
    pinned = {file.path: file.sha256 for entry in entries for file in entry.files}
    pinned |= {path: hashlib.sha256(said).hexdigest() for path, said in described.items()}
    candidate = seal(run.home.candidates, run.stage, manifest, run.key, pinned, home_fingerprint(run.home.keys))
    _keep_seed(run, candidate.id)
    if whole.compared.kept is not None:
        keep(run.home, run.policy.dataset, candidate.id, run.spool.get(whole.compared.kept))
    keep_origin(run.home, candidate.id, run.loaded.path, run.source)
    return candidate


def _entry(run: Run, planned: Planned, table: Written) -> TableEntry:
    sensitive, insensitive = sensitive_of(run, planned, table.table), insensitive_of(run, planned, table.table)
    copies: tuple[PinnedFile, ...] = ()
    if run.policy.publish.labelled:
        copies = write_copies(run, table, data_dictionary(run.policy, run.spool.get(planned.promise), sensitive, insensitive))
    return TableEntry(table.table, sensitive, insensitive, (*table.files, *copies))


def _keep_seed(run: Run, candidate: str) -> None:
    """Keeps the seed with the keys, so that the operator can open the commitment to an auditor. The seed cannot undo the shuffle,
    because the order of rows is drawn independently of it."""
    write_private(run.home.seeds / candidate, run.seed.hex().encode() + b"\n")
