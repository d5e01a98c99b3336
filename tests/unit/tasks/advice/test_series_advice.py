"""What rounding buys in a series, on simulated versions, against the definition read person by person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headgate.core.columns import Column, Kind
from headgate.core.published_form.published_table import publish_form
from headgate.series.kept_version import kept_version
from headgate.series.published_versions import Version, VersionTable
from tasks.advice import series_advice as advising
from tasks.advice.number_advice import NumberAdvice, with_series
from tasks.advice.policy_advice import Advice, Prepared, prepare
from tasks.advice.published_before import PublishedBefore
from tasks.advice.series_advice import InSeries, SeriesAdvice
from tests.unit.tasks.clinic import Clinic, csv_text

PEOPLE = 200


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """People who earn 100.25, 200.5 … each another sum, and nothing else that is sensitive."""
    clinic, draw = Clinic(tmp_path_factory.mktemp("series")), np.random.default_rng(3)
    clinic.rows = [
        {**clinic.rows[row % 60], "patient_id": f"p-{row}", "age": str(draw.integers(20, 90)), "income": str(100.25 * (row + 1))}
        for row in range(PEOPLE)
    ]
    clinic.write_source(csv_text(clinic.rows).encode())
    dropped = ("diagnosis", "admitted", "education")
    clinic.policy["attributes"] |= {name: {"role": "dropped"} for name in dropped}
    clinic.policy["attributes"]["income"] = {"role": "sensitive", "kind": "number"}
    clinic.policy["anonymize"] = {"k": 5}
    clinic.policy["gates"] = {"linkability": "0.4"}
    clinic.policy["utility"] = {"queries": 50}
    clinic.load()
    return prepare(clinic.folder / "policy.yaml")


def advised(prepared: Prepared) -> tuple[NumberAdvice, ...]:
    return with_series(prepared.numbers, prepared.trials, prepared.own, prepared.source, [("income",)])


def test_each_suggested_form_is_tried_beside_exact_numbers_and_coarser_ones_follow(repeated: Prepared) -> None:
    (income,) = advised(repeated)
    assert income.series is not None
    exact, *rounded = income.series.steps
    assert (exact.written, exact.linkability, exact.alone) == ("", 1.0, 0)
    assert exact.above > 0
    assert [step.written for step in rounded] == ["{round: 200}", "{round: 1000}", "{round: 5000}"]
    assert [written for written, _ in income.steps] == ["{round: 200}"]
    assert rounded[-1].linkability < exact.linkability
    assert (income.series.rows, income.series.of, income.series.people) == (200, 200, 192)
    head, first = list(income.series.sentences("income"))[:2]
    assert head.startswith(
        "If income is published again, comparing a person's groups in several versions can tell more than one version does. "
    )
    assert "Simulated with the 200 people, grouped twice, each time without another 2 % of them; the policy allows" in head
    assert (
        first == f"  exact numbers – {exact.above} of 192 people above it (0 by one version alone), up to 100.0 %; loss {exact.loss:.3g}."
    )
    assert set(income.series.sentences("income")) < set(income.sentences())
    assert income.to_json()["series"]["steps"][0] == {
        "publish_as": None,
        "above": exact.above,
        "alone": 0,
        "linkability": 1.0,
        "ncp": exact.loss,
    }


def published(prepared: Prepared, people: int = PEOPLE) -> PublishedBefore:
    """A version of the first so many rows, with exact incomes, ten neighbours by income in each group."""
    table, numbers = prepared.source.table, np.array([b"%016d" % (PEOPLE - row) for row in range(PEOPLE)])
    groups = (np.arange(people) // 10).astype(np.int32)
    before = publish_form(table.take(np.arange(people)), groups, "before", ["income"])
    return PublishedBefore(numbers, (kept_version(numbers, [(before, np.arange(people))])[0],))


def test_versions_that_were_published_are_compared_with_and_their_numbers_rounded_as_the_new_one_is(repeated: Prepared) -> None:
    (income,) = with_series(repeated.numbers, repeated.trials, repeated.own, repeated.source, [("income",)], published(repeated, 150))
    assert income.series is not None
    assert (income.series.versions, income.series.people, income.series.rows) == (1, 150, PEOPLE)
    exact, *rounded = income.series.steps
    assert exact.linkability == 1.0
    assert exact.above > 120  # neighbours by income are hardly ever neighbours by age
    assert [step.written for step in rounded] == ["{round: 200}", "{round: 1000}", "{round: 5000}"]
    assert [step.alone for step in (exact, *rounded)] == [0, 0, 150, 150]  # of ten neighbours by income all earn the same, rounded
    head = next(income.series.sentences("income"))
    assert "Compared with the version published before, for the 200 people, grouped anew; the policy allows a certainty of 40.0 %:" in head
    assert income.to_json()["series"]["simulated"] is False


def test_the_same_advice_is_given_twice_and_of_a_sample_it_is_said(repeated: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    assert advised(repeated) == advised(repeated)
    monkeypatch.setattr(advising, "MOST_ROWS", 40)
    (income,) = advised(repeated)
    assert income.series is not None
    assert (income.series.rows, income.series.people) == (40, 38)
    assert any("Simulated with 40 of the 200 people" in sentence for sentence in income.sentences())


@pytest.mark.parametrize("without", ["person", "steady"])
def test_nothing_is_said_where_nobody_is_known_again_or_the_number_is_new_each_time(repeated: Prepared, without: str) -> None:
    policy = repeated.loaded.policy
    if without == "person":
        attributes = {**policy.attributes, "patient_id": policy.attributes["patient_id"].model_copy(update={"role": "dropped"})}
    else:
        attributes = {**policy.attributes, "income": policy.attributes["income"].model_copy(update={"changes": True})}
    trials = replace(repeated.trials, policy=policy.model_copy(update={"attributes": attributes}))
    (income,) = advised(replace(repeated, trials=trials))
    assert income.series is None


def test_groups_that_the_policy_keeps_together_are_kept_in_the_simulation_too(repeated: Prepared) -> None:
    """Advice to round would be given for what a release does not do."""
    policy = repeated.loaded.policy
    sticky = policy.model_copy(update={"anonymize": policy.anonymize.model_copy(update={"series": "sticky"})})
    (fresh,), (kept,) = (advised(replace(repeated, trials=replace(repeated.trials, policy=asked))) for asked in (policy, sticky))
    assert fresh.series is not None
    assert kept.series is not None
    assert kept.series.steps[0].above < fresh.series.steps[0].above


def test_a_number_that_singles_nobody_out_in_one_version_is_spoken_of_where_two_do(repeated: Prepared) -> None:
    """Whoever has a common income is not alone with it in the table; in two groups of theirs they may well be."""
    (income,) = with_series((), repeated.trials, repeated.own, repeated.source, [("income",)])
    assert income.series is not None
    assert income.series.steps[0].above
    assert next(income.sentences()).startswith("If income is published again")
    assert with_series((), repeated.trials, repeated.own, repeated.source, [("other",)]) == ()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=14), st.sampled_from([0.3, 0.5, 0.8])
)
def test_people_above_are_counted_person_by_person(drawn: Sequence[tuple[int, int, int]], allowed: float) -> None:
    """`drawn`: of each person the groups in two versions, and the number. Everybody is in both."""
    groups = [np.unique([person[version] for person in drawn], return_inverse=True)[1].astype(np.int32) for version in (0, 1)]
    values, codes = np.unique([person[2] for person in drawn], return_inverse=True)
    column = Column("pay", Kind.NUMBER, codes.astype(np.int32), values, np.ones(len(values) + 1, dtype=np.bool_))
    people = np.arange(len(drawn), dtype=np.int32)
    versions = [Version(people, [VersionTable.in_order([of], {"pay": column})]) for of in groups]
    measured = advising._measured("{round: 1}", advising._Series(versions, people.astype(np.int64), 0.2), allowed)
    shares = [[Counter(drawn[j][2] for j in people if groups[v][j] == groups[v][i]) for v in (0, 1)] for i in people]
    alone = [max(count / one.total() for one in both for count in one.values()) for both in shares]
    together = [
        max(single, max(count / (both[0] & both[1]).total() for count in (both[0] & both[1]).values()))
        for single, both in zip(alone, shares, strict=True)
    ]
    wanted = [sum(certainty > allowed + 1e-9 for certainty in certainties) for certainties in (together, alone)]
    assert [measured.above, measured.alone] == wanted
    assert measured.linkability == pytest.approx(max(together))
    assert measured.loss == 0.2


def test_groups_that_the_policy_keeps_together_are_those_of_the_same_people() -> None:
    rows, others = np.array([2, 5, 7, 9]), np.array([0, 2, 7, 8, 9, 11])
    assert advising._of_rows(np.array([4, 0, -1, 3], dtype=np.int32), rows, others).tolist() == [-1, 4, -1, -1, 3, -1]


def test_advice_has_it_for_each_number(advice: Advice) -> None:
    assert all("series" in number for number in advice.to_json()["numbers"])


def test_every_figure_is_in_what_programs_read() -> None:
    one = SeriesAdvice(0.4, 10, 12, 20, 3, (InSeries("", 7, 2, 1.0, 0.25),))
    assert one.to_json() == {
        "simulated": False,
        "versions": 3,
        "allowed": 0.4,
        "people": 10,
        "rows": 12,
        "of": 20,
        "steps": [{"publish_as": None, "above": 7, "alone": 2, "linkability": 1.0, "ncp": 0.25}],
    }
