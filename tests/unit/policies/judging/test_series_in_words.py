"""What approvers read of a series says what was compared, what was not and why, and whether anybody asked for it."""

from __future__ import annotations

from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.gates.verdict import Verdict
from policies.judging.series_in_words import series_in_words

FIRST, SECOND, THIRD = "a" * 64, "b" * 64, "c" * 64
NAMES = {FIRST: "version 1 of 2026-01-01", SECOND: "version 2 of 2026-02-01", THIRD: "version 3 of 2026-03-01"}
PASSED = Verdict(gate="series", bound="linkability", table="", comparison="at most", measured=0.4, required=0.5, passed=True)
FAILED = PASSED.model_copy(update={"measured": 1.0, "passed": False})
REASON = "The ethics board agreed on 2 November."


def figures(*earlier: str, **changes: object) -> SeriesFigures:
    said: dict[str, object] = {"people": 500, "several": 400, "came": 100, "left": 20, "compared": (compared("job"),), **changes}
    return SeriesFigures.model_validate({"earlier": earlier, **said})


def compared(*names: str, linkability: float = 0.5, candidates: int | None = 2, people: int = 400) -> ComparedFigures:
    return ComparedFigures(
        names=names, values=9, people=people, linkability=linkability, linkability_any=linkability, candidates=candidates
    )


def test_versions_are_named_by_number_and_date_and_never_by_a_digest() -> None:
    said = " ".join(series_in_words(figures(FIRST, SECOND, THIRD), [PASSED], NAMES).sentences)
    assert "compared with version 1 of 2026-01-01, version 2 of 2026-02-01 and version 3 of 2026-03-01" in said
    assert "Of the 500 people in this version, at least 400 are in an earlier one too." in said
    assert "Since version 3 of 2026-03-01, at most 100 people came, and at most 20 left." in said
    assert FIRST[:8] not in " ".join(series_in_words(figures(FIRST), [PASSED], {}).sentences)


def test_it_says_whether_the_policy_asks_for_it() -> None:
    assert "(gates.series)" in series_in_words(figures(FIRST), [PASSED], NAMES).sentences[-1]
    assert (
        "The policy sets no limits for several versions" in series_in_words(figures(FIRST, by_default=True), [PASSED], NAMES).sentences[-1]
    )


def test_why_versions_are_left_out_is_told_in_the_policys_own_words() -> None:
    some = series_in_words(figures(SECOND, not_measured=1, unmeasured=REASON), [PASSED], NAMES)
    assert some.uncompared == f"1 published version was not compared with this one. The reason that the policy gives: “{REASON}”"
    none = series_in_words(SeriesFigures(not_measured=3, unmeasured=REASON, people=500, came=500), [], {})
    assert none.uncompared.startswith("This version was not compared with any of the 3 versions published before")
    assert none.sentences == ()
    assert REASON in series_in_words(SeriesFigures(unmeasured=REASON, people=9, came=9), [], {}).uncompared


def test_a_reason_that_was_not_needed_warns_of_nothing() -> None:
    assert series_in_words(figures(FIRST, unmeasured=REASON), [PASSED], NAMES).uncompared == ""
    first = series_in_words(SeriesFigures(unmeasured=REASON, people=9, came=9), [PASSED], {})
    assert (first.uncompared, len(first.sentences)) == ("", 2)


def test_of_a_first_version_it_says_that_there_is_nothing_to_compare_with() -> None:
    said = series_in_words(SeriesFigures(people=9, came=9, compared=(compared("job"),)), [PASSED], {})
    assert said.sentences == (
        "No version was published before this one.",
        "What is required of all versions together was measured on this one alone.",
    )
    assert (said.judged, said.compared) == ((), ())


def test_a_bound_that_was_measured_on_one_version_is_not_said_to_be_of_several() -> None:
    """The page said that 100 % of the people of the version before are in this one, of a version that nobody had looked at."""
    said = series_in_words(figures(not_measured=1, unmeasured=REASON, compared=(compared("job"),)), [PASSED], NAMES)
    assert "was not compared with the version published before" in said.uncompared
    assert said.sentences == ("What is required of all versions together was measured on this one alone.",)
    assert said.judged == ()


def test_each_bound_is_told_in_words_with_whether_it_is_kept() -> None:
    k = Verdict(gate="k", table="table-1", comparison="at least", measured=9, required=3, passed=True)
    ((kept, sentence),) = series_in_words(figures(FIRST, compared=(compared("job"),)), [k, FAILED], NAMES).judged
    assert kept is False
    assert "100 % certain" in sentence
    assert "at most 50 % is allowed." in sentence


