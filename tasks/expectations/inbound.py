"""Step 2: the suite that follows from the policy, and the steward's own, over the source's cells.

The steward's suite is data: JSON of known expectation types with plain arguments. Types that run queries or fetch schemas, and
arguments that Great Expectations would evaluate as code (row conditions, parameters), are refused.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial, reduce
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import compute

from headgate.core.columns import Role
from headgate.core.encode import ColumnSpec
from headgate.core.errors import Defect, PolicyInvalid
from headgate.core.tolerance import TOLERANCE
from policies.schema.attribute import Attribute
from policies.schema.policy import Policy
from policies.schema.source_key import ExpectedRows
from policies.words.fields import choices
from tasks.expectations.in_frames import COLUMN_KEYS, names_in, run_in_frames
from tasks.expectations.running import ExpectationOutcome, Expected, import_great_expectations
from tasks.reading.ingest import Ingested
from tasks.reading.references import LoadedPolicy

REFUSED_TYPES = (
    "unexpected_rows_expectation",
    "expect_query_results_to_match_comparison",
    "expect_table_row_count_to_equal_other_table",
    "expect_column_values_to_match_json_schema",
)
REFUSED_KEYS = {"row_condition", "condition_parser", "batch_id", "result_format", "catch_exceptions", "rendered_content", "windows"}
PATTERN_KEYS = ("regex", "regex_list")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def expect_inbound(loaded: LoadedPolicy, ingested: Ingested, previous_rows: int | None = None) -> tuple[ExpectationOutcome, ...]:
    """One outcome per expectation. `previous_rows` is the number of rows of the previous release of the dataset, where there is one."""
    cells = ingested.cells
    if cells is None:
        raise Defect("Expectations are checked after the cells were let go.", "This is a defect of headgate; please report it.")
    expected = [*derived_suite(loaded.policy, ingested.specs, previous_rows), *steward_suite(loaded, cells.columns)]
    return run_in_frames(cells, expected)


def derived_suite(policy: Policy, specs: Mapping[str, ColumnSpec], previous_rows: int | None = None) -> Iterator[Expected]:
    """What the policy says of its source, said again as expectations."""
    present = [name for name, attribute in policy.attributes.items() if attribute.role is not Role.DROPPED]
    columns = [column for name in present for column in policy.attributes[name].read_columns(name)]
    yield Expected("expect_table_columns_to_match_set", {"column_set": columns, "exact_match": True})
    yield from _rows(policy.expect.rows, policy.anonymize.k, previous_rows)
    for name in present:
        attribute = policy.attributes[name]
        for column in attribute.read_columns(name):
            yield Expected("expect_column_to_exist", {"column": column})
            if attribute.role is Role.IDENTIFIER:
                yield Expected("expect_column_values_to_not_be_null", {"column": column})
                yield Expected("expect_column_values_to_be_unique", {"column": column})
            elif attribute.role is Role.WEIGHT:
                yield Expected("expect_column_values_to_not_be_null", {"column": column})
                yield Expected("expect_column_values_to_be_between", {"column": column, "min_value": 0.0, "strict_min": True})
            elif name in policy.expect.missing:
                least = 1 - policy.expect.missing[name]
                yield Expected("expect_column_values_to_not_be_null", {"column": column, "mostly": max(float(least) - TOLERANCE, 0.0)})
            if attribute.role not in (Role.IDENTIFIER, Role.HOUSEHOLD):
                yield from _values(column, attribute, specs[name])


def _rows(rows: ExpectedRows, k: int, previous_rows: int | None) -> Iterator[Expected]:
    yield Expected("expect_table_row_count_to_be_between", {"min_value": max(k, rows.min or 0), "max_value": rows.max})
    if rows.change is not None and previous_rows is not None:
        low = math.ceil(max(Decimal(0), 1 - rows.change) * previous_rows)
        yield Expected(
            "expect_table_row_count_to_be_between", {"min_value": low, "max_value": math.floor((1 + rows.change) * previous_rows)}
        )


def _values(column: str, attribute: Attribute, spec: ColumnSpec) -> Iterator[Expected]:
    """Kind and domain of one column."""
    yield from _stored(column, spec)
    if attribute.domain is not None:
        low, high = (_moment(end) if isinstance(end, str) else float(end) for end in attribute.domain)
        yield Expected("expect_column_values_to_be_between", {"column": column, "min_value": low, "max_value": high})
    yield from _accepted(column, spec)


def _stored(column: str, spec: ColumnSpec) -> Iterator[Expected]:
    stored = spec.kind.rules.storage
    if stored in ("number", "integer"):
        yield Expected("expect_column_values_to_be_of_type", {"column": column, "type_": "float64"})
    if stored == "integer":
        yield Expected("expect_column_numbers_to_be_whole", {"column": column}, lambda frame: _fractions(frame[column]))
    if stored == "date":
        yield Expected("expect_column_values_to_be_of_type", {"column": column, "type_": "datetime64[ns]"})


def _accepted(column: str, spec: ColumnSpec) -> Iterator[Expected]:
    """The values that the policy lists, or the leaves of its hierarchy."""
    accepted = [value.strip() for value in spec.levels or spec.declared]  # the frame's cells have no blanks around them either
    if spec.kind.rules.levels_above and not accepted and spec.hierarchy is not None:
        accepted = [str(leaf) for leaf in spec.hierarchy.leaves]
    if not spec.kind.rules.single and accepted:
        declared, mark = frozenset(accepted), spec.separator
        yield Expected(
            "expect_column_set_members_to_be_declared", {"column": column}, lambda frame: _strangers(frame[column], mark, declared)
        )
    elif accepted:
        yield Expected("expect_column_values_to_be_in_set", {"column": column, "value_set": accepted})


def _fractions(numbers: pd.Series) -> int:
    return int((numbers.dropna() % 1 != 0).sum())


def _strangers(cells: pd.Series, separator: str, declared: frozenset[str]) -> int:
    """Distinct sets that have a member outside the declared values."""
    return sum(not {part.strip() for part in cell.split(separator)} - {""} <= declared for cell in cells.dropna().unique())


def steward_suite(loaded: LoadedPolicy, columns: Sequence[str]) -> tuple[Expected, ...]:
    """The suite of `expect.suite`, if the policy names one."""
    text, path = loaded.references.suite, loaded.policy.expect.suite
    if text is None:
        return ()
    where = f"The suite {path}"
    try:
        content = json.loads(text)
        line = 0
    except json.JSONDecodeError as problem:
        content, line = None, problem.lineno
    listed = content.get("expectations") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        place = f"line {line} is not JSON" if line else "it has no list 'expectations'"
        raise PolicyInvalid(f"{where} cannot be read: {place}.", 'Write {"expectations": [{"type": …, "kwargs": {…}}, …]}.')
    return tuple(_checked(item, f"{where}, expectation {place}", columns) for place, item in enumerate(listed, 1))


def _checked(item: Any, where: str, columns: Sequence[str]) -> Expected:
    if not isinstance(item, dict) or not isinstance(item.get("type"), str) or not isinstance(item.get("kwargs", {}), dict):
        raise PolicyInvalid(f"{where} has no type or no kwargs.", 'Write {"type": "expect_…", "kwargs": {…}}.')
    kind, kwargs = item["type"], item.get("kwargs", {})
    known = known_types()
    if kind not in known:
        raise PolicyInvalid(
            f"{where} is of a type that is not accepted: '{kind[:80]}'.",
            f"Accepted: Great Expectations' own types that look at one table{_near(kind, known)}.",
        )
    accepted = known[kind] - REFUSED_KEYS
    for key, value in kwargs.items():
        if key not in accepted:
            raise PolicyInvalid(
                f"{where} ({kind}) has the argument '{key}', which is not accepted.", f"Accepted: {choices(sorted(accepted), key)}."
            )
        if not _plain(value):
            raise PolicyInvalid(f"{where} ({kind}): '{key}' is not a plain value.", "Give texts, numbers, true or false, or lists of them.")
    for key in PATTERN_KEYS:
        if not all(map(_ends_soon, names_in(kwargs.get(key)))):
            raise PolicyInvalid(
                f"{where} ({kind}): '{key}' is not a regular expression of RE2, so it could be tried for ever.",
                "Write it without look-ahead, look-behind and back references.",
            )
    named = [name for key in COLUMN_KEYS for name in names_in(kwargs.get(key))]
    for name in named:
        if name not in columns:
            raise PolicyInvalid(
                f"{where} ({kind}) names '{name}', which is not a column.", f"Columns that are read: {choices(columns, name)}."
            )
    moments = {key: _moment(value) if key in ("min_value", "max_value") else value for key, value in kwargs.items()}
    if not _constructible(kind, moments):
        raise PolicyInvalid(f"{where} ({kind}) has arguments that do not fit together.", "See Great Expectations' page of this type.")
    if any(key in kwargs for key in PATTERN_KEYS):
        return Expected("expect_column_texts_to_match_patterns", {"column": kwargs["column"]}, partial(_unmatched, kind, kwargs), kind)
    return Expected(kind, moments)


def _unmatched(kind: str, kwargs: Mapping[str, Any], frame: pd.DataFrame) -> int:
    """The cells that do not match as the steward demands; 0 where enough of them do. Great Expectations would try some patterns by
    Python's own engine, though RE2 takes them."""
    cells = pa.array(frame[kwargs["column"]].dropna().astype(str), pa.large_string())
    patterns = [pattern for key in PATTERN_KEYS for pattern in names_in(kwargs.get(key))]
    every = kwargs.get("match_on") == "all"
    matched = reduce(compute.and_ if every else compute.or_, (compute.match_substring_regex(cells, pattern) for pattern in patterns))
    wanted = compute.invert(matched) if "_not_match_" in kind else matched
    short = len(cells) - int(compute.sum(wanted).as_py() or 0)
    return 0 if short <= (1 - float(kwargs.get("mostly", 1))) * len(cells) + TOLERANCE else short


