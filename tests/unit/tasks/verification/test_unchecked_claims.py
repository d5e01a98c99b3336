from __future__ import annotations

from typing import Any

import pytest
import rfc8785

from headgate.core.errors import IntegrityBroken
from policies.gates.figures import QUERY_ERRORS, ReleaseUtility, TableFigures
from policies.gates.verdict import Measured
from policies.sealed.manifest import Manifest, Plan
from policies.sealed.promise import SamplingWeight
from tasks.ledger.history import check_same, read_history
from tasks.stores.files import read_folder
from tasks.stores.seal import read_manifest
from tasks.verification.claims import remeasure
from tasks.verification.unchecked_claims import ALWAYS, WHERE_CLAIMED, not_measurable, rests_on
from tests.unit.claimed import claiming

PARTS = {"plan": Plan, "tables": TableFigures, "utility": ReleaseUtility}
OTHER = "9" * 64
# Something else in each field that is measured or compared.
REFUSED: dict[str, Any] = {
    "schema_version": 3, "dataset": "others", "release_id": "release-9", "created": "2025-06-02T12:00:00+00:00", "policy_digest": OTHER,
    "source_hmac": OTHER, "approvals_required": 1, "roles_required": [{"role": "law", "number": 1, "people": ["ann"]}], "blind": True,
    "answers": [OTHER], "known_versions": [OTHER],
    "runner": {"principal": "eve", "fingerprint": "none"}, "machine": "none", "signers": [], "signers_digest": OTHER,
    "not_before": {"cron": "0 9 * * 1", "timezone": "UTC"}, "promise.quasi": [], "verdicts": [], "plan.tables": [["job", "income"]],
    "tables.name": "table-9", "tables.sensitive": ["income"], "tables.insensitive": [], "tables.path": "tables/table-1.parquet",
    "tables.parts": [30, 30],
    "tables.rows": 61, "tables.groups": 9, "tables.mean_group": 5.0, "tables.discernibility": 1, "tables.ncp": 0.0,
    "tables.everything": {"age": 0.5}, "tables.measured": [], "utility.ncp": 0.0, "utility.suppressed_share": 0.5,
}  # fmt: skip
# Held against the folder: test_a_file_too_many_is_found and test_a_manifest_names_the_target_that_it_was_published_at.
BY_THE_FOLDER = {"files", "publish_to"}


def fields() -> set[str]:
    whole = {name for name in Manifest.model_fields if name not in {*PARTS, "promise"}} | {"promise.quasi"}
    return whole | {f"{part}.{name}" for part, model in PARTS.items() for name in model.model_fields}


def test_every_field_of_a_manifest_is_measured_compared_or_named_as_unchecked() -> None:
    named = [field for of in ALWAYS.values() for field in of] + [*WHERE_CLAIMED]
    assert sorted([*named, *REFUSED, *BY_THE_FOLDER]) == sorted(fields())


@pytest.mark.parametrize("field", REFUSED)
def test_another_value_in_a_field_that_is_not_named_is_refused(world, field: str) -> None:
    sealed = world.seal()
    release, files = read_history(world.ledger).find(sealed.id), read_folder(sealed.folder)
    part, _, name = field.rpartition(".")
    said = sealed.manifest.model_dump(mode="json")

    def judge() -> None:
        manifest = read_manifest(rfc8785.dumps(said))
        check_same(release, manifest)
        remeasure(manifest, files)

    judge()
    place = said[part] if part else said
    (place[0] if isinstance(place, list) else place)[name] = REFUSED[field]
    with pytest.raises(IntegrityBroken):
        judge()


def test_what_is_claimed_beside_is_named_where_it_is_claimed(world) -> None:
    manifest = world.made.manifest

    def named(**changes: object) -> str:
        return "; ".join(not_measurable(manifest.model_copy(update=changes)))

    assert "attacks" not in named()
    assert "attacks" in named(attacks=("6 of 60 people were found",))
    for figure in QUERY_ERRORS:
        assert "query error" not in named()
        assert "query error of the release" in named(utility=manifest.utility.model_copy(update={figure: 0.1}))
        assert "query error of table-1" in named(tables=(claiming(manifest.tables[0], **{figure: 0.1}),))
    assert "levels of" not in named()
    assert "levels of table-1" in named(tables=(claiming(manifest.tables[0], levels={"age": 7}),))


def test_a_figure_rests_on_what_was_not_published_or_on_nothing(world) -> None:
    manifest = world.made.manifest
    table = manifest.tables[0]
    against_register = Measured.model_construct(figure="disclosure_mean", of="register.csv", value=0.1)
    assert "register.csv" in rests_on(manifest, table, against_register)
    assert rests_on(manifest, table, Measured.model_construct(figure="k", of="", value=6)) == ""


def test_an_individual_risk_rests_on_nothing_where_the_weights_are_published(world) -> None:
    promise = world.made.manifest.promise.model_copy(update={"weight": SamplingWeight(name="wgt")})
    manifest = world.made.manifest.model_copy(update={"promise": promise})
    here, elsewhere = claiming(manifest.tables[0], insensitive=("wgt",)), claiming(manifest.tables[0], insensitive=())
    risk, homes = Measured(figure="individual_risk_max", value=0.1), Measured(figure="households", value=5)
    assert (rests_on(manifest, here, risk), "weights" in rests_on(manifest, elsewhere, risk)) == ("", True)
    assert "lives together" in rests_on(manifest, here, homes)
