"""What every place that is published to must do. The one in memory passes too: the Protocols ask for all that is needed, and no more."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from headgate.core.errors import PublicationFailed
from tasks.stores import files
from tasks.stores.open_release_store import release_store
from tasks.stores.release_store import VISIBLE_BY, WITHDRAWN, ReleaseStore, Series
from tasks.stores.store_folder import FolderStore
from tests.unit.tasks.stores.memory_release_store import MemoryReleaseStore
from tests.unit.tasks.stores.schema_server import end_connections

FILES = {"head.json": b"{}", "tables/table-1.csv": b"a,b\n1,2\n", "empty": b"", VISIBLE_BY: b"signed"}
CANDIDATE, ANOTHER = "c" * 64, "d" * 64


@pytest.fixture(params=["folder", "memory", pytest.param("s3", marks=pytest.mark.slow), pytest.param("postgresql", marks=pytest.mark.slow)])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], ReleaseStore]:
    """The same place, as another process would open it."""
    match request.param:
        case "folder":
            return lambda: FolderStore(tmp_path / "releases")
        case "s3":
            address = request.getfixturevalue("s3_address")
            return lambda: release_store(address)
        case "postgresql":
            address = request.getfixturevalue("schema_address")
            return lambda: release_store(address)
        case _:
            memory = MemoryReleaseStore()
            return lambda: memory


@pytest.fixture
def killed(opened: Callable[[], ReleaseStore], request: pytest.FixtureRequest) -> Callable[[], None]:
    """What the end of every publisher's process does to the place."""
    if "postgresql" not in str(request.node.callspec.id):
        return lambda: None
    return lambda: end_connections(request.getfixturevalue("database"))


@pytest.fixture
def store(opened: Callable[[], ReleaseStore]) -> ReleaseStore:
    return opened()


@pytest.fixture
def series(store: ReleaseStore) -> Series:
    ready = store.series("people")
    ready.prepare()
    return ready


def put(series: Series, number: int, files: dict[str, bytes] | None = None, candidate: str = CANDIDATE) -> bool:
    """Whether it is there now, whole."""
    try:
        with series.begin(number, candidate) as draft:
            for path, content in (FILES if files is None else files).items():
                draft.write(path, content)
            return draft.place()
    except (PublicationFailed, FileExistsError):
        return False


def contents(series: Series, number: int) -> dict[str, bytes]:
    stored = series.read(number)
    assert all(path == file.path for path, file in stored.items())
    return {path: file.content for path, file in stored.items()}


def test_a_series_that_was_never_published_to_is_empty(store: ReleaseStore) -> None:
    series = store.series("people")
    assert (series.numbers(), series.versions(), series.latest()) == ((), (), None)
    assert store.targets() == frozenset()


def test_a_placed_version_is_read_back_whole(series: Series) -> None:
    assert put(series, 1)
    assert series.versions() == series.numbers() == (1,)
    assert contents(series, 1) == FILES


def test_files_that_are_too_large_to_be_kept_are_the_same_when_they_are_read_again(series: Series, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "KEPT_BYTES", 3)
    assert put(series, 1)
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in FILES.items()}
    assert {path: file.sha256 for path, file in series.read(1).items()} == digests
    assert contents(series, 1) == FILES


def test_a_draft_is_read_back_and_seen_by_nobody_until_it_is_placed(store: ReleaseStore, series: Series) -> None:
    with series.begin(1, CANDIDATE) as draft:
        draft.write("head.json", b"{}")
        draft.write(VISIBLE_BY, b"signed")
        assert {path: file.content for path, file in draft.read().items()} == {"head.json": b"{}", VISIBLE_BY: b"signed"}
        assert series.versions() == ()
        assert store.targets() == frozenset()
        assert draft.place()
        assert series.versions() == (1,)


def test_what_was_not_placed_is_gone(series: Series) -> None:
    with series.begin(1, CANDIDATE) as draft:
        draft.write("head.json", b"half of it")
    assert series.versions() == series.numbers() == ()
    assert put(series, 1)
    assert contents(series, 1) == FILES


def test_a_draft_that_breaks_off_leaves_nothing(series: Series) -> None:
    def break_off() -> None:
        with series.begin(1, CANDIDATE) as draft:
            draft.write("head.json", b"half of it")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        break_off()
    assert series.numbers() == ()


def test_a_version_is_placed_once_and_the_same_bytes_again_are_success(series: Series) -> None:
    assert put(series, 1)
    assert put(series, 1)
    for candidate in (CANDIDATE, ANOTHER):
        assert not put(series, 1, {**FILES, "head.json": b"another"}, candidate)
        assert not put(series, 1, {**FILES, VISIBLE_BY: b"another"}, candidate)
    assert contents(series, 1) == FILES


