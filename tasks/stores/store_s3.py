"""Series published to an object store: `s3://bucket/prefix/<target>/<number>/`, and `latest.json`. Credentials and the server come from the
environment (AWS_…), never from the address.

There is no rename here. A version is claimed by an object with its candidate's digest; its files follow, each created once; the
attestation is the last, and without it nobody sees a version. So a killed publication leaves a claim and files that no reader takes for
anything, and the same candidate takes them up again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from headgate.core.errors import PublicationFailed, StoreUnavailable
from tasks.stores.files import Stored
from tasks.stores.release_store import VISIBLE_BY, WITHDRAWN

if TYPE_CHECKING:
    from obstore.store import S3Store

NUMBER = re.compile("[1-9][0-9]{0,8}")
CLAIMS, LATEST = ".claims", "latest.json"
MOVES = 10  # attempts to move `latest` against others who move it at the same moment
SECONDS = timedelta(seconds=60)

T = TypeVar("T")


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
    """One bucket. What it cannot do is an OSError that repeats nothing of the server's answer."""

    bucket: str

    @cached_property
    def _store(self) -> S3Store:
        from obstore.store import S3Store

        plain = os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true"  # a server without TLS: only where the operator says so
        return S3Store(self.bucket, client_options={"timeout": SECONDS, "allow_http": plain}, retry_config={"max_retries": 3})

    def create(self, key: str, content: bytes) -> bool:
        """False if the object is there; nothing is ever written over."""
        from obstore.exceptions import AlreadyExistsError

        with suppress(AlreadyExistsError):
            self._do(lambda obstore: obstore.put(self._store, key, content, mode="create", use_multipart=False), AlreadyExistsError)
            return True
        return False

    def read(self, key: str) -> tuple[bytes, str | None]:
        """The bytes and the e-tag; FileNotFoundError if nothing is there."""

        def get(obstore: Any) -> tuple[bytes, str | None]:
            answer = obstore.get(self._store, key)
            return bytes(answer.bytes()), answer.meta["e_tag"]

        return self._do(get)

    def replace(self, key: str, content: bytes, e_tag: str | None) -> bool:
        """Compare and swap: False if somebody else was faster."""
        from obstore.exceptions import PreconditionError

        if e_tag is None:
            return self.create(key, content)
        with suppress(PreconditionError):
            self._do(lambda obstore: obstore.put(self._store, key, content, mode={"e_tag": e_tag}, use_multipart=False), PreconditionError)
            return True
        return False

    def delete(self, key: str) -> None:
        self._do(lambda obstore: obstore.delete(self._store, key))

    def keys(self, prefix: str) -> tuple[str, ...]:
        """Of every object below."""
        return self._do(lambda obstore: tuple(found["path"] for batch in obstore.list(self._store, prefix or None) for found in batch))

    def names(self, prefix: str) -> tuple[str, ...]:
        """Of what lies directly below, as a folder or as an object."""

        def listed(obstore: Any) -> tuple[str, ...]:
            found = obstore.list_with_delimiter(self._store, prefix or None)
            paths = [*found["common_prefixes"], *(one["path"] for one in found["objects"])]
            return tuple(path.rstrip("/").rsplit("/", 1)[-1] for path in paths)

        return self._do(listed)

    def _do(self, work: Callable[[Any], T], *expected: type[Exception]) -> T:
        import obstore
        from obstore.exceptions import BaseError, NotFoundError

        try:
            return work(obstore)
        except expected:
            raise
        except NotFoundError:
            problem: OSError = FileNotFoundError(2, "there is no such object or bucket")
        except (BaseError, ValueError) as foreign:
            problem = OSError(5, f"the object store answered with {type(foreign).__name__}")
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
    """`kept` is the file that makes the version visible: written last, by `place`."""

    series: BucketSeries
    number: int
    written: dict[str, bytes] = field(default_factory=dict)
    created: list[str] = field(default_factory=list)
    kept: bytes | None = None
    placed: bool = False

    def write(self, path: str, content: bytes) -> None:
        if path in self.written or (path == VISIBLE_BY and self.kept is not None):
            raise FileExistsError(17, "a file is written once")
        if path == VISIBLE_BY:
            self.kept = content
            return
        self._put(path, content)
        self.written[path] = content

    def _put(self, path: str, content: bytes) -> None:
        """What a killed publication of the same candidate has left is taken if it is the same."""
        key = self.series.key(self.number, path)
        if self.series.objects.create(key, content):
            self.created.append(key)
        elif self.series.objects.read(key)[0] != content:
            raise FileExistsError(17, "an object with other bytes is there")

    def read(self) -> Mapping[str, Stored]:
        there = self.series.read(self.number)
        return there if self.kept is None else {**there, VISIBLE_BY: Stored(VISIBLE_BY, self.kept)}

    def place(self) -> bool:
        if self.kept is None:
            raise FileNotFoundError(2, f"{VISIBLE_BY} was not written")
        try:
            self._put(VISIBLE_BY, self.kept)
        except FileExistsError:
            return False
        self.placed = self.series.objects.read(self.series.key(self.number, VISIBLE_BY))[0] == self.kept
        return self.placed

    def give_up(self) -> None:
        """What this draft has written, and nothing of anybody else's."""
        for key in self.created:
            self.series.objects.delete(key)


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
        problem: OSError | None = None
        try:
            self.objects.names(self._root)
        except OSError as failed:
            problem = failed
        if problem is not None:
            raise StoreUnavailable(
                f"The store {self.address()} cannot be used ({problem.strerror}).",
                "Check the bucket, its permissions, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL.",
            )

    def numbers(self) -> tuple[int, ...]:
        claimed = _numbers(self.objects.names(f"{self._root}/{CLAIMS}"))
        return tuple(sorted({*claimed, *self.versions()}))

    def versions(self) -> tuple[int, ...]:
        return tuple(number for number in _numbers(self.objects.names(self._root)) if VISIBLE_BY in self.objects.names(self.key(number)))

    @contextmanager
    def begin(self, number: int, candidate: str) -> Iterator[BucketDraft]:
        claim = f"{self._root}/{CLAIMS}/{number}"
        mine = self.objects.create(claim, candidate.encode())
        if not mine and self.objects.read(claim)[0] != candidate.encode():
            raise PublicationFailed(
                f"{self.address(number)} is claimed by another candidate.",
                "If it was never published, remove the claim; then publish again.",
            )
        draft = BucketDraft(self, number)
        try:
            yield draft
        finally:
            if mine and not draft.placed:
                draft.give_up()
                self.objects.delete(claim)

    def read(self, number: int) -> Mapping[str, Stored]:
        below = self.key(number)
        paths = (key.removeprefix(below) for key in self.objects.keys(below.rstrip("/")))
        return {path: Stored(path, self.objects.read(below + path)[0]) for path in paths}

    def mark_withdrawn(self, number: int, envelope: bytes) -> None:
        self.objects.create(self.key(number, WITHDRAWN), envelope)

    def latest(self) -> int | None:
        return self._latest()[0]

    def _latest(self) -> tuple[int | None, str | None]:
        try:
            content, e_tag = self.objects.read(f"{self._root}/{LATEST}")
        except FileNotFoundError:
            return None, None
        try:
            named = json.loads(content)["version"]
        except (ValueError, KeyError, TypeError):
            named = None
        return named if isinstance(named, int) else None, e_tag

    def point_latest(self, number: int | None) -> None:
        said = {"version": number, "path": None if number is None else str(number)}
        for _ in range(MOVES):
            named, e_tag = self._latest()
            if named == number or self.objects.replace(f"{self._root}/{LATEST}", json.dumps(said).encode() + b"\n", e_tag):
                return
        raise OSError(11, "others keep moving latest")


def _numbers(names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(sorted(int(name) for name in names if NUMBER.fullmatch(name)))
