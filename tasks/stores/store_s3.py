"""Series published to an object store: `s3://bucket/prefix/<target>/<number>/`, and `latest.json`. Credentials and the server come from the
environment (AWS_…), never from the address.

There is no rename here. A version is claimed by an object with its candidate's digest; its files follow, each created once; the
attestation is the last, and without it nobody sees a version. So a killed publication leaves a claim and files that no reader takes for
anything. They belong to the candidate whose claim it is: its next publication takes up those that are the same, writes the others anew
and removes the rest; or `clear` removes them all. A request that was given up may still be done later, so nothing is removed once the
attestation may be on its way.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from headgate.core.errors import PublicationFailed, StoreUnavailable
from tasks.runtime.server_certificates import CURES, certificate_problem
from tasks.stores.files import Stored, stored_again
from tasks.stores.release_store import VISIBLE_BY, WITHDRAWN, latest_file, named_in

if TYPE_CHECKING:
    from obstore.store import BackoffConfig, S3Store

NUMBER = re.compile("[1-9][0-9]{0,8}")
CLAIMS, LATEST = ".claims", "latest.json"
MOVES = 10  # attempts to move `latest` against others who move it at the same moment
SECONDS = 10  # for an answer to a request; one more for each of these bytes that go or come with it
BYTES_A_SECOND = 2**20
RETRIES = 3
CONNECT = timedelta(seconds=5)
PAUSE: BackoffConfig = {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=2)}
CURE = (
    "Check the bucket, its permissions, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL; then run it again."
)

T = TypeVar("T")


def _may_be_plain() -> bool:
    """A server without TLS: only where the operator says so."""
    return os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true"


def _cure() -> str:
    if os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://") and not _may_be_plain():
        return (
            "AWS_ENDPOINT_URL begins with http://: give that server TLS and write https://, or set AWS_ALLOW_HTTP=true. Then run it again."
        )
    return CURE


def open_store(address: str) -> BucketStore:
    parts = urlsplit(address)
    if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise StoreUnavailable(
            "The address of the s3 store is not s3://bucket or s3://bucket/prefix.",
            "Give credentials in the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION.",
        )
    return BucketStore(parts.netloc, parts.path.strip("/"))


@dataclass(frozen=True)
class Objects:
    """One bucket. What it cannot do is refused without a word of the server's answer."""

    bucket: str

    @cached_property
    def _stores(self) -> dict[int, S3Store]:
        return {}

    def _store(self, size: int = 0) -> S3Store:
        """For a request about so many bytes. One that was given up in time is not tried again; one that failed at once is."""
        from obstore.store import S3Store

        seconds = SECONDS + size // BYTES_A_SECOND
        if seconds not in self._stores:
            plain = _may_be_plain()
            in_time = timedelta(seconds=seconds)
            self._stores[seconds] = S3Store(
                self.bucket,
                client_options={"timeout": in_time, "connect_timeout": CONNECT, "allow_http": plain},
                retry_config={"max_retries": RETRIES, "retry_timeout": in_time, "backoff": PAUSE},
            )
        return self._stores[seconds]

    def create(self, key: str, content: bytes) -> bool:
        """False if the object is there; nothing is ever written over."""
        from obstore.exceptions import AlreadyExistsError

        with suppress(AlreadyExistsError):
            self._do(
                lambda obstore: obstore.put(self._store(len(content)), key, content, mode="create", use_multipart=False), AlreadyExistsError
            )
            return True
        return False

    def read(self, key: str) -> tuple[bytes, str | None]:
        """The bytes and the e-tag; FileNotFoundError if nothing is there."""

        def get(obstore: Any) -> tuple[bytes, str | None]:
            answer = obstore.get(self._store(), key)
            if answer.meta["size"] > BYTES_A_SECOND:
                answer = obstore.get(self._store(answer.meta["size"]), key)
            return bytes(answer.bytes()), answer.meta["e_tag"]

        return self._do(get)

    def replace(self, key: str, content: bytes, e_tag: str | None) -> bool:
        """Compare and swap: False if somebody else was faster."""
        from obstore.exceptions import PreconditionError

        if e_tag is None:
            return self.create(key, content)
        with suppress(PreconditionError):
            self._do(
                lambda obstore: obstore.put(self._store(), key, content, mode={"e_tag": e_tag}, use_multipart=False), PreconditionError
            )
            return True
        return False

    def delete(self, key: str) -> None:
        self._do(lambda obstore: obstore.delete(self._store(), key))

    def keys(self, prefix: str) -> tuple[str, ...]:
        """Of every object below."""
        return self._do(lambda obstore: tuple(found["path"] for batch in obstore.list(self._store(), prefix or None) for found in batch))

    def names(self, prefix: str) -> tuple[str, ...]:
        """Of what lies directly below, as a folder or as an object."""

        def listed(obstore: Any) -> tuple[str, ...]:
            found = obstore.list_with_delimiter(self._store(), prefix or None)
            paths = [*found["common_prefixes"], *(one["path"] for one in found["objects"])]
            return tuple(path.rstrip("/").rsplit("/", 1)[-1] for path in paths)

        return self._do(listed)

    def _do(self, work: Callable[[Any], T], *expected: type[Exception]) -> T:
        import obstore
        from obstore.exceptions import BaseError, NotFoundError

        begun = time.monotonic()
        try:
            return work(obstore)
        except expected:
            raise
        except NotFoundError:
            problem: Exception = FileNotFoundError(2, "there is no such object or bucket")
        except (BaseError, ValueError) as foreign:
            certificate = certificate_problem(foreign)
            reason = "it gave no answer in time" if time.monotonic() - begun >= SECONDS else f"a request failed ({type(foreign).__name__})"
            problem = StoreUnavailable(f"The object store s3://{self.bucket} cannot be used: {reason}.", _cure())
            if certificate:
                problem = StoreUnavailable(f"The server of the object store s3://{self.bucket} {certificate}.", CURES[certificate])
        raise problem from None


