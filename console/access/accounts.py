"""Accounts: one for each principal, opened by a one-time link, and entered by a password or through a provider."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta

from console.access.account_store import AccountStore, digest_of, new_token
from console.access.passwords import Passwords

FIRST, COMMAND = "the first start", "the command line"  # who lets people in besides operators; no principal has a space


@dataclass(frozen=True)
class Invitation:
    """`principal` is empty in the first one of all: an operator names themselves."""

    principal: str
    invited_by: str
    ends: datetime


@dataclass(frozen=True)
class Accounts:
    store: AccountStore
    passwords: Passwords
    invited: timedelta

    def any(self) -> bool:
        with self.store.writing() as database:
            return database.execute("SELECT 1 FROM accounts LIMIT 1").fetchone() is not None

    def has(self, principal: str) -> bool:
        with self.store.writing() as database:
            return database.execute("SELECT 1 FROM accounts WHERE principal = ?", (principal,)).fetchone() is not None

    def names(self) -> tuple[str, ...]:
        with self.store.writing() as database:
            return tuple(row[0] for row in database.execute("SELECT principal FROM accounts ORDER BY principal"))

    def invite(self, principal: str, invited_by: str) -> str:
        """The token of a link that counts once. An earlier one for the same person no longer does."""
        token, now = new_token(), self.store.clock()
        with self.store.writing() as database:
            database.execute("DELETE FROM invitations WHERE principal = ? OR ends < ?", (principal, now.isoformat()))
            row = (digest_of(token), principal, invited_by, now.isoformat(), (now + self.invited).isoformat())
            database.execute("INSERT INTO invitations VALUES (?, ?, ?, ?, ?)", row)
        return token

    def invitation(self, token: str) -> Invitation | None:
        with self.store.writing() as database:
            row = database.execute("SELECT * FROM invitations WHERE digest = ?", (digest_of(token),)).fetchone()
        if row is None or self.store.clock() >= datetime.fromisoformat(row["ends"]):
            return None
        return Invitation(row["principal"], row["invited_by"], datetime.fromisoformat(row["ends"]))

    def join(self, token: str, principal: str, password: str | None = None, issuer: str | None = None, subject: str | None = None) -> bool:
        """Uses up the invitation. False if somebody was faster, if the person has an account, or if somebody else signs in through that
        provider's account."""
        kept = None if password is None else self.passwords.hash(password)
        row = (principal, kept, issuer, subject, self.store.clock().isoformat())
        try:
            with self.store.writing() as database:
                used = database.execute(
                    "DELETE FROM invitations WHERE digest = ? AND principal IN (?, '')", (digest_of(token), principal)
                ).rowcount
                if used:
                    database.execute("INSERT INTO accounts VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError:
            return False
        return bool(used)

    def check(self, principal: str, password: str) -> str:
        """What is kept of the password, if it is the right one; else empty."""
        with self.store.writing() as database:
            row = database.execute("SELECT password FROM accounts WHERE principal = ?", (principal,)).fetchone()
        kept = None if row is None else row["password"]
        return str(kept) if self.passwords.matches(password, kept) else ""

    def set_password(self, principal: str, password: str) -> None:
        with self.store.writing() as database:
            database.execute("UPDATE accounts SET password = ? WHERE principal = ?", (self.passwords.hash(password), principal))

    def ways_in(self, principal: str) -> tuple[bool, str | None]:
        """Whether there is a password, and the provider through which they sign in."""
        with self.store.writing() as database:
            row = database.execute("SELECT password, issuer FROM accounts WHERE principal = ?", (principal,)).fetchone()
        return (False, None) if row is None else (row["password"] is not None, row["issuer"])

    def of_subject(self, issuer: str, subject: str) -> str | None:
        """Whose account it is at the provider."""
        with self.store.writing() as database:
            row = database.execute("SELECT principal FROM accounts WHERE issuer = ? AND subject = ?", (issuer, subject)).fetchone()
        return None if row is None else str(row["principal"])

    def told(self, principal: str) -> int:
        """The number of the last event about their access that they have said to know."""
        with self.store.writing() as database:
            row = database.execute("SELECT seq FROM told WHERE principal = ?", (principal,)).fetchone()
        return 0 if row is None else int(row["seq"])

    def tell(self, principal: str, seq: int) -> None:
        with self.store.writing() as database:
            database.execute("INSERT OR REPLACE INTO told SELECT principal, ? FROM accounts WHERE principal = ?", (seq, principal))

    def close(self, principal: str) -> None:
        """With its sessions and links."""
        with self.store.writing() as database:
            database.execute("DELETE FROM accounts WHERE principal = ?", (principal,))
            database.execute("DELETE FROM invitations WHERE principal = ?", (principal,))
