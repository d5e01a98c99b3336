"""What only an object store does, over HTTP: see test_release_store.py for what every store must."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

import tasks.stores.store_s3 as module
from headgate.core.errors import PublicationFailed, StoreUnavailable
from tasks.approval.operating import abandon, resume
from tasks.publication.withdraw import withdraw
from tasks.stores.store_s3 import BucketSeries, BucketStore, Objects, open_store
from tasks.verification.audit import verify_audit
from tests.unit.tasks.stores.faulty_proxy import FAULTS, FaultyProxy

pytestmark = pytest.mark.slow
CANDIDATE, ANOTHER = "c" * 64, "d" * 64


@pytest.fixture
def series(s3_address: str) -> BucketSeries:
    return open_store(s3_address).series("people")


def test_an_address_names_a_bucket_and_a_prefix_and_never_a_password(s3_address: str) -> None:
    assert open_store("s3://bucket/a/b/") == BucketStore("bucket", "a/b")
    for address in ("s3://", "s3://key:CANARY@bucket", "s3:///prefix", "s3://bucket?secret=CANARY"):
        with pytest.raises(StoreUnavailable) as refused:
            open_store(address)
        assert "CANARY" not in str(refused.value)
        assert "AWS_SECRET_ACCESS_KEY" in refused.value.cure


def test_nothing_is_seen_until_the_attestation_is_there_and_it_is_the_last(series: BucketSeries, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    honest = Objects.create

    def create(self: Objects, key: str, content: bytes) -> bool:
        order.append(key.removeprefix("open/data/people/"))
        return honest(self, key, content)

    monkeypatch.setattr(Objects, "create", create)
    with series.begin(1, CANDIDATE) as draft:
        draft.write("attestation.dsse.json", b"signed")
        draft.write("tables/a=b, c.csv", b"1")
        assert series.versions() == ()
        assert series.numbers() == (1,)
        assert draft.place()
    assert order == [".claims/1", "1/tables/a=b, c.csv", "1/attestation.dsse.json"]
    assert set(series.read(1)) == {"tables/a=b, c.csv", "attestation.dsse.json"}
    with pytest.raises(FileNotFoundError), series.begin(2, CANDIDATE) as draft:
        draft.place()


def test_a_number_that_another_candidate_has_claimed_is_not_taken(series: BucketSeries) -> None:
    def by_another() -> None:
        with series.begin(1, ANOTHER):
            pytest.fail("the claim did not hold")

    with series.begin(1, CANDIDATE) as draft:
        with pytest.raises(PublicationFailed, match="claimed by another candidate"):
            by_another()
        draft.write("attestation.dsse.json", b"signed")
        assert draft.place()


def test_latest_moves_by_compare_and_swap(series: BucketSeries, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else moves it between the reading and the writing: the swap fails, and what is there now is looked at."""
    series.point_latest(1)
    honest, met = Objects.replace, []

    def replace(self: Objects, key: str, content: bytes, e_tag: str | None) -> bool:
        if not met:
            met.append(honest(self, key, b'{"version": 7}', e_tag))
        met.append(honest(self, key, content, e_tag))
        return met[-1]

    monkeypatch.setattr(Objects, "replace", replace)
    series.point_latest(2)
    assert met == [True, False, True]
    assert series.latest() == 2


def test_a_server_that_is_gone_or_refuses_is_said_without_what_it_answered(
    series: BucketSeries, s3_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreUnavailable) as refused:
        open_store("s3://no-such-bucket-here/x").series("people").prepare()
    assert refused.value.code == 6
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    for work in (open_store(s3_address).series("people").versions, lambda: open_store(s3_address).series("people").point_latest(1)):
        with pytest.raises(StoreUnavailable, match=r"s3://releases-[0-9a-f]+ cannot be used: a request failed") as failed:
            work()
        assert "SECRET" not in failed.value.message
        assert "127.0.0.1" not in str(failed.value)
        assert failed.value.__cause__ is None
        assert "AWS_ENDPOINT_URL" in failed.value.cure
        assert "AWS_ALLOW_HTTP" not in failed.value.cure
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    with pytest.raises(StoreUnavailable) as plain:
        open_store(s3_address).series("people").versions()
    assert "AWS_ALLOW_HTTP=true" in plain.value.cure