@dataclass(frozen=True)
class BucketStore:
    bucket: str
    prefix: str

    def series(self, target: str) -> BucketSeries:
        return BucketSeries(Objects(self.bucket), self.prefix, target)

    def targets(self) -> frozenset[str]:
        below = f"{self.prefix}/" if self.prefix else ""
        ends = re.compile(rf"(.+)/{NUMBER.pattern}/{re.escape(VISIBLE_BY)}")
        found = (ends.fullmatch(key.removeprefix(below)) for key in Objects(self.bucket).keys(self.prefix))
        return frozenset(match[1] for match in found if match)


@dataclass
class BucketDraft:
    """`kept` is the file that makes the version visible: written last, by `place`. `left`: what lies under this claim already."""

    series: BucketSeries
    number: int
    written: set[str] = field(default_factory=set)
    kept: bytes | None = None
    left: frozenset[str] = frozenset()
    on_its_way: bool = False

    def write(self, path: str, content: bytes) -> None:
        if path in self.written or (path == VISIBLE_BY and self.kept is not None):
            raise FileExistsError(17, "a file is written once")
        if path == VISIBLE_BY:
            self.kept = content
            return
        self._put(path, content)
        self.written.add(path)

    def _put(self, path: str, content: bytes) -> None:
        """What is there already must be the same, if it is of a version in place or of a request that was not answered."""
        key, objects = self.series.key(self.number, path), self.series.objects
        if objects.create(key, content):
            return
        there, e_tag = objects.read(key)
        if there != content and not (key in self.left and objects.replace(key, content, e_tag)):
            raise FileExistsError(17, "an object with other bytes is there")

    def read(self) -> Mapping[str, Stored]:
        there = self.series.read(self.number)
        return there if self.kept is None else {**there, VISIBLE_BY: Stored(VISIBLE_BY, self.kept)}

    def place(self) -> bool:
        if self.kept is None:
            raise FileNotFoundError(2, f"{VISIBLE_BY} was not written")
        for key in self.left - {self.series.key(self.number, path) for path in self.written}:
            self.series.objects.delete(key)
        self.on_its_way = True
        try:
            self._put(VISIBLE_BY, self.kept)
        except FileExistsError:
            return False
        return self.series.objects.read(self.series.key(self.number, VISIBLE_BY))[0] == self.kept


