from __future__ import annotations

from contextlib import ExitStack

from console.access.followers import Followers


def test_nobody_follows_so_much_that_there_is_no_room_for_others() -> None:
    followers = Followers(each=2, most=3)
    with ExitStack() as open_ones:
        assert [open_ones.enter_context(followers.following("anna")) for _ in range(3)] == [True, True, False]
        assert not followers.has_room("anna")
        assert followers.has_room("bert")
        assert [open_ones.enter_context(followers.following("bert")) for _ in range(2)] == [True, False]
        assert not followers.has_room("carla")
    with followers.following("anna") as room:
        assert room
    assert followers._open.total() == 0
