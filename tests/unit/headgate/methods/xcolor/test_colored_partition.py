import numpy as np
import pandas as pd

from headgate.bounds.feasibility import feasibility
from headgate.grouping.abstract_graph import abstract_graph
from headgate.grouping.limits import dissimilarity
from headgate.methods.anonymize import anonymize
from headgate.methods.settings import Settings
from headgate.methods.xcolor.faithful_method import Faithful


def test_inequality_4_without_its_floors_is_no_guarantee():
    """DEFINITIONS §4: n = 3, k = 2, δ = 0.6, one similar pair satisfies Θ ≤ n/2·(1 − (1 − 1/k)δ) and is infeasible."""
    table = _simple(["a", "a", "b"])
    limit = dissimilarity(table.select(["value"]), "0", "0.6")
    graph = abstract_graph(limit)
    assert graph.largest_degree <= 3 / 2 * (1 - (1 - 1 / 2) * 0.6)
    assert not feasibility([limit], 2).guaranteed
    found = anonymize(Faithful(), table, ["value"], Settings(2, (limit,)), 0)
    assert not found.reached


def _simple(values):
    from headgate.core.columns import Kind, Role
    from headgate.core.encode import ColumnSpec, encode_table

    kind = Kind.CATEGORY if isinstance(values[0], str) else Kind.NUMBER
    specs = {"age": ColumnSpec("age", Kind.INTEGER, Role.QUASI), "value": ColumnSpec("value", kind, Role.SENSITIVE)}
    return encode_table(pd.DataFrame({"age": np.arange(len(values)) * 7 % 31, "value": list(values)}), specs)
