"""`headgate show CANDIDATE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.terminal.options import Json, Language, Report, SealedId

if TYPE_CHECKING:
    from tasks.stores.seal import Candidate


def show(candidate: SealedId, report: Report = None, language: Language = None, json: Json = False) -> None:
    """Show what a candidate would publish, and why it is safe."""
    from flows.terminal.output import plain, print_json, results, tell, tell_unrecorded
    from flows.views.manifest_view import show_answer, show_folder, show_last_word, show_manifest, show_what_is_needed
    from flows.views.shapes import manifest_document
    from policies.approval.guards import OVERTAKEN
    from policies.words.quorum import in_words
    from tasks.approval.inspection import view_candidate
    from tasks.ledger.open_ledger import home_to_look_at

    there = home_to_look_at()
    viewed = view_candidate(there.home, there.ledger, candidate, there.unrecorded)  # hashed again; the view itself is an event
    manifest, release = viewed.candidate.manifest, viewed.release
    tell_unrecorded(viewed.unrecorded)
    if report is not None:
        _save_report(viewed.candidate, report, language)
    if json:
        print_json(manifest_document(viewed))
        return
    show_manifest(manifest, viewed.candidate.id, release.state, viewed.versions)
    show_folder(viewed.candidate.folder)
    names = ", ".join(decision.signer.principal for decision in release.approvals) or "none yet"
    approvers = "the names are shown once it is decided" if release.hides_votes else names
    results().print(f"approvals {release.standing()} of {manifest.approvals_required} ({approvers})", soft_wrap=True)
    if release.state == "awaiting_approval" and not release.hides_votes:
        results().print(f"still needed: {in_words(release.missing())}", soft_wrap=True)
    if viewed.last_word is not None:
        show_last_word(viewed.last_word)
    for later in viewed.answered_by:
        results().print(f"answered by candidate {later}", soft_wrap=True)
    for answer in viewed.answers:
        show_answer(answer)
    if viewed.overtaken:
        tell(results(), plain(f"It cannot be published: {OVERTAKEN}. Run the release again for a new candidate."), "bold red")
    elif release.state == "awaiting_approval":
        show_what_is_needed(manifest, viewed.candidate.id, release)


def _save_report(candidate: Candidate, file: Path, code: str | None) -> None:
    """The very bytes that were sealed, or the same page told in another language."""
    from headgate.core.errors import InputRejected
    from tasks.reporting.candidate_page.page_told import render_page
    from tasks.reporting.candidate_page.sealed_page import page_of_candidate
    from tasks.reporting.check_report import write_page
    from tasks.reporting.language import LANGUAGES
    from tasks.stores.files import read_file
    from tasks.stores.seal import REPORT

    if code is not None and code not in LANGUAGES:
        raise InputRejected("There is no report in that language.", f"Name one of these: {', '.join(LANGUAGES)}.")
    sealed = read_file(candidate.folder, REPORT).content.decode("utf-8")
    write_page(file, sealed if code is None else render_page(page_of_candidate(candidate), code))
