"""Keys behind SSH_AUTH_SOCK: the agent signs, and the private half never comes here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from headgate.core.errors import InputRejected
from tasks.signing.public_keys import RSA, PublicKey

RSA_SHA2_512 = 4
SECONDS = 120  # a security key waits for a touch and a PIN


def agent_signer(public: PublicKey, socket: str) -> Callable[[bytes], bytes]:
    """What signs with this key, if the agent has it; InputRejected at once if it has not."""
    flags = RSA_SHA2_512 if public.kind == RSA else 0

    async def ask(signed: bytes | None) -> bytes:
        from asyncssh.agent import SSHAgentClient

        async with SSHAgentClient(socket) as agent:
            if signed is not None:
                return bytes(await agent.sign(public.blob, signed, flags))
            return public.blob if await agent.get_keys([public.blob]) else b""

    def asked(signed: bytes | None) -> bytes:
        try:
            # In a thread of its own, since a loop may be running in this one.
            with ThreadPoolExecutor(1, thread_name_prefix="agent") as pool:
                return pool.submit(asyncio.run, asyncio.wait_for(ask(signed), SECONDS)).result()
        except (ValueError, OSError, TimeoutError):
            raise InputRejected("The agent behind SSH_AUTH_SOCK did not sign.", "Check it with: ssh-add -l.") from None

    if not asked(None):
        raise InputRejected(f"The agent behind SSH_AUTH_SOCK does not hold the key {public.fingerprint}.", "Add it with: ssh-add KEY.")
    return asked
