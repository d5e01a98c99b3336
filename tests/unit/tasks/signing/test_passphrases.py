"""Where a passphrase comes from. A terminal is a real one: a pseudo-terminal on which somebody types."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import asyncssh
import pytest

from tasks.signing.passphrases import passphrases
from tests.unit.tasks.signing.openssh import needs_ssh_keygen

ROOT = Path(__file__).resolve().parents[4]
LOADING = """
import sys
from pathlib import Path
from headgate.core.errors import HeadgateError
from tasks.signing.keys import load_key
try:
    print("loaded", load_key(Path(sys.argv[1])).fingerprint, load_key(Path(sys.argv[1])).fingerprint)
except HeadgateError as problem:
    print("refused", problem)
"""


def at_a_terminal(path: Path, *typed: str) -> str:
    """All that the terminal shows while these lines are typed, each when it is asked for."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.environ.pop("HEADGATE_KEY_PASSPHRASE", None)
        os.execv(sys.executable, [sys.executable, "-c", LOADING, str(path)])
    shown, to_type, deadline = "", list(typed), time.monotonic() + 60
    while time.monotonic() < deadline:
        ready = select.select([terminal], [], [], 1)[0]
        try:
            shown += os.read(terminal, 1000).decode() if ready else ""
        except OSError:  # the other end is closed
            break
        if to_type and shown.count("Passphrase of") == len(typed) - len(to_type) + 1:
            time.sleep(0.1)  # until what is typed is not shown any more
            os.write(terminal, to_type.pop(0).encode() + b"\n")
    os.close(terminal)
    os.waitpid(child, 0)
    return shown


@pytest.fixture
def protected(tmp_path: Path) -> Path:
    path = tmp_path / "k"
    path.write_bytes(asyncssh.generate_private_key("ssh-ed25519").export_private_key("pkcs8-pem", passphrase="open sesame"))
    path.chmod(0o600)
    return path


@pytest.mark.slow
def test_it_is_asked_for_once_at_the_terminal_and_not_shown(protected: Path) -> None:
    """It had to stand in the environment of whoever signs."""
    shown = at_a_terminal(protected, "wrong", "open sesame")
    assert f"Passphrase of {protected}: " in shown
    assert shown.count("That does not open it.") == 1
    assert "loaded SHA256:" in shown
    assert "sesame" not in shown
    assert shown.count("Passphrase of") == 2


@pytest.mark.slow
def test_after_three_wrong_ones_or_none_the_key_is_refused(protected: Path) -> None:
    assert "refused" in at_a_terminal(protected, "a", "b", "c")
    assert "is protected by a passphrase" in at_a_terminal(protected, "")


@needs_ssh_keygen
@pytest.mark.slow
def test_a_key_that_ssh_keygen_protected_opens_at_the_terminal(tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", str(tmp_path / "k")], check=True)
    fingerprint = subprocess.run(["ssh-keygen", "-l", "-f", str(tmp_path / "k.pub")], check=True, capture_output=True, text=True).stdout
    assert f"loaded {fingerprint.split()[1]}" in at_a_terminal(tmp_path / "k", "secret")


def test_where_nobody_sits_only_the_environment_gives_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, encoding="utf-8") as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        assert list(passphrases(tmp_path / "k", {})) == []
        assert list(passphrases(tmp_path / "k", {"HEADGATE_KEY_PASSPHRASE": "given"})) == ["given"]