@pytest.fixture
def world_on_s3(world: Any, s3_address: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HEADGATE_STORE", s3_address)
    return world


def test_releases_are_published_audited_and_withdrawn_there(world_on_s3: Any, series: BucketSeries) -> None:
    first, second = world_on_s3.published(), world_on_s3.published()
    assert (first.address, second.version, series.latest()) == (series.address(1), 2, 2)
    assert verify_audit(world_on_s3.home, world_on_s3.ledger).versions == 2
    assert withdraw(world_on_s3.home, world_on_s3.ledger, "release-2", world_on_s3.keys["ann"], "a mistake").latest == 1
    report = verify_audit(world_on_s3.home, world_on_s3.ledger)
    assert (report.faults, report.unfinished) == ((), ())
    assert "withdrawn.json" in series.read(2)


@pytest.fixture
def proxy(s3_server: str, series: BucketSeries, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[FaultyProxy]:
    """Between headgate and its bucket; what takes seconds otherwise takes less."""
    made = FaultyProxy(s3_server)
    if "silent" in request.node.name or "late" in request.node.name:
        monkeypatch.setattr(module, "SECONDS", 0.3)
    monkeypatch.setattr(module, "PAUSE", {"init_backoff": timedelta(milliseconds=1), "max_backoff": timedelta(milliseconds=2)})
    assert series.versions() == ()  # a reader whom no fault meets
    monkeypatch.setenv("AWS_ENDPOINT_URL", made.address)
    yield made
    made.stop()


FILES = {"head.json": b"{}", "tables/table-1.csv": b"a,b\n1,2\n", "attestation.dsse.json": b"signed"}


def put(series: BucketSeries, number: int, files: dict[str, bytes] = FILES) -> bool:
    with series.begin(number, CANDIDATE) as draft:
        for path, content in files.items():
            draft.write(path, content)
        draft.read()
        return draft.place()


def contents(series: BucketSeries, number: int) -> dict[str, bytes]:
    return {path: file.content for path, file in series.read(number).items()}


@pytest.mark.parametrize("once", [True, pytest.param(False, marks=pytest.mark.long)], ids=["once", "from-then-on"])
@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_a_network_does_a_version_is_whole_or_not_seen_and_the_same_call_completes(
    proxy: FaultyProxy, series: BucketSeries, s3_address: str, fault: str, once: bool
) -> None:
    """At every request; a request that was held back arrives before the second call."""
    proxy.plan(lambda number: "")
    assert put(open_store(s3_address).series("people"), 1)
    requests = proxy.count
    assert requests == 10
    refused: list[StoreUnavailable] = []
    for at in range(1, requests + 1, 3 if fault in ("silent", "late") else 1):
        number = at + 1
        proxy.plan(lambda count, at=at: fault if count == at or (count > at and not once) else "")
        try:
            assert put(open_store(s3_address).series("people"), number)
        except StoreUnavailable as problem:
            refused.append(problem)
        for _ in range(2):
            assert number not in series.versions() or contents(series, number) == FILES
            proxy.heal()
        assert put(open_store(s3_address).series("people"), number)
        assert contents(series, number) == FILES
    assert refused or (once and fault not in ("silent", "late"))
    assert all(problem.code == 6 and "CANARY" not in str(problem) for problem in refused)


def test_a_server_that_never_answers_is_given_up_in_half_a_minute(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.SECONDS * 2 + module.CONNECT.seconds < 30
    monkeypatch.setattr(module, "SECONDS", 0.5)
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(8)
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.getsockname()[1]}")
        begun = time.monotonic()
        with pytest.raises(StoreUnavailable, match="gave no answer in time") as refused:
            open_store(s3_address).series("people").prepare()
        assert time.monotonic() - begun < 2.3  # once is half a second, four times are more than 2.5
    assert refused.value.code == 6
    assert "AWS_ENDPOINT_URL" in refused.value.cure


def test_a_publication_whose_server_goes_away_anywhere_is_finished_when_it_is_back(
    world_on_s3: Any, proxy: FaultyProxy, series: BucketSeries
) -> None:
    for at, fault in ((1, "cut"), (9, "503"), (45, "cut"), (50, "503")):
        candidate = world_on_s3.seal()
        world_on_s3.approve(candidate, "ann", "bob")
        proxy.plan(lambda count, at=at, fault=fault: fault if count >= at else "")
        with pytest.raises(StoreUnavailable) as failed:
            world_on_s3.publish(candidate)
        assert failed.value.code == 6
        assert failed.value.cure
        proxy.heal()
        assert verify_audit(world_on_s3.home, world_on_s3.ledger).faults == ()
        version = world_on_s3.publish(candidate).version
        report = verify_audit(world_on_s3.home, world_on_s3.ledger)
        assert (report.faults, report.unfinished, series.latest()) == ((), (), version)


@pytest.mark.long
def test_a_withdrawal_whose_server_goes_away_anywhere_is_finished_when_it_is_back(
    world_on_s3: Any, proxy: FaultyProxy, series: BucketSeries
) -> None:
    for at in (1, 3, 5):
        release = world_on_s3.published().release.release_id
        proxy.plan(lambda count, at=at: "503" if count >= at else "")
        with pytest.raises(StoreUnavailable):
            withdraw(world_on_s3.home, world_on_s3.ledger, release, world_on_s3.keys["ann"], "a mistake")
        proxy.heal()
        assert verify_audit(world_on_s3.home, world_on_s3.ledger).faults == ()
        withdraw(world_on_s3.home, world_on_s3.ledger, release, world_on_s3.keys["ann"], "a mistake")
        report = verify_audit(world_on_s3.home, world_on_s3.ledger)
        assert (report.faults, report.unfinished, series.latest()) == ((), (), None)


@pytest.fixture
def cut_short(world_on_s3: Any, proxy: FaultyProxy, series: BucketSeries) -> Any:
    """A candidate whose publication was cut off with files in the store, and was abandoned."""
    candidate = world_on_s3.seal()
    world_on_s3.approve(candidate, "ann", "bob")
    proxy.plan(lambda count: "cut" if count >= 30 else "")
    with pytest.raises(StoreUnavailable):
        world_on_s3.publish(candidate)
    proxy.heal()
    abandon(world_on_s3.home, world_on_s3.ledger, candidate.id, world_on_s3.keys["runner"], "it went on no more")
    assert len(left_of(series, 1)) > 3
    return candidate


def left_of(series: BucketSeries, number: int) -> set[str]:
    everything = series.objects.keys(series.prefix)
    return {key for key in everything if key.startswith(series.key(number)) or key.endswith(f"/.claims/{number}")}


def test_what_an_abandoned_publication_left_is_removed_by_the_next_one_and_nothing_else(
    world_on_s3: Any, cut_short: Any, series: BucketSeries
) -> None:
    for key in (series.key(7, "head.json"), series.key(7).replace("/7/", "/.claims/7")):
        series.objects.create(key, ANOTHER.encode())
    assert world_on_s3.published().version == 8
    assert left_of(series, 1) == set()
    assert len(left_of(series, 7)) == 2
    assert verify_audit(world_on_s3.home, world_on_s3.ledger).faults == ()


def test_what_an_abandoned_publication_left_is_removed_by_its_withdrawal(world_on_s3: Any, cut_short: Any, series: BucketSeries) -> None:
    withdraw(world_on_s3.home, world_on_s3.ledger, cut_short.id, world_on_s3.keys["ann"], "a mistake")
    assert left_of(series, 1) == set()
    report = verify_audit(world_on_s3.home, world_on_s3.ledger)
    assert (report.faults, report.unfinished) == ((), ())


def test_a_publication_that_is_resumed_writes_what_it_signs_now(world_on_s3: Any, cut_short: Any, series: BucketSeries) -> None:
    """Two more events than when it was cut short: the files that hold them differ from those that were left."""
    resume(world_on_s3.home, world_on_s3.ledger, cut_short.id, world_on_s3.keys["runner"], "the server is back")
    assert world_on_s3.publish(cut_short).version == 1
    report = verify_audit(world_on_s3.home, world_on_s3.ledger)
    assert (report.faults, report.unfinished, series.latest()) == ((), (), 1)


def test_of_a_version_in_place_nothing_is_removed(series: BucketSeries) -> None:
    assert put(series, 1)
    before = left_of(series, 1)
    series.clear(1, CANDIDATE)
    with pytest.raises(ZeroDivisionError), series.begin(1, CANDIDATE):
        raise ZeroDivisionError
    assert contents(series, 1) == FILES
    assert left_of(series, 1) == before


def test_an_audit_whose_server_is_gone_says_so_and_blames_nobody(world_on_s3: Any, proxy: FaultyProxy) -> None:
    world_on_s3.published()
    proxy.plan(lambda count: "503" if 6 < count <= 7 + module.RETRIES else "")
    with pytest.raises(StoreUnavailable, match="cannot be used"):
        verify_audit(world_on_s3.home, world_on_s3.ledger)
