"""Whether two versions published the same of somebody: values as the new version publishes them, and as its promise reads them where they
are compared by a distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from headgate.core.columns import Column
from headgate.core.distance import Distance
from headgate.core.encode import encode_column
from headgate.core.errors import InputRejected
from headgate.core.number_form import NumberForm
from headgate.core.spelling import value_text
from headgate.series.with_earlier import Encode, text_column
from policies.gates.dissimilarity import DISSIMILARITY, EPSILON
from policies.gates.series import SeriesKey
from policies.judging.measure import composite_of
from policies.sealed.promise import Promise
from policies.sealed.specs import specs_of
from tasks.runtime.callables import callable_distance

Nearness = tuple[Distance, Any]  # and the ε up to which values are similar


def nearness_of(key: SeriesKey | None, promise: Promise) -> Nearness | None:
    """None where only equal values are compared."""
    composite = promise.required(DISSIMILARITY)
    if key is None or key.risk is None or composite is None:
        return None
    distance = callable_distance(promise) if promise.callable is not None else None
    return distance or composite_of(promise), composite.settings[EPSILON]


def coding_of(promise: Promise, nearness: Nearness | None) -> Encode:
    """Numbers of earlier versions are rounded as this one's are: whoever compares the two does so too. With `nearness`, a value that
    earlier versions held and this promise does not allow is refused, without being named."""
    specs = specs_of(promise)
    rounded = rounding(
        {attribute.name: attribute.published_as.form for attribute in promise.sensitive if attribute.published_as is not None}
    )

    def encode(name: str, texts: Sequence[str]) -> Column:
        column = rounded(name, texts)
        if nearness is None:
            return column
        spec, texts = specs[name], [str(column.values[code]) for code in column.codes]
        try:
            if not spec.kind.rules.components:
                return encode_column(pd.Series(list(texts), dtype="str"), spec)
            return encode_column(pd.DataFrame([text.split("|") for text in texts], columns=list(spec.components), dtype="str"), spec)
        except InputRejected:  # its places are those of a list that nobody has
            raise _not_allowed(name) from None

    return encode


def _not_allowed(name: str) -> InputRejected:
    return InputRejected(
        f"An earlier version holds values of '{name}' that this policy does not allow, so nobody can say how similar they are to those of "
        "now (gates.series.risk).",
        "Leave in the policy what earlier policies allowed of it (values, levels, domain), or take gates.series.risk out.",
    )


def rounding(forms: Mapping[str, NumberForm]) -> Encode:
    """Equal or not, once the numbers of these attributes are written so."""
    return lambda name, texts: text_column(name, _as_published(texts, forms[name]) if name in forms else texts)


def _as_published(texts: Sequence[str], form: NumberForm) -> list[str]:
    """What is not a number stays what it is: the attribute may have been of another kind."""
    numbers = pd.to_numeric(pd.Series(list(texts), dtype=object), errors="coerce").to_numpy(dtype=np.float64)
    rounded = form.of(np.nan_to_num(numbers))
    return [text if np.isnan(number) else value_text(value) for text, number, value in zip(texts, numbers, rounded, strict=True)]
