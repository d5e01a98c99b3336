"""Who has signed in, on the server's side: the browser holds a random token, the store its digest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from console.access.account_store import AccountStore, digest_of, new_token

NOTED = timedelta(minutes=1)  # how exactly it is known when somebody was last seen


@dataclass(frozen=True)
class Sessions:
    store: AccountStore
    idle: timedelta
    longest: timedelta

    def begin(self, principal: str, password: str | None = None) -> str:
        """A new token at every sign-in, whatever the browser had before. `password`: what was kept of it when it was found to be right; a
        session begins only while that is kept still, and the account is there. Else the token is empty."""
        token, now = new_token(), self.store.clock()
        with self.store.writing() as database:
            database.execute(
                "DELETE FROM sessions WHERE begun < ? OR seen < ?", ((now - self.longest).isoformat(), (now - self.idle).isoformat())
            )
            row = (digest_of(token), now.isoformat(), now.isoformat(), principal, password)
            begun = database.execute(
                "INSERT INTO sessions SELECT ?, principal, ?, ? FROM accounts WHERE principal = ? AND password IS coalesce(?, password)",
                row,
            ).rowcount
        return token if begun else ""

    def principal(self, token: str) -> str | None:
        """Whose session it is; None if there is no such session, or it has ended."""
        now, digest = self.store.clock(), digest_of(token)
        with self.store.writing() as database:
            row = database.execute("SELECT principal, begun, seen FROM sessions WHERE digest = ?", (digest,)).fetchone()
            if row is None:
                return None
            seen = datetime.fromisoformat(row["seen"])
            if now - datetime.fromisoformat(row["begun"]) >= self.longest or now - seen >= self.idle:
                database.execute("DELETE FROM sessions WHERE digest = ?", (digest,))
                return None
            if now - seen >= NOTED:
                database.execute("UPDATE sessions SET seen = ? WHERE digest = ?", (now.isoformat(), digest))
        return str(row["principal"])

    def end(self, token: str) -> None:
        with self.store.writing() as database:
            database.execute("DELETE FROM sessions WHERE digest = ?", (digest_of(token),))

    def end_all(self, principal: str) -> None:
        """On every machine and in every browser."""
        with self.store.writing() as database:
            database.execute("DELETE FROM sessions WHERE principal = ?", (principal,))

    def open(self, principal: str) -> int:
        with self.store.writing() as database:
            return int(database.execute("SELECT COUNT(*) FROM sessions WHERE principal = ?", (principal,)).fetchone()[0])
