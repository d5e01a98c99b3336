"""What is said beforehand, against every partition there is."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from headgate.bounds.feasibility import Outlook, feasibility, ways_to_publish
from headgate.core.columns import Kind, Role
from headgate.core.encode import ColumnSpec, encode_table
from headgate.core.errors import InputRejected
from headgate.core.hierarchy import Hierarchy
from headgate.grouping.limits import dissimilarity, linkability
from tests.unit.headgate.bounds.every_partition import EveryPartition, floor, random_case


def check_case(seed):
    """Returns what was said and what is true."""
    table, limits, promises, k = random_case(np.random.default_rng(seed))
    if table.rows < k:
        return None
    said = feasibility(limits, k, table.select(table.sensitive))
    every = EveryPartition(table.rows, k, promises)
    exists = every.exists()
    if said.guaranteed:
        assert every.equitable_exists(), seed
    if said.certificate is not None:
        assert not exists, seed
        assert 1 <= said.to_suppress <= every.fewest_suppressed(), seed
    if said.against_faithful is not None:
        assert not every.equitable_exists(), seed
    return said, exists


def _campaign(seeds):
    seen = dict.fromkeys(Outlook, 0)
    faithful_only = impossible = 0
    for seed in seeds:
        found = check_case(seed)
        if found is not None:
            said, exists = found
            seen[said.outlook] += 1
            impossible += not exists
            faithful_only += said.certificate is None and said.against_faithful is not None
    assert min(seen.values()) > len(seeds) // 12
    assert faithful_only > len(seeds) // 30
    assert seen[Outlook.REFUTED] > 0.9 * impossible  # certificates are not complete, but of use


@pytest.mark.slow
def test_no_certificate_no_guarantee_and_no_bound_on_suppression_is_ever_wrong():
    """Certificates against all and against equitable partitions, Lemma 2, and the fewest suppressed rows, by trying every partition."""
    _campaign(range(300))


@pytest.mark.long
def test_nor_in_thousands_of_other_tables():
    _campaign(range(300, 4300))


ROADS = Hierarchy.from_rows([("a", "north", "*"), ("b", "north", "*"), ("c", "south", "*")], "road")

QUASI = {
    "age": ColumnSpec("age", Kind.INTEGER, Role.QUASI),
    "sex": ColumnSpec("sex", Kind.CATEGORY, Role.QUASI),
    "road": ColumnSpec("road", Kind.CATEGORY, Role.QUASI, hierarchy=ROADS),
    "day": ColumnSpec("day", Kind.DATE, Role.QUASI),
}


def _form(name, cells):
    """What is published of a group: DEFINITIONS §1 and §4."""
    if name == "sex":
        return frozenset(cells)
    if len(set(cells)) == 1:
        return cells[0]
    if None in cells:
        return "whole"
    if name == "age":
        return min(cells), max(cells)
    if name == "road":
        return "north" if set(cells) == {"a", "b"} else "*"
    parts = [(day[:4], (int(day[5:7]) - 1) // 3, day[5:7]) for day in cells]
    return next((parts[0][:size] for size in (3, 2, 1) if len({part[:size] for part in parts}) == 1), "whole")


def _quasi_table(draw, names, rows, values=3, holes=0.1):
    cells = {
        "age": draw.integers(0, values, rows).tolist(),
        "sex": draw.choice(list("fmx")[:values], rows).tolist(),
        "road": draw.choice(list("abc")[:values], rows).tolist(),
        "day": draw.choice(["2020-01-03", "2020-01-09", "2020-02-01", "2021-07-07"][: values + 1], rows).tolist(),
    }
    return {name: [None if draw.random() < holes else cell for cell in cells[name]] for name in names}


def test_groups_are_never_published_in_more_ways_than_counted():
    """All sets of rows of small tables, by what is published of each."""
    draw = np.random.default_rng(5)
    tight = 0
    for _ in range(60):
        names = draw.choice(list(QUASI), int(draw.integers(1, 3)), replace=False).tolist()
        rows = int(draw.integers(1, 8))
        cells = _quasi_table(draw, names, rows, int(draw.integers(1, 4)))
        frame = pd.DataFrame({name: pd.Series(cells[name], dtype=object) for name in names})
        table = encode_table(frame, {name: QUASI[name] for name in names})
        groups = [[row for row in range(rows) if mask >> row & 1] for mask in range(1, 1 << rows)]
        forms = {tuple(_form(name, [cells[name][row] for row in group]) for name in names) for group in groups}
        counted = ways_to_publish(table.select(names), 10**9)
        assert counted is not None
        assert len(forms) <= counted
        tight += len(forms) == counted
    assert tight > 10
    assert ways_to_publish(table.select(names), counted) is None


@pytest.mark.slow
def test_proofs_from_what_is_published_hold_against_every_partition_as_it_would_be_published():
    """Groups that are published alike are one class; every partition and every choice of suppressed rows of up to 7 rows."""
    refuted = 0
    for seed in range(500):
        draw = np.random.default_rng(seed)
        rows, k = int(draw.integers(3, 8)), int(draw.choice([1, 1, 2, 3]))
        if rows < k:
            continue
        name = ["age", "sex", "road"][int(draw.integers(0, 3))]
        quasi = _quasi_table(draw, [name], rows, int(draw.integers(1, 3)), 0.0)[name]
        words = draw.choice(["x", "y", "z", "u"], rows, p=[0.4, 0.2, 0.2, 0.2]).tolist()
        delta = [Fraction(1, 3), Fraction(1, 2), Fraction(4, 5), Fraction(1)][int(draw.integers(0, 4))]
        specs = {name: QUASI[name], "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
        table = encode_table(pd.DataFrame({name: quasi, "word": words}), specs)
        said = feasibility([dissimilarity(table.select(["word"]), 0, delta)], k, table.select(["word"]), table.select([name]))
        if said.certificate is None or said.certificate.ways is None:
            continue
        refuted += 1

        def kept(group, words=words, delta=delta):
            most = 0 if len(group) == 1 and delta > 0 else floor((1 - delta) * (len(group) - 1)) + 1
            return all(sum(words[i] == words[j] for j in group) <= most for i in group)

        fewest = rows
        for groups, gone in _divisions(rows, k):
            classes = {}
            for group in groups:
                classes.setdefault(_form(name, [quasi[row] for row in group]), []).extend(group)
            if groups and all(map(kept, groups)) and all(map(kept, classes.values())):
                fewest = min(fewest, gone)
        assert 1 <= said.to_suppress <= fewest, seed
        assert "the published quasi-identifiers form at most" in said.sentence()
    assert refuted >= 40


def _divisions(rows, k):
    """Every way to suppress some rows and divide the others into groups of at least k."""

    def grow(row, groups, gone):
        if row == rows:
            if all(len(group) >= k for group in groups):
                yield [list(group) for group in groups], gone
            return
        yield from grow(row + 1, groups, gone + 1)
        for group in groups:
            group.append(row)
            yield from grow(row + 1, groups, gone)
            group.pop()
        groups.append([row])
        yield from grow(row + 1, groups, gone)
        groups.pop()

    return grow(0, [], 0)


def test_two_sexes_can_be_published_in_three_ways_and_three_classes_hold_fewer_equal_rows():
    """40 rows, k = 2, δ = 1/2: groups of three hold two equal rows each, 26 in all; three classes hold ⌊40/2 + 3/2⌋ = 21."""
    words = ["x"] * 22 + [f"v{i}" for i in range(18)]
    specs = {"sex": QUASI["sex"], "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE)}
    table = encode_table(pd.DataFrame({"sex": list("fm") * 20, "word": words}), specs)
    limit = dissimilarity(table.select(["word"]), "0", "0.5")
    assert feasibility([limit], 2).certificate is None
    found = feasibility([limit], 2, quasi=table.select(["sex"])).certificate
    assert (found.rows, found.bound, found.ways, found.to_suppress) == (22, 21, 3, 1)


def _words(values, harmless=()):
    specs = {
        "age": QUASI["age"],
        "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE, nonsensitive=frozenset(harmless)),
    }
    return encode_table(pd.DataFrame({"age": range(len(values)), "word": list(values)}), specs)


def test_rows_that_nobody_needs_protection_from_do_not_spoil_the_guarantee():
    """900 of 1000 rows share a harmless value: they are neighbours of nobody who could be harmed."""
    table = _words(["none"] * 900 + [f"v{i % 20}" for i in range(100)], ["none"])
    (one,) = feasibility([dissimilarity(table.select(["word"]), "0", "0.6")], 10).limits
    assert one.largest_degree == 899
    assert one.binding_degree == 4
    assert one.guaranteed


def test_limits_that_are_guaranteed_one_by_one_need_not_be_together():
    """Four rows in pairs, and three attributes that each make two other pairs alike: no pairing is left, though each leaves two."""
    frame = pd.DataFrame({"age": range(4), "a": list("xxyy"), "b": list("xyxy"), "c": list("xyyx")})
    specs = {"age": QUASI["age"]} | {name: ColumnSpec(name, Kind.CATEGORY, Role.SENSITIVE) for name in "abc"}
    table = encode_table(frame, specs)
    limits = [dissimilarity(table.select([name]), "0", "1") for name in "abc"]
    assert all(feasibility([limit], 2).guaranteed for limit in limits)
    found = feasibility(limits, 2)
    assert all(one.guaranteed for one in found.limits)
    assert found.outlook is Outlook.OPEN
    assert "only trying" in found.sentence()
    spread = encode_table(pd.concat([frame, frame.assign(a=list("pqrs"), b=list("pqrs"), c=list("pqrs"))]), specs)
    assert feasibility([dissimilarity(spread.select([name]), "0", "1") for name in "ab"], 2).guaranteed


def test_a_limit_that_no_group_can_break_does_not_bind():
    table = _words("aab" * 3)
    found = feasibility([dissimilarity(table.select(["word"]), "0", "0"), linkability(table["word"], "1")], 2)
    assert found.outlook is Outlook.GUARANTEED
    assert [one.binds for one in found.limits] == [False, False]


def test_all_is_known_of_a_table_without_limits():
    table = _words("abc")
    assert feasibility([], 3, table.select(["word"])).outlook is Outlook.GUARANTEED


@pytest.mark.parametrize(("rows", "k", "told"), [(3, 4, "3 rows"), (3, 0, "k = 0")])
def test_groups_that_cannot_be_are_refused(rows, k, told):
    table = _words("abc"[:rows])
    with pytest.raises(InputRejected, match=told):
        feasibility([dissimilarity(table.select(["word"]), "0", "0.5")], k)


def test_values_are_named_to_the_steward_only():
    """They stand in a field of their own, in no text form."""
    table = _words(["secret"] * 9 + ["other"])
    found = feasibility([linkability(table["word"], "0.5")], 2, table.select(["word"]))
    assert found.certificate is not None
    assert found.certificate.values == ("secret",)
    assert "secret" not in repr(found) + repr(found.certificate) + str(found.certificate) + found.sentence()
    assert found.certificate.share == 0.9
    assert found.to_suppress == 8  # one secret, one other


def test_the_strongest_proof_of_several_limits_is_told():
    """8 of 10 rows are alike, k = 2. At δ = 0.5 the two others allow four of them, two in each group of three; at linkability 0.3 a group
    of four holds one beside three others, so all 8 must go."""
    table = _words(["x"] * 8 + ["y", "z"])
    found = feasibility([dissimilarity(table.select(["word"]), "0", "0.5"), linkability(table["word"], "0.3")], 2)
    assert [one.certificate.to_suppress for one in found.limits] == [4, 8]
    assert found.to_suppress == 8
    assert found.certificate.limit == "linkability of word"


def test_a_million_rows_are_looked_at_in_a_moment():
    """2,000 distinct values: what is counted does not depend on the rows."""
    draw = np.random.default_rng(1)
    rows = 1_000_000
    specs = {
        "age": QUASI["age"],
        "word": ColumnSpec("word", Kind.CATEGORY, Role.SENSITIVE),
        "weeks": ColumnSpec("weeks", Kind.INTEGER, Role.SENSITIVE, domain=(0, 99)),
    }
    frame = pd.DataFrame(
        {"age": np.arange(rows) % 70, "word": draw.choice(list("abcdefghijklmnopqrst"), rows), "weeks": draw.integers(0, 100, rows)}
    )
    table = encode_table(frame, specs)
    limit = dissimilarity(table.select(["word", "weeks"]), "0.1", "0.7")
    feasibility([limit], 10)
    begin = time.process_time()
    found = feasibility([limit], 10, table.select(["word", "weeks"]), table.select(["age"]))
    assert time.process_time() - begin < 1.0
    assert found.outlook is Outlook.GUARANTEED


def test_table_1_is_beyond_what_lemma_2_and_inequality_4_speak_of(syndromes):
    """n = 10, Θ = 6, δ = 0.1: in pairs t = ⌊0.9⌋ = 0 and Lemma 2 allows 5·1/2, in fives t = ⌊3.6⌋ = 3 and it allows 2·4/2; Inequality 4
    allows 5·(1 − 0.1/2) and 5·(1 − 0.1·4/5). So neither says anything for this table."""
    for k in (2, 5):
        limit = dissimilarity(syndromes.select(["syndrome"]), "0.1", "0.1")
        (one,) = feasibility([limit], k).limits
        t = {2: 0, 5: 3}[k]
        assert one.largest_degree == one.binding_degree == 6
        assert one.lemma_2_bound == Fraction((10 // k) * (t + 1), 2)
        assert one.inequality_4_bound == 5 * (1 - Fraction(k - 1, k) / 10)
        assert one.bottleneck == pytest.approx(1 - 12 / 10)
        assert not one.guaranteed


def test_inequality_4_may_hold_where_nothing_exists():
    """DEFINITIONS §4: n = 3, k = 2, δ = 0.6, one similar pair satisfies Inequality 4 and is infeasible."""
    table = _words("aab")
    found = feasibility([dissimilarity(table.select(["word"]), "0", "0.6")], 2)
    (one,) = found.limits
    assert one.largest_degree == 1
    assert one.inequality_4_slack == pytest.approx(3 / 2 * (1 - 0.5 * 0.6) - 1)
    assert one.inequality_4_slack > 0
    assert one.lemma_2_slack == -0.5
    assert found.outlook is Outlook.REFUTED


def test_lemma_2_has_the_slack_of_its_floors():
    """1000 rows, k = 10, δ = 0.6: m = 100, t = ⌊0.4·9⌋ = 3, so Θ ≤ 200; of 150 equal rows each has 149 neighbours. Inequality 4 allows
    500·(1 − 0.9·0.6) = 230."""
    table = _words(["x"] * 150 + [f"v{i}" for i in range(850)])
    found = feasibility([dissimilarity(table.select(["word"]), "0", "0.6")], 10)
    assert found.outlook is Outlook.GUARANTEED
    assert (found.limits[0].lemma_2_slack, found.limits[0].inequality_4_slack) == (51, 81)
    assert found.limits[0].bottleneck == pytest.approx(0.702)
