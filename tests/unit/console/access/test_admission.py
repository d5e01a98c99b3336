from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from console.access.account_store import AccountStore
from console.access.accounts import Accounts
from console.access.admission import Admission, access_of, ended_access
from console.access.passwords import PasswordCost, Passwords
from console.access.sessions import Sessions
from headgate.core.errors import HeadgateError, InputRejected, StoreUnavailable
from tasks.approval import kept_passkeys
from tasks.ledger.followed_ledger import FollowedLedger
from tasks.ledger.open_ledger import open_ledger
from tasks.runtime.home import Home
from tests.unit.tasks.approval.test_kept_passkeys import made

MADE = made()
PASSWORD = "a long password"


@pytest.fixture
def admission(tmp_path: Path) -> Admission:
    home = Home.open(tmp_path / "home")
    accounts = Accounts(AccountStore.open(home.root), Passwords(PasswordCost(1, 64, 1)), timedelta(days=2))
    return Admission(home, open_ledger(home), accounts)


def told(admission: Admission, person: str) -> list[str]:
    return [event.event for _, event in access_of(FollowedLedger(admission.ledger).history(), person)]


def test_an_invitation_and_who_followed_it_are_events(admission: Admission) -> None:
    token = admission.invite("anna", "operator")
    assert admission.join(token, "anna", PASSWORD)
    invited, joined = [event for _, event in access_of(FollowedLedger(admission.ledger).history(), "anna")]
    assert (invited.event, invited.invited_by) == ("invited", "operator")
    assert (joined.event, joined.invited_by) == ("joined", "operator")
    assert [entry.actor for entry in admission.ledger.entries()] == ["operator", "anna"]
    assert not admission.join(token, "anna", PASSWORD)
    assert not admission.join(admission.invite("bert", "operator"), "anna", PASSWORD)
    assert told(admission, "anna") == ["invited", "joined"]


def test_whoever_has_an_account_is_not_invited_but_their_access_is_reset(admission: Admission) -> None:
    admission.join(admission.invite("anna", "operator"), "anna", PASSWORD)
    with pytest.raises(InputRejected, match="has an account"):
        admission.invite("anna", "operator")
    with pytest.raises(InputRejected, match="has no account"):
        admission.reset("bert", "operator")
    assert told(admission, "anna") == ["invited", "joined"]
    assert admission.accounts.check("anna", PASSWORD)


def test_a_reset_leaves_nothing_to_whoever_comes_in_by_it_and_tells_who_made_it(admission: Admission) -> None:
    admission.join(admission.invite("anna", "operator"), "anna", PASSWORD)
    kept_passkeys.keep_passkey(admission.home, "anna", MADE, admission.ledger.now())
    sessions = Sessions(admission.accounts.store, timedelta(hours=1), timedelta(hours=1))
    session = sessions.begin("anna")
    admission.accounts.tell("anna", 99)
    token = admission.reset("anna", "operator")
    assert sessions.principal(session) is None
    assert not admission.accounts.check("anna", PASSWORD)
    assert kept_passkeys.kept_passkeys(admission.home, "anna") == ()
    assert admission.join(token, "anna", "another password")
    ((seq, event),) = ended_access(FollowedLedger(admission.ledger).history(), "anna")
    assert (seq, event.event, event.invited_by, event.passkeys) == (3, "access_reset", "operator", (MADE.key.fingerprint,))
    assert admission.accounts.told("anna") == 0, "what somebody else has read is not read"


def test_to_close_an_account_and_invite_again_is_told_like_a_reset(admission: Admission) -> None:
    admission.join(admission.invite("anna", "operator"), "anna", PASSWORD)
    admission.close("anna", "operator")
    admission.join(admission.invite("anna", "operator"), "anna", PASSWORD)
    assert [event.event for _, event in ended_access(FollowedLedger(admission.ledger).history(), "anna")] == ["access_closed", "invited"]
    admission.close("nobody", "operator")
    assert told(admission, "nobody") == []


def test_whoever_is_invited_again_after_all_accounts_were_lost_is_told(admission: Admission) -> None:
    admission.join(admission.invite("anna", "operator"), "anna", PASSWORD)
    assert ended_access(FollowedLedger(admission.ledger).history(), "anna") == ()
    admission.accounts.store.path.unlink()
    accounts = Accounts(AccountStore.open(admission.home.root), admission.accounts.passwords, timedelta(days=2))
    Admission(admission.home, admission.ledger, accounts).invite("anna", "bert")
    ((_, event),) = ended_access(FollowedLedger(admission.ledger).history(), "anna")
    assert (event.event, event.invited_by) == ("invited", "bert")


def test_nobody_is_let_in_of_whom_no_event_tells(admission: Admission, monkeypatch: pytest.MonkeyPatch) -> None:
    token = admission.invite("anna", "operator")

    def fails(*_: object) -> None:
        raise StoreUnavailable("The ledger cannot be used.", "Look at it.")

    monkeypatch.setattr("console.access.admission.record_of_home", fails)
    for act in (
        lambda: admission.join(token, "anna", PASSWORD),
        lambda: admission.invite("bert", "operator"),
    ):
        with pytest.raises(HeadgateError):
            act()
    assert admission.accounts.names() == ()
    assert told(admission, "bert") == []