def _ends_soon(pattern: str) -> bool:
    """RE2 takes a time that grows with the cell's length; Python's own engine may take for ever."""
    try:
        compute.match_substring_regex(pa.array([""]), pattern)
    except pa.ArrowInvalid:
        return False
    return True


@cache
def known_types() -> dict[str, set[str]]:
    """Types that Great Expectations itself ships, less those that run queries or fetch something, with their arguments."""
    import_great_expectations()
    from great_expectations.expectations.registry import get_expectation_impl, list_registered_expectation_implementations

    registered = {name: get_expectation_impl(name) for name in list_registered_expectation_implementations()}
    shipped = {name: of for name, of in registered.items() if of.__module__.startswith("great_expectations.expectations.core.")}
    inherited = {"id", "meta", "notes", "description", "severity", "rendered_content"}
    return {name: set(of.__fields__) - inherited for name, of in shipped.items() if name not in REFUSED_TYPES}


def _constructible(kind: str, kwargs: Mapping[str, Any]) -> bool:
    from great_expectations.exceptions import GreatExpectationsError
    from great_expectations.expectations.registry import get_expectation_impl

    try:
        get_expectation_impl(kind)(**kwargs)
    except (GreatExpectationsError, ValueError, TypeError, AttributeError):  # pydantic's refusals are ValueErrors
        return False
    return True


def _near(word: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]}?)" if close else ""


def _plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(_plain(part) for part in value)
    return value is None or isinstance(value, bool | int | float | str)


def _moment(value: Any) -> Any:
    """Great Expectations reads a bare day as a date, which it then cannot compare with a column of days; a moment it can."""
    return f"{value}T00:00:00" if isinstance(value, str) and _DAY.fullmatch(value) else value
