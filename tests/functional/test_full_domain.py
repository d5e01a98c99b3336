"""`method: full-domain`: one level for a whole quasi-identifier, from the policy to the published folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from policies.shipped import shipped_policy

AGES = "age: {role: quasi, kind: integer, domain: [%s], hierarchy: {widths: [5, 10, 20, 40]}}"


def changed(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def whole_columns(project: Any, more: str = "") -> None:
    changed(
        project.policy,
        ("age:       {role: quasi, kind: integer, domain: [0, 110]}", AGES % "0, 110"),
        ("method: xcolor, k: 5, epsilon: 0.05, delta: 0.4", f"method: full-domain, k: 5{more}"),
    )


def test_every_cell_of_a_column_is_of_one_level_and_the_folder_verifies(project: Any) -> None:
    whole_columns(project, ", suppression: 0.1, objective: discernibility")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    for table in outcome.json["tables"]:
        assert table["k"] >= 5
        frame = pd.read_csv(Path(outcome.json["folder"]) / table["path"], dtype=str, keep_default_na=False)
        width = {0: 1, 1: 5, 2: 10, 3: 20, 4: 40}.get(table["levels"]["age"])
        for cell in frame["age"].unique():
            low, _, high = cell.strip("[]").partition("..")
            assert (cell == "*") if width is None else int(high or low) - int(low) + 1 == width
        assert table["levels"].keys() == {"age", "sex", "region"}
    attacks = json.loads((Path(outcome.json["folder"]) / "manifest.json").read_bytes())["attacks"]
    assert sum("Homogeneity" in sentence for sentence in attacks) == len(outcome.json["tables"])
    assert all("show no trace" in sentence for sentence in attacks if "order and numbers" in sentence)
    page = (Path(outcome.json["folder"]) / "report.html").read_text(encoding="utf-8")
    assert "Homogeneity: an attacker who guesses" in page
    candidate = outcome.json["candidate"]
    for name in ("alice", "bob"):
        assert project.run("approve", candidate, "--key", project.keys[name], "--reason", "read").code == 0
    published = project.run("publish", candidate, "--json")
    assert published.code == 0, published.err
    assert project.run("verify", project.home / "releases" / "patients" / "1", "--json").code == 0


def test_where_no_choice_of_levels_will_do_the_refusal_names_the_cure(project: Any) -> None:
    whole_columns(project, ", epsilon: 0.4, delta: 0.99")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 3
    assert "levels" in outcome.json["error"]["cure"]
    assert not list(project.home.glob("candidates/*"))


def test_what_is_suppressed_by_all_tables_together_keeps_the_share(project: Any) -> None:
    whole_columns(project, ", suppression: 0.02")
    outcome = project.run("release", project.policy, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["suppressed"] <= 0.02 * (outcome.json["rows"] + outcome.json["suppressed"])


@pytest.mark.parametrize("more", [", infeasible: {suppress: 0.1}", ", variant: blocks", ", suppression: 1.5"])
def test_options_that_are_not_full_domain_s_are_refused(project: Any, more: str) -> None:
    whole_columns(project, more)
    assert project.run("release", project.policy, "--json").code == 2


NOT_STICKY = [
    ("  series: sticky # people who were published together last month stay together: comparing the months then tells little\n", ""),
    ("  infeasible: {suppress: 0.02} # if need be, whom the months together would give away is left out: at most 2 %\n", ""),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "ages", "other"),
    [
        (
            "census-income",
            "0, 90",
            [
                ("max_error: 0.06, max_loss: 0.03", "max_error: 0.3, max_loss: 0.1"),
                ("linkability: 0.75", "linkability: 0.9"),
                ("  infeasible: fail\n", ""),
            ],
        ),
        ("hospital-patients", "18, 100", [("max_error: 0.1, max_loss: 0.25", "max_error: 0.3, max_loss: 0.4"), *NOT_STICKY]),
    ],
)
def test_both_shipped_policies_release_with_full_domain_at_more_loss(
    project: Any, name: str, ages: str, other: list[tuple[str, str]]
) -> None:
    """Ages in intervals, 5 % of the rows suppressed at most; what else is promised stays as it is."""
    shipped = Path(str(shipped_policy(name)))
    policy = project.folder / shipped.name
    folder = shipped.parent / name.replace("-", "_")
    text = shipped.read_text(encoding="utf-8").replace(folder.name + "/", f"{folder}/")
    policy.write_text(text, encoding="utf-8")
    changed(
        policy,
        (f"age: {{role: quasi, kind: integer, domain: [{ages}]}}", AGES % ages),
        ("  method: xcolor\n  variant: blocks\n", "  method: full-domain\n  suppression: 0.05\n"),
        *other,
    )
    outcome = project.run("release", policy, "--json")
    assert outcome.code == 0, outcome.err
    assert all(table["levels"].keys() >= {"age", "sex"} for table in outcome.json["tables"])
    assert all(gate["passed"] for gate in outcome.json["gates"])


@pytest.mark.long
def test_more_suppression_never_turns_a_release_into_a_refusal(project: Any) -> None:
    """Each table in itself might suppress the whole share; together they keep it, if need be by suppressing nobody."""
    released = []
    for share in ("0", "0.01", "0.03", "0.05", "0.08", "0.15"):
        project.write_policy()
        whole_columns(project, f", suppression: {share}")
        changed(project.policy, ("method: codip*, association_loss: 1, join_threat: 0.9", "method: separate"))
        outcome = project.run("release", project.policy, "--json")
        assert outcome.code == 0, (share, outcome.err)
        assert outcome.json["suppressed"] <= float(share) * 300
        released.append(outcome.json["suppressed"])
    assert max(released) > 0
