"""What only an object store does, over HTTP: see test_release_store.py for what every store must."""

from __future__ import annotations

from typing import Any

import pytest

from headgate.core.errors import PublicationFailed, StoreUnavailable
from tasks.publication.withdraw import withdraw
from tasks.stores.store_s3 import BucketSeries, BucketStore, Objects, open_store
from tasks.verification.audit import verify_audit

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
        with pytest.raises(OSError, match="the object store answered with") as failed:
            work()
        assert "SECRET" not in str(failed.value)
        assert "127.0.0.1" not in str(failed.value)
        assert failed.value.__cause__ is None


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


def test_a_publication_whose_server_went_away_is_finished_when_it_is_back(
    world_on_s3: Any, series: BucketSeries, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidate = world_on_s3.seal()
    world_on_s3.approve(candidate, "ann", "bob")
    honest = Objects.create

    def gone(self: Objects, key: str, content: bytes) -> bool:
        if key.endswith("report.html"):
            monkeypatch.setattr(Objects, "_do", lambda *_arguments: _raise())
        return honest(self, key, content)

    def _raise() -> None:
        raise OSError(5, "the object store answered with GenericError")

    with monkeypatch.context() as broken:
        broken.setattr(Objects, "create", gone)
        broken.setattr(Objects, "_do", Objects._do)
        with pytest.raises(PublicationFailed, match="could not be written"):
            world_on_s3.publish(candidate)
    assert series.versions() == ()
    assert world_on_s3.publish(candidate).version == 1
    assert verify_audit(world_on_s3.home, world_on_s3.ledger).unfinished == ()
