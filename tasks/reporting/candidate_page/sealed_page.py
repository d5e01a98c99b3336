"""The page of a candidate that lies in the home, for the console: from what was sealed, and from the ledger where the decision stands.

page = page_of_candidate(candidate)            # load_candidate or view_candidate has checked every byte
standing = standing_of(release, rules)         # release: History.release; rules: OperatorRules
page_context(page, "de", "console", image=…, standing=standing)
page_picture(page, name, "de")                 # the bytes of a picture, for the address that `image` gives
"""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from headgate.core.errors import InputRejected, IntegrityBroken
from policies.approval.acts import OperatorRules
from policies.ledger.standing import Release
from policies.sealed.manifest import Manifest
from tasks.reporting.candidate_page.may_it_go_out import Standing
from tasks.reporting.candidate_page.page_content import CandidatePage, ShownTable, read_page
from tasks.reporting.candidate_page.page_told import svg_file
from tasks.reporting.language import PACKAGE, language
from tasks.stores.files import read_file
from tasks.stores.seal import PAGE, Candidate


def page_of_candidate(candidate: Candidate) -> CandidatePage:
    """As it was sealed. Candidates of earlier versions have no page of their own: what their manifests say is told, without samples and
    pictures."""
    if not any(entry.path == PAGE for entry in candidate.manifest.files):
        return page_of_manifest(candidate.manifest)
    return _read(candidate.folder)


def page_of_refused(folder: Path) -> CandidatePage:
    """Of a release that was refused, which only its steward and the operator read."""
    return _read(folder)


def _read(folder: Path) -> CandidatePage:
    try:
        return read_page(read_file(folder, PAGE).content)
    except ValidationError:
        raise IntegrityBroken(f"{PAGE} is not a page that this version writes.", "Use the version of headgate that sealed it.") from None


def page_of_manifest(manifest: Manifest) -> CandidatePage:
    return CandidatePage(
        product=manifest.product,
        dataset=manifest.dataset,
        title=manifest.title,
        release_id=manifest.release_id,
        created=manifest.created,
        passed=True,  # nothing else is sealed
        about=manifest.about,
        runner=manifest.runner.principal,
        policy_digest=manifest.policy_digest,
        publish_to=manifest.publish_to,
        approvals=manifest.approvals_required,
        roles={role.role: role.number for role in manifest.roles_required},
        rows=manifest.rows,
        suppressed=manifest.suppressed,
        suppressed_cells=manifest.suppressed_cells,
        promise=manifest.promise,
        plan=manifest.plan,
        tables=tuple(ShownTable(figures=figures) for figures in manifest.tables),
        verdicts=manifest.verdicts,
        utility=manifest.utility,
        attacks=manifest.attacks,
        attack_gains=manifest.attack_gains,
        series=manifest.series,
    )


def standing_of(release: Release, rules: OperatorRules) -> Standing:
    """By the approvals that count now, under the floor and the roles as they are now. While votes are hidden, only how many there are."""
    agreeing = release.agreeing(rules.revoked, rules.held)
    missing = release.quorum.raised_to(rules.floor).missing(agreeing)
    return Standing(release.state, len(agreeing), {"": missing.total()} if release.hides_votes else missing)


def page_picture(page: CandidatePage, name: str, code: str = "en") -> bytes:
    """One picture as an SVG file."""
    pictures = page.of_release
    if name not in pictures:
        raise InputRejected("There is no such picture.", "Open the page again.")
    return svg_file(pictures[name], language(code, PACKAGE))
