"""Both shipped policies let their data through; the gates refuse the same tables when k or δ is raised a notch above what was reached."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from headgate.tolerance import exact
from policies.gates import judge
from policies.manifest import Manifest
from policies.measure import measure_table
from tasks.write import read_published


@pytest.mark.long
@pytest.mark.parametrize("name", ["hospital-patients", "census-income"])
def test_a_shipped_policy_passes_and_fails_a_notch_above_what_was_reached(project: Any, name: str) -> None:
    (project.home).mkdir()
    (project.home / "signers").write_bytes((project.folder / "signers").read_bytes())
    outcome = project.run("release", f"shipped:{name}", "--json")
    assert outcome.code == 0, outcome.err
    folder = Path(outcome.json["folder"])
    manifest = Manifest.model_validate(json.loads((folder / "manifest.json").read_bytes()))
    promise = manifest.promise
    assert promise.dissimilarity is not None
    for figures in manifest.tables:
        published = read_published(folder / figures.path, promise, figures.name)
        again = measure_table(promise, published, suppressed=manifest.suppressed, path=figures.path)
        assert all(verdict.passed for verdict in judge(promise, (again,)))
        assert again.k == figures.k
        assert again.risk == figures.risk
        assert figures.delta_reached is not None

        larger = promise.model_copy(update={"k": figures.k + 1})
        assert {verdict.gate for verdict in judge(larger, (again,)) if not verdict.passed} == {"k"}

        notch = str(float(Fraction(figures.delta_reached) + Fraction(1, 100)))
        stricter = promise.model_copy(update={"dissimilarity": promise.dissimilarity.model_copy(update={"delta": notch})})
        assert {verdict.gate for verdict in judge(stricter, (again,)) if not verdict.passed} == {"dissimilarity"}
    assert any(figures.k == promise.k for figures in manifest.tables)
    tightest = min(figures.delta_reached or 1.0 for figures in manifest.tables)
    assert tightest < float(exact(promise.dissimilarity.delta)) + 0.05
