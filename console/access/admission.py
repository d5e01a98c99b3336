"""Who is let in, let in anew, or shut out, and by whom. Nothing of it is done of which no event tells."""

from __future__ import annotations

from dataclasses import dataclass

from console.access.accounts import Accounts
from headgate.core.errors import InputRejected
from policies.ledger.events_of_home import AccessClosed, AccessReset, OfHome, PersonInvited, PersonJoined
from tasks.approval.kept_passkeys import forget_passkeys, kept_passkeys
from tasks.ledger.event_log import Ledger
from tasks.ledger.followed_ledger import FollowedHistory
from tasks.ledger.record_of_home import record_of_home
from tasks.runtime.home import Home

Ended = AccessReset | AccessClosed | PersonInvited


@dataclass(frozen=True)
class Admission:
    """`invite` and `reset` return the token of a link."""

    home: Home
    ledger: Ledger
    accounts: Accounts

    def invite(self, person: str, invited_by: str) -> str:
        if self.accounts.has(person):
            raise InputRejected(f"{person} has an account already.", "If they cannot sign in any more, reset their access.")
        record_of_home(self.ledger, lambda at: PersonInvited(at=at, person=person, invited_by=invited_by), invited_by)
        return self.accounts.invite(person, invited_by)

    def reset(self, person: str, invited_by: str) -> str:
        """Nothing that let somebody in under this name stays: neither password, provider, sessions nor passkeys that were made here."""
        if not self.accounts.has(person):
            raise InputRejected(f"{person} has no account.", "Invite them.")
        passkeys = self._passkeys(person)
        record_of_home(self.ledger, lambda at: AccessReset(at=at, person=person, invited_by=invited_by, passkeys=passkeys), invited_by)
        self._end(person)
        return self.accounts.invite(person, invited_by)

    def close(self, person: str, closed_by: str) -> None:
        if self.accounts.has(person):
            passkeys = self._passkeys(person)
            record_of_home(self.ledger, lambda at: AccessClosed(at=at, person=person, closed_by=closed_by, passkeys=passkeys), closed_by)
        self._end(person)

    def join(self, token: str, person: str, password: str | None = None, issuer: str | None = None, subject: str | None = None) -> bool:
        """False where the link does not count for this person."""
        invitation = self.accounts.invitation(token)
        if invitation is None or not self.accounts.join(token, person, password, issuer, subject):
            return False
        by = invitation.invited_by
        try:
            record_of_home(self.ledger, lambda at: PersonJoined(at=at, person=person, invited_by=by), person)
        except BaseException:
            self.accounts.close(person)  # nobody is let in of whom no event tells
            raise
        return True

    def _passkeys(self, person: str) -> tuple[str, ...]:
        return tuple(kept.key.fingerprint for kept in kept_passkeys(self.home, person))

    def _end(self, person: str) -> None:
        self.accounts.close(person)
        forget_passkeys(self.home, person)


def access_of(history: FollowedHistory, person: str) -> tuple[tuple[int, OfHome], ...]:
    """All that happened to somebody's access, oldest first, each with its number."""
    return tuple((seq, event) for seq, event in history.of_home if event.subject == person)


def ended_access(history: FollowedHistory, person: str) -> tuple[tuple[int, Ended], ...]:
    """By whom it was ended, so that others may have come in under their name. Who has joined and is invited again had lost their account,
    be it with all others."""
    ended: list[tuple[int, Ended]] = []
    joined = False
    for seq, event in access_of(history, person):
        joined = joined or isinstance(event, PersonJoined)
        if isinstance(event, AccessReset | AccessClosed) or (joined and isinstance(event, PersonInvited)):
            ended.append((seq, event))
    return tuple(ended)
