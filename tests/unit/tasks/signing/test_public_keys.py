from __future__ import annotations

import base64
from pathlib import Path

import asyncssh
import pytest

from headgate.core.errors import InputRejected
from tasks.signing.keys import make_key
from tasks.signing.public_keys import SMALL_ORDER, fingerprint_of, public_key, read_public_key
from tests.unit.tasks.signing.openssh import keygen, made_by_keygen, needs_ssh_keygen, text

PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME


def added(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    """The sum of two points of edwards25519, by the textbook."""
    (a, b), (c, d) = one, two
    product = D * a * b * c * d % PRIME
    return (a * d + b * c) * pow(1 + product, -1, PRIME) % PRIME, (b * d + a * c) * pow(1 - product, -1, PRIME) % PRIME


def points_of(y: int) -> list[tuple[int, int]]:
    square = (y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME
    root = pow(square, (PRIME + 3) // 8, PRIME)
    if root * root % PRIME != square:
        root = root * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    return [(root, y), (-root % PRIME, y)] if root * root % PRIME == square else []


def eightfold(point: tuple[int, int]) -> tuple[int, int]:
    for _ in range(3):
        point = added(point, point)
    return point


def test_the_listed_points_are_all_that_eight_additions_bring_to_zero() -> None:
    listed = {int.from_bytes(y, "little") for y in SMALL_ORDER}
    for y in listed:
        assert points_of(y % PRIME)
        assert all(eightfold(point) == (0, 1) for point in points_of(y % PRIME))
    # A point of order 8 and its multiples are the whole subgroup; besides, y may be written past the prime where that fits 255 bits.
    eighth = next(
        point for y in listed for point in points_of(y % PRIME) if added(added(point, point), added(point, point)) == (0, PRIME - 1)
    )
    subgroup, point = set(), (0, 1)
    for _ in range(8):
        point = added(point, eighth)
        subgroup.add(point[1])
    assert {y % PRIME for y in listed} == subgroup
    assert {y for y in listed if y >= PRIME} == {PRIME, PRIME + 1}


@pytest.mark.parametrize("sign", [0x00, 0x80])
@pytest.mark.parametrize("y", sorted(SMALL_ORDER))
def test_a_key_in_whose_name_anybody_can_sign_is_refused(y: bytes, sign: int) -> None:
    point = y[:31] + bytes([y[31] | sign])
    for kind, after in (("ssh-ed25519", b""), ("sk-ssh-ed25519@openssh.com", text(b"ssh:"))):
        blob = text(kind.encode()) + text(point) + after
        with pytest.raises(InputRejected, match="anybody can sign"):
            public_key(kind, base64.b64encode(blob).decode(), "line 1")


@needs_ssh_keygen
@pytest.mark.parametrize(
    "kind",
    [("ed25519",), ("ecdsa",), ("ecdsa", "-b", 384), ("ecdsa", "-b", 521), ("rsa", "-b", 3072)],
    ids=lambda kind: "-".join(map(str, kind)),
)
def test_keys_that_ssh_keygen_makes_have_the_fingerprint_it_prints(kind: tuple[object, ...], tmp_path: Path) -> None:
    line = made_by_keygen(tmp_path / "k", *kind)
    key = read_public_key(tmp_path / "k.pub")
    assert key.line == line
    assert key.fingerprint == keygen("-l", "-f", tmp_path / "k.pub").stdout.decode().split()[1]


@needs_ssh_keygen
def test_a_short_rsa_key_is_refused(tmp_path: Path) -> None:
    made_by_keygen(tmp_path / "k", "rsa", "-b", 2048)
    with pytest.raises(InputRejected, match="2048 bits is too weak"):
        read_public_key(tmp_path / "k.pub")


def test_one_key_has_one_spelling(tmp_path: Path) -> None:
    kind, whole = make_key(tmp_path / "k").public.split()
    blob = base64.b64decode(whole)
    for other in (whole + "=", whole[:-4], base64.b64encode(blob + b"\0").decode(), base64.b64encode(blob[:-1]).decode(), ""):
        with pytest.raises(InputRejected, match="not a complete"):
            public_key(kind, other, "line 1")
    with pytest.raises(InputRejected, match="not a complete"):
        public_key("ssh-rsa", whole, "line 1")
    with pytest.raises(InputRejected, match="not accepted"):
        public_key("ssh-dss", whole, "line 1")


def test_what_is_no_public_key_is_said_to_be_none(tmp_path: Path) -> None:
    made = make_key(tmp_path / "k")
    assert read_public_key(tmp_path / "k.pub").line == made.public
    (tmp_path / "policy.yaml").write_text("schema: 1\n", encoding="utf-8")
    for wrong in ("k", "policy.yaml"):
        with pytest.raises(InputRejected, match="does not hold a public key"):
            read_public_key(tmp_path / wrong)
    with pytest.raises(InputRejected, match="does not exist"):
        read_public_key(tmp_path / "absent")


def test_a_fingerprint_is_the_hash_of_the_wire_form() -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    assert fingerprint_of(key.public_data) == key.get_fingerprint()
