"""The manifest says everything in its own words: it survives JSON, and refuses what it does not know, at any depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from policies.gates.figures import ReleaseUtility, TableFigures
from policies.gates.verdict import Comparison, Measured, Verdict
from policies.sealed.manifest import Alternative, FileEntry, Manifest, Plan, PlanStep, SealedRole, Signer
from policies.sealed.promise import Promise, QuasiIdentifier, SensitiveAttribute
from tests.unit.claimed import required

RUNNER = Signer(principal="runner", fingerprint="SHA256:abc")


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return Manifest(
        product="headgate 0.1.0",
        dataset="people",
        title="People",
        release_id="0123456789abcdef",
        created="2025-06-01T12:00:00+00:00",
        policy_digest="ab" * 32,
        source_hmac="cd" * 32,
        dictionary_hmacs={"register": "12" * 32},
        rows=60,
        suppressed=1,
        suppressed_cells={"job": 2},
        seed_commitment="ef" * 32,
        approvals_required=2,
        roles_required=(SealedRole(role="law", number=1, people=("ann",)),),
        blind=True,
        answers=("56" * 32,),
        runner=RUNNER,
        signers=(Signer(principal="ann", fingerprint="SHA256:def"),),
        signers_digest="34" * 32,
        publish_to="people",
        promise=Promise(
            requirements=(required("k", 5),),
            quasi=(QuasiIdentifier(name="age", kind="integer", domain=(0.0, 99.0)),),
            sensitive=(SensitiveAttribute(name="job", kind="category"),),
        ),
        plan=Plan(
            method="codip*",
            tables=(("job",),),
            columns=("job",),
            association_loss=0.1,
            information_exposure=0.25,
            steps=(PlanStep(tables=((0,),), merged=((0,), (1,)), association_loss=0.1, information_exposure=0.25, passed=True),),
            trade_off=(Alternative(method="optimal", tables=1, association_loss=0.1, information_exposure=0.25),),
        ),
        tables=(
            TableFigures(
                name="table-1",
                sensitive=("job",),
                rows=59,
                groups=10,
                mean_group=5.9,
                discernibility=400,
                ncp=0.125,
                measured=(Measured(figure="k", value=5),),
            ),
        ),
        verdicts=(Verdict(gate="k", table="table-1", comparison=Comparison.AT_LEAST, measured=5, required=5, passed=True),),
        utility=ReleaseUtility(ncp=0.125, suppressed_share=1 / 60),
        attacks=("Homogeneity: nothing is gained.",),
        mlflow_run_id="run",
        files=(FileEntry(path="tables/table-1.csv", sha256="56" * 32, bytes=7),),
    )


def test_a_manifest_survives_json_and_back(manifest: Manifest) -> None:
    assert Manifest.model_validate_json(manifest.model_dump_json()) == manifest


def records(written: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of all records in it; mappings from names to values are not records."""
    if isinstance(written, dict) and place[-1:] not in [("dictionary_hmacs",), ("suppressed_cells",), ("settings",)]:
        yield place
        for key, value in written.items():
            yield from records(value, (*place, key))
    if isinstance(written, list):
        for number, value in enumerate(written):
            yield from records(value, (*place, number))


def test_a_key_that_nobody_declared_is_refused_in_every_record(manifest: Manifest) -> None:
    """Beside the key `rows`, somebody's own key would be signed and published with it."""
    places = list(records(manifest.model_dump(mode="json")))
    assert len(places) > 12
    for place in places:
        written = manifest.model_dump(mode="json")
        record = written
        for step in place:
            record = record[step]
        record["added"] = 1
        with pytest.raises(ValidationError, match="added"):
            Manifest.model_validate(written)


@pytest.mark.parametrize("key", ["policy_digest", "source_hmac", "runner", "signers", "approvals_required", "verdicts", "files", "promise"])
def test_nothing_that_a_release_rests_on_may_be_left_out(manifest: Manifest, key: str) -> None:
    written = manifest.model_dump(mode="json")
    del written[key]
    with pytest.raises(ValidationError, match=key):
        Manifest.model_validate(written)


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ([{"role": "law", "number": 1, "people": ["ann"]}, {"role": "law", "number": 1, "people": ["bob"]}], "required twice"),
        ([{"role": "law", "number": 0, "people": ["ann"]}], "greater than or equal to 1"),
        ([{"role": "law", "number": 1_000_000_000, "people": ["ann"]}], "less than or equal to 20"),
        ([{"role": f"r{number}", "number": 1, "people": []} for number in range(21)], "at most 20"),
        ([{"role": "Law!", "number": 1, "people": []}], "pattern"),
    ],
)
def test_a_strangers_roles_are_few_and_each_is_required_once(manifest: Manifest, roles: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Manifest.model_validate({**manifest.model_dump(mode="json"), "roles_required": roles})


@pytest.mark.parametrize("version", [1, 3, "2", None])
def test_another_version_of_the_form_is_not_read(manifest: Manifest, version: object) -> None:
    with pytest.raises(ValidationError, match="schema_version"):
        Manifest.model_validate({**manifest.model_dump(mode="json"), "schema_version": version})


def test_a_manifest_that_does_not_name_its_version_is_of_this_one(manifest: Manifest) -> None:
    assert manifest.schema_version == 2
    assert manifest.model_dump()["schema_version"] == 2


def test_a_manifest_is_never_changed(manifest: Manifest) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        manifest.rows = 61  # type: ignore[misc]
