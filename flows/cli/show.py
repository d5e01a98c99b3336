"""`headgate show CANDIDATE`."""

from __future__ import annotations

from flows.terminal.options import CandidateId, Json


def show(candidate: CandidateId, json: Json = False) -> None:
    """Show what a candidate would publish, and why it is safe."""
    from flows.terminal.manifest_view import show_folder, show_manifest, show_what_is_needed
    from flows.terminal.output import print_json, results
    from flows.terminal.shapes import manifest_document
    from tasks.approval.inspection import view_candidate
    from tasks.ledger.open_ledger import open_ledger
    from tasks.runtime.home import Home

    home = Home.open()
    viewed = view_candidate(home, open_ledger(home), candidate)  # hashed again; the view itself is an event
    manifest, release = viewed.candidate.manifest, viewed.release
    if json:
        print_json(manifest_document(manifest, release, viewed.candidate.folder))
        return
    show_manifest(manifest, viewed.candidate.id, release.state)
    show_folder(viewed.candidate.folder)
    approvers = ", ".join(decision.signer.principal for decision in release.approvals) or "none yet"
    results().print(f"approvals {release.standing()} of {manifest.approvals_required} ({approvers})", soft_wrap=True)
    if release.state == "awaiting_approval":
        show_what_is_needed(manifest, viewed.candidate.id)
