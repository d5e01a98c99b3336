"""What is done stays done: an error after a version is out, or after a withdrawal is recorded, says so, and how to finish the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headgate.core.errors import HeadgateError, PublicationFailed
from tasks.runtime.boundary import reason_of


@contextmanager
def partly_done(done: str, address: str, command: str) -> Iterator[None]:
    """The error keeps its kind and exit code; a disk's becomes one of ours."""
    failed: HeadgateError | None = None
    try:
        yield
    except OSError as problem:
        failed = PublicationFailed(f"{address} could not be written ({reason_of(problem)}).", "Check permissions and free space.")
    except HeadgateError as problem:
        failed = problem
    if failed is not None:
        failed.message = f"{done} {failed.message}"
        failed.cure = f"{failed.cure} Then {command} again: that finishes what is left.".strip()
        raise failed from None
