"""What people should know of a release beside its figures: data users in the data dictionary, approvers on the page they read."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from policies.words.fields import Section, ValueText

AboutText = Annotated[ValueText, Field(min_length=1, max_length=2000)]
TITLES = {
    "purpose": "Purpose",
    "recipients": "Recipients",
    "controls": "Controls",
    "licence": "Licence",
    "period": "Period",
    "version": "Version",
    "changes": "Changes",
    "citation": "Citation",
    "contact": "Contact",
}


class AboutKey(Section):
    """All of it is published. `purpose`, `recipients` and `controls` come first for approvers; `changes`: since the version before."""

    purpose: AboutText | None = None
    recipients: AboutText | None = None
    controls: AboutText | None = None
    licence: AboutText | None = None
    period: AboutText | None = None
    version: AboutText | None = None
    changes: AboutText | None = None
    citation: AboutText | None = None
    contact: AboutText | None = None

    @property
    def said(self) -> dict[str, str]:
        """What is given, in the order in which it is shown."""
        return {name: text for name in TITLES if (text := getattr(self, name)) is not None}
