"""What people call the versions that one was measured with: by number and date, never by a digest."""

from __future__ import annotations

from collections.abc import Iterable

from policies.ledger.standing import Release


def version_names(releases: Iterable[Release], target: str) -> dict[str, str]:
    """By candidate. The number is that of the target: readers there may not know what is published elsewhere, nor under which name."""
    return {release.candidate: _name(release, target) for release in releases}


def _name(release: Release, target: str) -> str:
    day = release.started[:10]
    withdrawn = " (withdrawn)" if "withdrawn" in release.seen else ""
    number = f"version {release.version} of {day}" if release.target == target else f"a version of {day} that was published elsewhere"
    return number + withdrawn
