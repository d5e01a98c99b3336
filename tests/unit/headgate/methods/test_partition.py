from dataclasses import replace

import pytest

from headgate.core.errors import RequirementNotMet
from headgate.grouping.limits import linkability
from headgate.methods.anonymize import anonymize
from headgate.methods.blocks.blocks_method import Blocks
from headgate.methods.settings import Infeasible, Settings
from tests.unit.headgate.methods.crowded import crowded


def test_what_cannot_be_reached_says_so_with_a_proof_and_refuses_to_be_used(make_table):
    table, limit = crowded(make_table)
    found = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,)), 0)
    assert not found.reached
    assert found.certificate is not None
    assert found.certificate.refutes == "every partition"
    assert found.certificate.values == ("x",)
    assert found.certificate.rows == 120
    with pytest.raises(RequirementNotMet) as refusal:
        found.require()
    assert "No partition can satisfy this" in refusal.value.remedy
    assert "'x'" not in str(refusal.value)
    assert "x" not in repr(found.certificate.sentence()).split()


def test_the_cure_is_that_of_the_limit_which_cannot_be_kept_and_ends_as_the_caller_says(make_table):
    table, _ = crowded(make_table)
    limit = linkability(table.select(["illness"])[0], "0.2", cure="Raise what is allowed")
    partition = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,)), 0)
    assert partition.remedy().endswith(
        " No linkability of illness below 0.6 can be reached. Raise what is allowed, write `infeasible: {suppress: 0.5}` or more, or run "
        "`headgate advise`."
    )
    assert partition.remedy("see below").endswith(" Raise what is allowed, write `infeasible: {suppress: 0.5}` or more, or see below.")
    assert "see below" in str(partition.refusal("in table-1", "see below"))


def test_a_cure_says_the_share_that_would_suffice_and_nothing_that_is_done_already(make_table):
    """ "Set `infeasible: {suppress: share}`" was the cure where it was set."""
    table, limit = crowded(make_table)
    partition = anonymize(Blocks(), table, ["illness"], Settings(10, (limit,)), 0)

    def cure(**allowed: str) -> str:
        return partition.remedy(allowed=Infeasible.of(allowed or "fail"))

    assert (
        "No δ above 0.4445 can be reached. Lower δ or ε, write `infeasible: {suppress: 0.27}` or more, write `infeasible: {relax: 0.44}` "
        "or less, or run"
    ) in cure()
    assert "allow at least 0.27 instead of 0.01 in `infeasible: {suppress: …}`" in cure(suppress="0.01")
    assert "allow more than 0.5 in `infeasible: {suppress: …}`" in cure(suppress="0.5")
    assert "Lower δ or ε, lower the δ in `infeasible: {relax: 0.3}`, or run" in cure(relax="0.3")
    assert "lower the δ in `infeasible: {relax: 0.5}` to 0.44 or less" in cure(relax="0.5")
    unproven = replace(partition, certificate=None)
    assert "write `infeasible: {suppress: 0.01}`, a share of the rows, write `infeasible: {relax: 0.3}`, the least δ" in unproven.remedy()
    assert "relax" not in replace(unproven, broken=("linkability of illness",)).remedy()
    assert "allow more than 0.01 in" in unproven.remedy(allowed=Infeasible.of({"suppress": "0.01"}))
