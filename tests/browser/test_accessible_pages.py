"""axe-core finds nothing serious on any page, in light and in dark, on a phone and on a desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tasks.approval.decisions import approve
from tasks.approval.threads import add_comment
from tests.browser.conftest import Site, Visitor

pytestmark = pytest.mark.long
SERIOUS = ("serious", "critical")


def findings(page: Any) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found if each["impact"] in SERIOUS]


def paths(site: Site) -> list[str]:
    world = site.world
    candidate = world.seal("steward", source_hmac="0a" * 32, dataset="accessible")
    approve(world.home, world.ledger, candidate.id, world.keys["bert"], "read the report")
    add_comment(world.home, world.ledger, candidate.id, "anna", "a word")
    run = world.ledger.last().release
    return [
        "/",
        "/datasets/accessible",
        "/datasets/accessible/comments",
        f"/candidates/{candidate.id}",
        f"/candidates/{candidate.id}/decide",
        "/passkeys",
        "/account",
        "/runs",
        f"/runs/{run}",
        "/audit",
        "/audit?view=timeline",
        "/audit/events/1",
        "/audit/chain",
        "/nothing",
    ]


@pytest.mark.timeout(240)
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_no_page_has_a_serious_finding_and_none_scrolls_sideways(
    site: Site, visit: Callable[..., Visitor], width: int, scheme: str
) -> None:
    anna = visit("anna", viewport={"width": width, "height": 900}, color_scheme=scheme)
    anna.go("/sign-in")
    found = {"/sign-in": findings(anna.page)}
    anna.sign_in()
    wide = []
    for path in paths(site):
        anna.go(path)
        found[path] = findings(anna.page)
        if anna.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(path)
    operator = visit("operator", viewport={"width": width, "height": 900}, color_scheme=scheme)
    operator.sign_in()
    for step in ("/people", "a link", "/account"):
        if step == "a link":
            operator.page.locator("summary").first.click()
            operator.page.get_by_role("button", name="Invite").last.scroll_into_view_if_needed()
            operator.page.get_by_label("Name").fill(f"guest-{width}")
            operator.page.get_by_role("button", name="Invite", exact=True).last.click()
            operator.page.get_by_text(f"A link for guest-{width}").wait_for()
        else:
            operator.go(step)
        found[f"{step} of an operator"] = findings(operator.page)
        if operator.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            wide.append(step)
    candidate = next(path for path in found if path.endswith("/decide")).split("/")[2]
    anna.decide(candidate, "Reject", "Only to look at the page.")
    found["statement"] = findings(anna.page)
    assert {path: said for path, said in found.items() if said} == {}
    assert wide == []


def test_a_page_that_is_not_accessible_is_found(chromium: Any) -> None:
    page = chromium.new_page()
    page.set_content("<!doctype html><html><body><input><img src='x'><p style='color: #aaa; background: #bbb'>pale</p></body></html>")
    assert {finding.split(":")[0] for finding in findings(page)} >= {"label", "image-alt", "color-contrast", "html-has-lang"}
    page.close()
