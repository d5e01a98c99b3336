"""The bounds on what a release may lose."""

from __future__ import annotations

from policies.gates import figures
from policies.gates.utility import Utility
from policies.gates.verdict import Requirement

GATE = Utility()
ERROR, LOSS = (Requirement(gate="utility", bound=bound, required="0.2") for bound in ("max_error", "max_loss"))


def test_each_bound_that_is_written_is_required(asked, table) -> None:
    assert list(GATE.requirements(asked(utility="\nutility: {max_loss: 0.2, max_error: 0.2}").utility, table)) == [ERROR, LOSS]
    assert list(GATE.requirements(asked().utility, table)) == []


def test_it_looks_at_the_release_as_a_whole(gated) -> None:
    lost = figures.ReleaseUtility(query_error_mean=0.25, ncp=0.5, suppressed_share=0)
    assert [GATE.reached_by_release(bound, figures.ReleaseFigures(lost)) for bound in (ERROR, LOSS)] == [0.25, 0.5]
    erring = lost.model_copy(update={"query_error_low": 0.2, "query_error_high": 0.3})
    assert GATE.reached_by_release(ERROR, figures.ReleaseFigures(erring)) == 0.3
    assert list(GATE.measure((), gated())) == []


def test_a_refusal_names_no_table() -> None:
    said = "The mean error of count queries, by the upper end of its 95 % interval, is 25 %; at most 20 % is allowed."
    assert GATE.refusal(GATE.verdict(ERROR, "", 0.25)) == said
    assert GATE.verdict(ERROR, "", 0.25).remedy.endswith("utility.max_error. More queries (utility.queries) make the interval narrower.")
    assert GATE.refusal(GATE.verdict(LOSS, "", 0.25)) == "The information loss (NCP) is 25 %; at most 20 % is allowed."
    assert GATE.verdict(LOSS, "", 0.25).remedy.endswith("accept a higher utility.max_loss.")