def test_of_two_publishers_at_once_one_wins_and_its_version_is_whole(opened: Callable[[], ReleaseStore]) -> None:
    """Each with its own candidate, file by file in turns."""
    one, two = opened().series("people"), opened().series("people")
    for series in (one, two):
        series.prepare()
    won = []
    with ExitStack() as both:
        drafts = []
        for series, candidate in ((one, CANDIDATE), (two, ANOTHER)):
            with suppress(PublicationFailed):
                drafts.append((both.enter_context(series.begin(1, candidate)), candidate))
        for path in FILES:
            for draft, candidate in drafts:
                draft.write(path, candidate.encode() + FILES[path])
        for draft, candidate in drafts:
            if draft.place():
                won.append(candidate)
    assert len(won) == 1
    assert contents(one, 1) == contents(two, 1) == {path: won[0].encode() + content for path, content in FILES.items()}


def test_a_publication_killed_half_way_shows_nothing_and_is_finished_by_the_same_candidate(
    opened: Callable[[], ReleaseStore], killed: Callable[[], None]
) -> None:
    series = opened().series("people")
    series.prepare()
    draft = series.begin(1, CANDIDATE)
    begun = draft.__enter__()  # and never left, as if the process were gone
    for path in list(FILES)[:2]:
        begun.write(path, FILES[path])
    killed()
    after = opened().series("people")
    after.prepare()
    assert after.versions() == ()
    assert opened().targets() == frozenset()
    assert put(after, 1)
    assert contents(after, 1) == FILES


def test_what_a_killed_publication_left_gives_way_to_what_the_same_candidate_writes_now(
    opened: Callable[[], ReleaseStore], killed: Callable[[], None]
) -> None:
    """An event more, a file less: what it wrote then is not what it signs now."""
    series = opened().series("people")
    series.prepare()
    left = series.begin(1, CANDIDATE)
    begun = left.__enter__()
    for path, content in {"head.json": b"older", "events.jsonl": b"older", "empty": b""}.items():
        begun.write(path, content)
    killed()
    assert put(opened().series("people"), 1)
    assert contents(series, 1) == FILES


def test_what_is_cleared_is_what_this_candidate_left_and_nothing_else(
    opened: Callable[[], ReleaseStore], killed: Callable[[], None]
) -> None:
    series = opened().series("people")
    series.prepare()
    assert put(series, 1)
    left = series.begin(2, CANDIDATE)
    left.__enter__().write("head.json", b"half of it")
    others = series.begin(3, ANOTHER)
    others.__enter__().write("head.json", b"half of it")
    killed()
    begun = 3 in series.numbers()
    for number in (1, 2, 3, 4):
        opened().series("people").clear(number, CANDIDATE)
    assert contents(series, 1) == FILES
    assert 2 not in series.numbers()
    assert (3 in series.numbers()) == begun
    assert put(series, 2, candidate=ANOTHER)
    assert put(series, 3, candidate=ANOTHER)
    assert contents(series, 2) == contents(series, 3) == FILES


def test_a_file_of_a_draft_is_written_once(series: Series) -> None:
    with series.begin(1, CANDIDATE) as draft:
        draft.write("head.json", b"first")
        with pytest.raises(OSError):
            draft.write("head.json", b"second")
        assert draft.read()["head.json"].content == b"first"


def test_versions_are_in_the_order_of_their_numbers(series: Series) -> None:
    for number in (10, 2, 1):
        assert put(series, number)
    assert series.versions() == (1, 2, 10)


def test_latest_is_pointed_moved_and_removed(series: Series) -> None:
    put(series, 1)
    put(series, 2)
    for number in (2, 2, 1, None, None, 2):
        series.point_latest(number)
        assert series.latest() == number
    assert series.versions() == (1, 2)


def test_a_withdrawal_is_added_once_and_changes_nothing_else(series: Series) -> None:
    put(series, 1)
    series.mark_withdrawn(1, b"signed")
    series.mark_withdrawn(1, b"signed again")
    assert series.numbers() == series.versions() == (1,)
    assert contents(series, 1) == {**FILES, WITHDRAWN: b"signed"}


def test_series_do_not_touch_each_other_even_where_one_lies_below_the_other(store: ReleaseStore) -> None:
    for number, target in enumerate(("people", "people-2", "office/people"), 1):
        series = store.series(target)
        series.prepare()
        assert put(series, number)
        series.point_latest(number)
    assert store.targets() == {"people", "people-2", "office/people"}
    assert [store.series(target).versions() for target in ("people", "people-2", "office/people", "office")] == [(1,), (2,), (3,), ()]
    assert store.series("office/people").latest() == 3


def test_every_version_has_an_address_of_its_own(series: Series) -> None:
    assert len({series.address(), series.address(1), series.address(2)}) == 3
    assert series.target == "people"
    assert series.target in series.address(1)


def test_preparing_again_keeps_what_is_there(series: Series) -> None:
    put(series, 1)
    series.point_latest(1)
    series.prepare()
    assert (contents(series, 1), series.latest()) == (FILES, 1)
