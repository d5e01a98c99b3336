from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from headgate.core.errors import InputRejected
from tasks.signing.keys import load_key
from tasks.signing.sshsig import sign_bytes, verify_bytes
from tests.unit.tasks.signing.openssh import accepted_by_keygen, made_by_keygen

pytestmark = pytest.mark.skipif(shutil.which("ssh-agent") is None, reason="ssh-agent is not installed")


@pytest.fixture
def socket(tmp_path: Path) -> Iterator[str]:
    """An agent of the test's own."""
    path = f"/tmp/agent-{os.getpid()}-{tmp_path.name[-8:]}"  # a socket's path is short
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL)
    while not os.path.exists(path):
        assert agent.poll() is None
    yield path
    agent.terminate()
    agent.wait()


@pytest.mark.parametrize("kind", [("ed25519",), ("rsa", "-b", 3072)], ids=str)
def test_a_key_that_an_agent_holds_signs_without_its_private_half(socket: str, kind: tuple[object, ...], tmp_path: Path) -> None:
    (tmp_path / "signers").write_text(f"ann {made_by_keygen(tmp_path / 'k', *kind)}\n")
    with pytest.raises(InputRejected, match="does not hold the key"):
        load_key(tmp_path / "k.pub", {"SSH_AUTH_SOCK": socket})
    added = subprocess.run(["ssh-add", str(tmp_path / "k")], env={**os.environ, "SSH_AUTH_SOCK": socket}, capture_output=True, check=False)
    assert added.returncode == 0
    (tmp_path / "k").unlink()
    key = load_key(tmp_path / "k.pub", {"SSH_AUTH_SOCK": socket})
    (tmp_path / "x.sig").write_bytes(sign_bytes(b"message", key))
    assert accepted_by_keygen(tmp_path / "signers", tmp_path / "x.sig", b"message")
    assert verify_bytes(b"message", (tmp_path / "x.sig").read_bytes(), "x") == key.key


def test_an_agent_that_does_not_answer_is_said_so(tmp_path: Path) -> None:
    made_by_keygen(tmp_path / "k", "ed25519")
    with pytest.raises(InputRejected, match="did not sign"):
        load_key(tmp_path / "k.pub", {"SSH_AUTH_SOCK": str(tmp_path / "absent")})