def test_the_worst_comparison_stands_first() -> None:
    lines = (
        compared("job", linkability=0.4),
        compared("income", "job", linkability=0.9),
        compared("income", linkability=0.4, candidates=1),
    )
    shown = series_in_words(figures(FIRST, compared=lines), [PASSED], NAMES).compared
    assert [each.names for each in shown] == [("income", "job"), ("income",), ("job",)]


def test_what_nothing_is_required_of_is_told_where_it_is_more() -> None:
    more = compared("job").model_copy(update={"linkability_any": 0.75})
    said = " ".join(series_in_words(figures(FIRST, SECOND, compared=(more,)), [PASSED], NAMES).sentences)
    assert "can be 75.0 % certain of somebody's sensitive value; the policy sets no limit on that." in said
    assert "sets no limit on that" not in " ".join(series_in_words(figures(FIRST, compared=(compared("job"),)), [PASSED], NAMES).sentences)


def test_what_could_not_be_compared_at_all_is_told_above_everything_else() -> None:
    """The page said that versions were compared, whose only sensitive attribute had got another name."""
    renamed = series_in_words(figures(FIRST, compared=(compared("job", people=0),)), [PASSED], NAMES)
    assert renamed.uncompared == (
        "Nothing in this version was compared with the versions before: its sensitive attributes are in none of them. If they only have "
        "new names, ask for the old ones."
    )
    assert "was compared with" not in " ".join(renamed.sentences)
    assert "(changes: true)" in series_in_words(figures(FIRST, compared=()), [PASSED], NAMES).uncompared
    strangers = figures(FIRST, came=500, not_measured=1, unmeasured=REASON, compared=(compared("job", people=0),))
    assert "nobody, or hardly anybody, is in both. 1 published version was not" in series_in_words(strangers, [PASSED], NAMES).uncompared


def test_limits_that_leave_certainty_open_are_told() -> None:
    fewest = PASSED.model_copy(update={"bound": "candidates", "measured": 5, "required": 3, "comparison": "at least"})
    assert "do not limit how certain" in series_in_words(figures(FIRST), [fewest], NAMES).sentences[-1]
    assert "do not limit" not in " ".join(series_in_words(figures(FIRST), [PASSED, fewest], NAMES).sentences)


def test_that_groups_were_kept_together_is_told() -> None:
    assert "were kept together (anonymize.series: sticky)" in " ".join(
        series_in_words(figures(FIRST, sticky=True), [PASSED], NAMES).sentences
    )
    assert "sticky" not in " ".join(series_in_words(figures(FIRST), [PASSED], NAMES).sentences)


def test_what_was_not_compared_is_named() -> None:
    """A renamed column was let through in silence, under the sentence that all groups were compared; so was one that is said to change."""
    renamed = compared("illness_code").model_copy(update={"people": 0})
    said = " ".join(series_in_words(figures(FIRST, compared=(compared("job"), renamed), changing=("income",)), [PASSED], NAMES).sentences)
    assert (
        "Not compared: 'illness_code'. No earlier version has it for anybody who is in this one. Check that it was not only renamed."
        in said
    )
    assert "Not compared: 'income'. The policy says that it is new in each version (changes: true)." in said
    nothing = series_in_words(figures(FIRST, compared=(), changing=tuple("abcdefg")), [PASSED], NAMES).sentences
    assert "was compared with" not in " ".join(nothing)
    assert "Not compared: 'a', 'b', 'c', 'd', 'e' and 2 more." in " ".join(nothing)
    assert "So nothing was measured of several versions together" in " ".join(nothing)
    assert "Not compared" not in " ".join(series_in_words(figures(FIRST, compared=(compared("job"),)), [PASSED], NAMES).sentences)


def test_where_nothing_is_compared_no_number_of_people_is_said_to_be_of_several_versions() -> None:
    """It said that nobody is seen to have another value, and that nobody is in an earlier version, where most of the people are."""
    changed = Verdict(gate="series", bound="changed", table="", comparison="at most", measured=0, required=0.05, passed=True)
    said = series_in_words(figures(FIRST, several=0, alone=0.4, changing=("job",), compared=()), [PASSED, changed], NAMES)
    assert [sentence[:50] for _, sentence in said.judged] == ["Given this version, alone or together with those p"]
    assert "Of the 500 people in this version, at least 400 are in an earlier one too." in " ".join(said.sentences)
