"""Both shipped policies let their data through; the gates refuse the same tables when k or δ is raised a notch above what was reached."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from headgate.core.tolerance import exact
from policies.gates.verdict import Requirement
from policies.judging.measure import measure_table
from policies.judging.verdicts import judge_table
from policies.sealed.manifest import Manifest
from tasks.tables.read_published import read_published


@pytest.mark.long
@pytest.mark.parametrize("name", ["hospital-patients", "census-income"])
def test_a_shipped_policy_passes_and_fails_a_notch_above_what_was_reached(project: Any, name: str) -> None:
    outcome = project.run("release", f"shipped:{name}", "--json")
    assert outcome.code == 0, outcome.err
    folder = Path(outcome.json["folder"])
    manifest = Manifest.model_validate(json.loads((folder / "manifest.json").read_bytes()))
    promise = manifest.promise.without("disclosure")  # what attackers hold is not published
    whole = promise.required("dissimilarity")
    assert whole is not None
    for figures in manifest.tables:
        published = read_published(folder / figures.path, promise, figures.name)
        again = measure_table(promise, published, suppressed=manifest.suppressed, path=figures.path)
        assert all(verdict.passed for verdict in judge_table(promise, again))
        assert again.k == figures.k
        assert again.figure("risk") == figures.figure("risk")
        reached = figures.figure("delta_reached")
        assert reached is not None

        larger = promise.requiring(Requirement(gate="k", required=str(figures.k + 1)))
        assert {verdict.gate for verdict in judge_table(larger, again) if not verdict.passed} == {"k"}

        notch = str(float(Fraction(reached) + Fraction(1, 100)))
        stricter = promise.requiring(whole.model_copy(update={"required": notch}))
        assert {verdict.gate for verdict in judge_table(stricter, again) if not verdict.passed} == {"dissimilarity"}
    assert any(figures.k == promise.k for figures in manifest.tables)
    _attacked(project, outcome.json["candidate"], manifest)
    tightest = min(figures.figure("delta_reached") or 1.0 for figures in manifest.tables)
    assert tightest < float(exact(whole.required)) + 0.05


def _attacked(project: Any, candidate: str, manifest: Manifest) -> None:
    """Linking with each dictionary is right as often as the formula says, to five times the error that a draw of so many people has."""
    outcome = project.run("attack", candidate[:12], "--json")
    assert outcome.code == 0, outcome.err
    tried = {(one["attack"], tuple(one["tables"])) for one in outcome.json["attacks"]}
    names = [figures.name for figures in manifest.tables]
    assert {("Homogeneity", (name,)) for name in names} <= tried
    nearness = any("income" in figures.sensitive for figures in manifest.tables)  # the census has categories without hierarchies only
    assert any(attack == "Proximity" for attack, _ in tried) is nearness
    assert {("Linkage by order", pair) for pair in pairwise(names)} <= tried
    linking = [one for one in outcome.json["attacks"] if one["attack"] == "Dictionary linking"]
    assert len(linking) == sum(len(figures.each("disclosure_mean")) for figures in manifest.tables)
    for one in linking:
        expected = float(re.search(r" expects ([0-9.]+) %", one["sentence"])[1]) / 100
        assert abs(one["share"] - expected) <= 5 * math.sqrt(expected / one["people"]) + 0.05 * expected  # it is written with two digits
