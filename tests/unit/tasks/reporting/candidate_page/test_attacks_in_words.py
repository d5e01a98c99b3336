from __future__ import annotations

from policies.gates.figures import AttackGain
from tasks.reporting.candidate_page.attacks_in_words import attack_answer, attack_sentences
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.language import ENGLISH


def test_the_attack_that_gains_most_stands_first_with_its_figures(hospital: CandidatePage) -> None:
    shown = attack_sentences(hospital, ENGLISH)
    assert len(shown) == sum(gain.people > 0 for gain in hospital.attack_gains)
    assert shown[0].sentence.startswith("Somebody who knows a person's 'income' and finds the person's group in table-2 is right about")
    assert " of 10,000 people; by guessing without the published tables, for 0 %." in shown[0].sentence
    assert shown[0].gains
    gained = [each.right - each.guessed for each in shown]
    assert gained == sorted(gained, reverse=True)
    assert attack_answer(hospital, ENGLISH).startswith("The attack that gains most: somebody who knows")


def test_chance_is_named_where_it_may_explain_the_difference(hospital: CandidatePage) -> None:
    chance = AttackGain(attack="homogeneity", who="somebody guesses", people=100, right=11, right_overall=10, drawn=True)
    (shown,) = attack_sentences(hospital.model_copy(update={"attack_gains": (chance,)}), ENGLISH)
    assert shown.sentence.endswith("Chance may explain the difference.")
    assert not shown.gains


def test_where_nothing_is_gained_or_tried_it_says_so(hospital: CandidatePage) -> None:
    useless = AttackGain(attack="homogeneity", who="somebody guesses", people=100, right=10, right_overall=10)
    page = hospital.model_copy(update={"attack_gains": (useless,)})
    assert attack_answer(page, ENGLISH) == "No attack that was tried gains anything over guessing from the whole table."
    untried = AttackGain(attack="homogeneity", who="", people=0)
    assert attack_answer(hospital.model_copy(update={"attack_gains": (untried,)}), ENGLISH) == ""
