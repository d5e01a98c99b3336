"""`headgate show CANDIDATE`."""

from __future__ import annotations

from flows.terminal.options import CandidateId, Json


def show(candidate: CandidateId, json: Json = False) -> None:
    """Show what a candidate would publish, and why it is safe."""
    from flows.terminal.manifest_view import show_answer, show_folder, show_last_word, show_manifest, show_what_is_needed
    from flows.terminal.output import print_json, results
    from flows.terminal.shapes import manifest_document
    from tasks.approval.inspection import view_candidate
    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home

    home = Home.open()
    viewed = view_candidate(home, open_ledger(home), candidate)  # hashed again; the view itself is an event
    manifest, release = viewed.candidate.manifest, viewed.release
    if json:
        print_json(manifest_document(viewed))
        return
    show_manifest(manifest, viewed.candidate.id, release.state)
    show_folder(viewed.candidate.folder)
    names = ", ".join(decision.signer.principal for decision in release.approvals) or "none yet"
    approvers = "whose is shown once it is decided" if release.hides_votes else names
    results().print(f"approvals {release.standing()} of {manifest.approvals_required} ({approvers})", soft_wrap=True)
    if viewed.last_word is not None:
        show_last_word(viewed.last_word)
    for later in viewed.answered_by:
        results().print(f"answered by candidate {later}", soft_wrap=True)
    for answer in viewed.answers:
        show_answer(answer)
    if release.state == "awaiting_approval":
        show_what_is_needed(manifest, viewed.candidate.id)
