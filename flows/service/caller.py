"""What whoever asks gives to the service, and only to the home that they meant: the files that they named, and signatures on what they
asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks.service.asked_to_sign import Wish
    from tasks.service.request import Request
    from tasks.signing.keys import PrivateKey

MOST_SIGNED = 5  # a decision is signed again where others act at the same moment


@dataclass
class Caller:
    """`signed`: what has been signed of the `wish`. `home`: to which the request was proven; nothing else is signed before, and no file is
    sent where there is a key."""

    socket: Path
    asked: Request
    contents: tuple[bytes, ...]
    key: PrivateKey | None = None
    wish: Wish | None = None
    home: str = ""
    signed: list[bytes] = field(default_factory=list)

    def sign(self, payload: bytes) -> bytes:
        """Only that it was asked, and what was asked for."""
        from datetime import UTC, datetime

        from tasks.service.asked_to_sign import home_of_proof, require_wished
        from tasks.signing.signatures import bytes_to_sign
        from tasks.signing.sshsig import sign_bytes

        if self.key is None or self.wish is None:
            raise _refused("The service asked for a signature where none is needed")
        home = home_of_proof(payload, self.asked)
        if home is not None:
            self._meet(home)
            return sign_bytes(bytes_to_sign(payload), self.key)
        if not self.home:
            raise _refused("The service asked for a signature before it said for which home it speaks")
        require_wished(payload, self.wish, datetime.now(UTC))
        if len(self.signed) >= MOST_SIGNED:
            raise _refused("The service asked for more signatures than a command needs")
        self.signed.append(sign_bytes(bytes_to_sign(payload), self.key))
        return self.signed[-1]

    def hand_over(self) -> tuple[bytes, ...]:
        """The files, once."""
        if self.key is not None and not self.home:
            raise _refused("The service asked for the files before it said for which home it speaks")
        contents, self.contents = self.contents, ()
        return contents

    def _meet(self, home: str) -> None:
        from flows.terminal.output import console, plain, tell
        from tasks.service.asked_to_sign import Seal
        from tasks.service.known_homes import known_homes_file, meet_home

        if self.home not in ("", home):
            raise _refused("The service spoke for one home, and then for another")
        file = known_homes_file()
        if meet_home(home, self.socket, file):
            said = f"You ask the home {home} for the first time, at {self.socket}. Compare it with what your operator says."
            tell(console(), plain(f"{said} It is noted in {file}."))
        self.home = home
        if isinstance(self.wish, Seal):
            self.wish = replace(self.wish, home=home)


def _refused(said: str) -> Exception:
    from headgate.core.errors import Refusal, TransitionRefused

    return TransitionRefused([Refusal("statement", said)], "Tell the operator.")
