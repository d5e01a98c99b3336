"""Advice as a steward asks for it: it leads to a release that passes, says why where nothing will do, and leaves nothing behind."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from policies.shipped import shipped_policy
from tests.functional.conftest import interrupted


def pasted(text: str, snippet: str) -> str:
    """The policy with the lines of the snippet in place of its own under `anonymize:`, whichever way that is written."""
    for line in snippet.splitlines()[1:]:
        key, value = line.strip().split(": ")
        text, count = re.subn(rf"(?<=[\s{{]){key}: [\d.]+", f"{key}: {value}", text, count=1)
        assert count == 1
    return text


@pytest.mark.long
def test_a_policy_that_is_refused_passes_with_what_advice_suggests(project: Any) -> None:
    project.write_policy(delta="0.98")
    assert project.run("release", project.policy, "--json").code == 3
    outcome = project.run("advise", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    advice = outcome.json
    assert advice["passes"] is False
    assert advice["reason"]
    protect, useful = advice["suggestions"]
    assert 0 < float(protect["setting"]["delta"]) < 0.98
    assert useful["setting"] is None
    assert "0.98" in useful["reason"]
    project.policy.write_text(pasted(project.policy.read_text(encoding="utf-8"), protect["snippet"]), encoding="utf-8")
    released = project.run("release", project.policy, "--json")
    assert released.code == 0, released.err


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_shipped_policy_that_asks_too_much_passes_with_what_advice_suggests(project: Any) -> None:
    shipped = Path(str(shipped_policy("hospital-patients")))
    shutil.copytree(shipped.with_name("hospital_patients"), project.folder / "hospital_patients")
    policy = project.folder / "asked.yaml"
    asked, count = re.subn(r"(?m)^  delta: [\d.]+", "  delta: 0.97", shipped.read_text(encoding="utf-8"))
    assert count == 1
    policy.write_text(asked, encoding="utf-8")
    assert project.run("release", policy, "--json").code == 3
    advice = project.run("advise", policy, "--min-delta", "0.6", "--json")
    assert advice.code == 0, advice.err
    for suggestion in advice.json["suggestions"]:
        policy.write_text(pasted(asked, suggestion["snippet"]), encoding="utf-8")
        released = project.run("release", policy, "--json")
        assert released.code == 0, released.err


@pytest.mark.long
def test_a_suggestion_keeps_the_loss_and_the_delta_that_were_asked_for(project: Any) -> None:
    free = project.run("advise", project.policy, "--json").json["suggestions"][0]
    bound = 0.9 * free["figures"]["ncp"]
    tight = project.run("advise", project.policy, "--max-loss", f"{bound:.6f}", "--min-delta", "0.5", "--json").json["suggestions"]
    assert tight[0]["figures"]["ncp"] <= bound
    assert float(tight[0]["setting"]["delta"]) < float(free["setting"]["delta"])
    assert float(tight[1]["setting"]["delta"]) >= 0.5


def test_a_gate_that_nothing_passes_leaves_nothing_to_suggest_and_is_named(project: Any) -> None:
    project.write_policy(gates=", distinct_l: {education: 3}", more="", k=5)
    text = project.policy.read_text(encoding="utf-8").replace("closeness: 0.9", "closeness: {income: 0.01, education: 0.01}")
    project.policy.write_text(text, encoding="utf-8")
    outcome = project.run("advise", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    assert all(one["setting"] is None for one in outcome.json["suggestions"])
    assert "closeness" in outcome.json["suggestions"][0]["reason"]


def test_the_table_fits_a_hundred_columns_and_the_suggestion_can_be_read(project: Any) -> None:
    outcome = project.run("advise", project.policy)
    assert outcome.code == 0, outcome.err
    lines = outcome.out.splitlines()
    headed = [place for place, line in enumerate(lines) if "guaranteed" in line and "possible" in line]
    assert headed
    for place in headed:
        rows = [line for line in lines[place:] if re.match(r"\s*\d+\s+[\d.]", line)]
        assert rows
        assert all(len(line) <= 100 for line in [lines[place], *rows])
    assert "anonymize:\n  k: 5\n  epsilon: 0.05\n  delta: " in outcome.out


def test_the_page_fetches_nothing_and_shows_no_binding_value(project: Any) -> None:
    page = project.folder / "advice.html"
    outcome = project.run("advise", project.policy, "--report", page)
    assert outcome.code == 0, outcome.err
    text = page.read_text(encoding="utf-8")
    assert "education: tertiary" in outcome.out
    shown = re.findall(r"\((.+?)\): no partition", outcome.out)
    assert shown
    assert not [values for values in ("tertiary", *shown) if values in text]
    assert "<svg" in text
    assert not re.search(r"https?://|<script|<link|src=", text)
    assert project.run("advise", project.policy, "--report", project.source).code == 2
    assert project.source.read_text(encoding="utf-8").startswith("person,")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--max-loss", "2"), "--max-loss"),
        (("--max-loss", "much"), "--max-loss"),
        (("--min-delta", "-0.1"), "--min-delta"),
        (("--min-delta", "1.01"), "--min-delta"),
    ],
)
def test_a_bound_that_is_no_share_ends_in_two(project: Any, options: tuple[str, str], said: str) -> None:
    outcome = project.run("advise", project.policy, *options, "--json")
    assert outcome.code == 2
    assert said in outcome.json["error"]["message"]
    assert outcome.json["error"]["cure"]


def test_advice_stops_within_a_moment_and_leaves_no_page(project: Any) -> None:
    shipped = Path(str(shipped_policy("census-income")))
    page = project.folder / "advice.html"
    running = project.in_background("advise", shipped, "--report", page)
    assert next((line for line in running.stderr if "Trying settings" in line), "")
    seconds, err = interrupted(running)
    assert running.returncode == 130
    assert seconds < 3
    assert "Interrupted" in err
    assert not page.exists()


@pytest.mark.long
def test_rounding_is_tried_against_the_versions_that_the_home_knows(project: Any) -> None:
    project.write_policy(more="person: person\n")
    simulated = project.run("advise", project.policy, "--json").json["numbers"]
    project.published()
    compared = project.run("advise", project.policy, "--json").json["numbers"]
    for numbers, versions in ((simulated, 0), (compared, 1)):
        (income,) = [one["series"] for one in numbers if one["attribute"] == "income"]
        assert (income["simulated"], income["versions"], income["of"]) == (versions == 0, versions, 300)
        assert income["steps"][0]["publish_as"] is None
        assert all(step["alone"] <= step["above"] <= income["people"] for step in income["steps"])
    said = " ".join(project.run("advise", project.policy).out.split())
    assert "Compared with the version published before, for the 300 people, grouped anew" in said
