"""The sentence that answers the first question, and where the decision stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from policies.ledger.states import State
from tasks.reporting.candidate_page.page_content import CandidatePage
from tasks.reporting.language import Language, message

NUMBERS = (
    message("no"),
    message("one"),
    message("two"),
    message("three"),
    message("four"),
    message("five"),
    message("six"),
    message("seven"),
    message("eight"),
    message("nine"),
    message("ten"),
    message("eleven"),
    message("twelve"),
)
ENDED = {
    State.APPROVED: message("It is approved, and goes out when it is published."),
    State.PUBLISHING: message("It is being published."),
    State.STALLED: message("It is approved, but its publication has come to a halt: the operator must resume or abandon it."),
    State.PUBLISHED: message("It is published."),
    State.SUPERSEDED: message("It was published, and a newer version has taken its place."),
    State.WITHDRAWN: message("It was published, and has been withdrawn."),
    State.REJECTED: message("No: it was rejected."),
    State.CHANGES_REQUESTED: message("No: changes were requested. The next candidate of the dataset answers them."),
    State.EXPIRED: message("No: nobody decided in time, and it has expired."),
}
GOOD = (State.AWAITING_APPROVAL, State.APPROVED, State.PUBLISHING, State.PUBLISHED, State.SUPERSEDED)


@dataclass(frozen=True)
class Standing:
    """Where the decision stands, by the ledger; the sealed report knows nothing of it. `missing` is what `Quorum.missing` gives: how many
    people by role, and under "" how many others."""

    state: State = State.AWAITING_APPROVAL
    signed: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """`tone`: good, bad, or warn where it could have gone out and does not."""

    sentence: str
    tone: str


def may_it_go_out(page: CandidatePage, language: Language, standing: Standing | None = None) -> Answer:
    """One sentence, or two where the ledger has more to say than the page."""
    if not page.passed:
        return Answer(_refused(page, language), "bad")
    met = all_met(len(page.verdicts), language)
    if standing is not None and standing.state in ENDED:
        tone = "good" if standing.state in GOOD else "warn"
        return Answer(f"{language.say(ENDED[standing.state])} {met}.", tone)
    return Answer(f"{met}; {_needed(page, standing, language)}.", "good")


def all_met(number: int, language: Language) -> str:
    if number == 2:
        return language.say("Both requirements are met")
    return language.count("The only requirement is met", "All %(number)s requirements are met", number)


def must_sign(missing: Mapping[str, int], language: Language, in_all: bool = False) -> str:
    """Whose signatures are lacking, as a sentence. `in_all`: before anybody had signed, since who has is hidden."""
    people = sum(missing.values())
    if in_all:
        said = language.ngettext("one person must sign in all", "%(people)s people must sign in all", people)
    else:
        said = language.ngettext("one more person must sign", "%(people)s more people must sign", people)
    roles = {role: number for role, number in missing.items() if role}
    sentence = f"{said % {'people': in_words(people, language)}}{_from_roles(roles, people, language)}."
    return sentence[:1].upper() + sentence[1:]


def _refused(page: CandidatePage, language: Language) -> str:
    failed = len(page.refused_by)
    missed = sum(not outcome.success for outcome in page.outcomes)
    if failed:
        whole = language.number(len(page.verdicts))
        return language.count(
            "It may not go out: %(number)s of %(whole)s requirements is not met.",
            "It may not go out: %(number)s of %(whole)s requirements are not met.",
            failed,
            whole=whole,
        )
    if missed and not page.refusal:
        return language.count(
            "It may not go out: %(number)s expectation of the data is not met.",
            "It may not go out: %(number)s expectations of the data are not met.",
            missed,
        )
    if page.refusal:
        return language.say("It may not go out: the run ended before there was anything to publish.")
    return language.say("It may not go out: nothing was judged.")


def _needed(page: CandidatePage, standing: Standing | None, language: Language) -> str:
    approvals = page.approvals
    if standing is not None and standing.signed:
        missing = sum(standing.missing.values())
        given = language.ngettext("one approval is given", "%(approvals)s approvals are given", standing.signed)
        still = language.ngettext("one more is needed", "%(approvals)s more are needed", missing)
        roles = {role: number for role, number in standing.missing.items() if role and number > 0}
        parts = [given % {"approvals": in_words(standing.signed, language)}, still % {"approvals": in_words(missing, language)}]
        return f"{', '.join(parts)}{_from_roles(roles, missing, language)}"
    if approvals is None:
        return language.say("it waits for approval")
    needed = language.ngettext("one approval is needed", "%(approvals)s approvals are needed", approvals)
    return f"{needed % {'approvals': in_words(approvals, language)}}{_from_roles(page.roles, approvals, language)}"


def _from_roles(roles: Mapping[str, int], people: int, language: Language) -> str:
    """…, one of them from data protection and one from methods."""
    if not roles:
        return ""
    if len(roles) == 1 and sum(roles.values()) == people:
        return language.say(", from %(role)s", role=role_name(next(iter(roles)), language))
    parts: list[str] = []
    for role, number in sorted(roles.items()):
        said = "%(people)s of them from %(role)s" if not parts else "%(people)s from %(role)s"
        parts.append(language.say(said, people=in_words(number, language), role=role_name(role, language)))
    return f", {language.listed(parts)}"


SAID = (message("%(people)s of them from %(role)s"), message("%(people)s from %(role)s"))
ROLES = (message("data protection"), message("methods"), message("legal"), message("management"))


def role_name(role: str, language: Language) -> str:
    return language.gettext(role.replace("-", " "))


def in_words(number: int, language: Language) -> str:
    """Up to twelve in letters."""
    return language.gettext(NUMBERS[number]) if 0 <= number < len(NUMBERS) else language.number(number)


def reasons(page: CandidatePage, language: Language, sentences: Sequence[str]) -> tuple[str, ...]:
    """Why a release was refused, where a gate does not say it: `sentences`, and what was expected of the data and not found."""
    if page.passed:
        return ()
    failed = [
        language.say("The expectation %(name)s was not met.", name=outcome.expectation) for outcome in page.outcomes if not outcome.success
    ]
    return (*sentences, *failed[:3])
