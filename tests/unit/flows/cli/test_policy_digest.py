"""`headgate policy digest`: what an auditor compares with the digest in the ledger."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from policies.shipped import SHIPPED, shipped_policy

SHIPPED_POLICY = Path(str(shipped_policy(min(SHIPPED))))


def digest(run: Any, file: Path, text: str) -> str:
    file.write_text(text)
    printed = run("policy", "digest", file)
    assert (printed.code, printed.err) == (0, "")
    return str(printed.out.strip())


def test_the_digest_of_a_policy_follows_its_meaning_and_the_files_that_it_names(run: Any, tmp_path: Path) -> None:
    folder = shutil.copytree(SHIPPED_POLICY.parent, tmp_path / "policies")
    file, text = folder / SHIPPED_POLICY.name, SHIPPED_POLICY.read_text()
    first = digest(run, file, text)
    assert len(first) == 64
    assert digest(run, file, f"# a comment\n{text}") == first
    assert text.count("approval: {required: 2}") == 1
    assert digest(run, file, text.replace("approval: {required: 2}", "approval: {required: 3}")) != first


def test_what_is_no_policy_has_no_digest(run: Any, tmp_path: Path) -> None:
    assert run("policy", "digest", tmp_path / "nothing.yaml").code == 2