@dataclass(frozen=True)
class BucketSeries:
    objects: Objects
    prefix: str
    target: str

    @property
    def _root(self) -> str:
        return f"{self.prefix}/{self.target}" if self.prefix else self.target

    def key(self, number: int, path: str = "") -> str:
        return f"{self._root}/{number}/{path}"

    def address(self, number: int | None = None) -> str:
        return f"s3://{self.objects.bucket}/{self._root}" + ("" if number is None else f"/{number}")

    def prepare(self) -> None:
        missing = False
        try:
            self.objects.names(self._root)
        except FileNotFoundError:
            missing = True
        if missing:
            raise StoreUnavailable(f"The store {self.address()} cannot be used: there is no such bucket.", CURE)

    def numbers(self) -> tuple[int, ...]:
        claimed = _numbers(self.objects.names(f"{self._root}/{CLAIMS}"))
        return tuple(sorted({*claimed, *self.versions()}))

    def versions(self) -> tuple[int, ...]:
        return tuple(number for number in _numbers(self.objects.names(self._root)) if VISIBLE_BY in self.objects.names(self.key(number)))

    @contextmanager
    def begin(self, number: int, candidate: str) -> Iterator[BucketDraft]:
        claimed = self.objects.create(self._claim(number), candidate.encode())
        if not claimed and not self._is_claimed_by(number, candidate):
            raise PublicationFailed(
                f"{self.address(number)} is claimed by another candidate.",
                "If it was never published, remove the claim; then publish again.",
            )
        draft = BucketDraft(self, number, left=self._left(number))
        try:
            yield draft
        finally:
            if not draft.on_its_way:
                with suppress(StoreUnavailable):  # a server that is gone is asked once; what is left is cleared next time
                    self.clear(number, candidate)

    def clear(self, number: int, candidate: str) -> None:
        if self._is_claimed_by(number, candidate) and not self._is_in_place(number):
            for key in self._left(number):
                self.objects.delete(key)
            self.objects.delete(self._claim(number))

    def _claim(self, number: int) -> str:
        return f"{self._root}/{CLAIMS}/{number}"

    def _is_claimed_by(self, number: int, candidate: str) -> bool:
        with suppress(FileNotFoundError):
            return self.objects.read(self._claim(number))[0] == candidate.encode()
        return False

    def _is_in_place(self, number: int) -> bool:
        """Asked of the object itself: a list may come late."""
        with suppress(FileNotFoundError):
            self.objects.read(self.key(number, VISIBLE_BY))
            return True
        return False

    def _left(self, number: int) -> frozenset[str]:
        """Of a version in place, nothing: none of it is ever replaced or removed."""
        return frozenset() if self._is_in_place(number) else frozenset(self.objects.keys(self.key(number).rstrip("/")))

    def read(self, number: int) -> Mapping[str, Stored]:
        below = self.key(number)
        paths = (key.removeprefix(below) for key in self.objects.keys(below.rstrip("/")))
        return {path: stored_again(path, partial(self._content, below + path)) for path in paths}

    def _content(self, key: str) -> bytes:
        return self.objects.read(key)[0]

    def mark_withdrawn(self, number: int, envelope: bytes) -> None:
        self.objects.create(self.key(number, WITHDRAWN), envelope)

    def latest(self) -> int | None:
        return self._latest()[0]

    def _latest(self) -> tuple[int | None, str | None]:
        try:
            content, e_tag = self.objects.read(f"{self._root}/{LATEST}")
        except FileNotFoundError:
            return None, None
        return named_in(content), e_tag

    def point_latest(self, number: int | None) -> None:
        for _ in range(MOVES):
            named, e_tag = self._latest()
            if named == number or self.objects.replace(f"{self._root}/{LATEST}", latest_file(number), e_tag):
                return
        raise StoreUnavailable(f"Others keep moving latest of {self.address()}.", "Wait for them, then run the same command again.")


def _numbers(names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(sorted(int(name) for name in names if NUMBER.fullmatch(name)))
