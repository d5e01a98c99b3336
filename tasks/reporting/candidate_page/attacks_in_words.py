"""What an attacker would get: each simulated attack as a sentence, the one that gains most first."""

from __future__ import annotations

from dataclasses import dataclass

from policies.gates.figures import AttackGain
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.language import Language


@dataclass(frozen=True)
class ShownAttack:
    """`right` and `guessed` are shares of the people, for a bar; `gains` says whether the attack adds to guessing at all."""

    sentence: str
    right: float
    guessed: float
    gains: bool


def attack_sentences(page: CandidatePage, language: Language) -> tuple[ShownAttack, ...]:
    """Those that a gate can bound and that could be tried."""
    tried = sorted((gain for gain in page.attack_gains if gain.people), key=lambda gain: -(gain.gain or 0.0))
    return tuple(_shown(gain, language) for gain in tried)


def _shown(gain: AttackGain, language: Language) -> ShownAttack:
    who = language.reword(gain.who)
    right, guessed = gain.right / gain.people, gain.right_overall / gain.people
    sentence = language.say(
        "%(who)s for %(right)s of %(people)s people; by guessing without the published tables, for %(guessed)s.",
        who=f"{who[0].upper()}{who[1:]}" if who else "",
        right=language.share(right),
        guessed=language.share(guessed),
        people=language.number(gain.people),
    )
    if not gain.shown and right > guessed:
        sentence += f" {language.say('Chance may explain the difference.')}"
    return ShownAttack(sentence, right, guessed, gain.shown and right > guessed)


def attack_answer(page: CandidatePage, language: Language) -> str:
    """The one that gains most, in a sentence; empty where none was tried."""
    shown = attack_sentences(page, language)
    if not shown:
        return ""
    if shown[0].right <= shown[0].guessed:
        return language.say("No attack that was tried gains anything over guessing from the whole table.")
    return language.say("The attack that gains most: %(sentence)s", sentence=f"{shown[0].sentence[0].lower()}{shown[0].sentence[1:]}")
