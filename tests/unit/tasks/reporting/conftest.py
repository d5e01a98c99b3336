"""A measured release of two tables, one of them with bits of a set, and the MLflow database that these tests share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from policies.gates.figures import AttackGain, ReleaseUtility, TableFigures
from policies.gates.series_figures import ComparedFigures, SeriesFigures
from policies.gates.verdict import Verdict
from policies.sealed.manifest import Alternative, Plan, PlanStep
from policies.sealed.promise import Promise, SensitiveAttribute
from tasks.reporting.measured_tables import Limits, MeasuredRelease, MeasuredTable, Outcome
from tasks.reporting.mlflow_record import TrackedRelease
from tests.unit.claimed import claiming, proximity, required

# A value of a set that the policy never declared; it became the name of a column.
BIT = "diagnosis=CANARY-rare-illness"


POINTS = (
    Alternative(method="codip*", tables=3, association_loss=1.0, information_exposure=0.0),
    Alternative(method="codip*", tables=2, association_loss=0.25, information_exposure=0.5),
    Alternative(method="optimal", tables=2, association_loss=0.25, information_exposure=0.25),
)


def _figures(name: str, sensitive: tuple[str, ...], sizes: np.ndarray, risks: np.ndarray) -> TableFigures:
    common = TableFigures(
        name=name,
        sensitive=sensitive,
        rows=int(sizes.sum()),
        groups=len(sizes),
        mean_group=float(sizes.mean()),
        discernibility=int((sizes**2).sum()),
        ncp=0.1875,
        query_error_mean=0.09375,
        query_error_low=0.0625,
        query_error_high=0.125,
        query_error_median=0.03125,
    )
    return claiming(
        common,
        k=int(sizes.min()),
        risk=float(risks.max()),
        risk_all=0.7,
        delta_reached=1 - float(risks.max()),
        vulnerability=0.0,
        single_risk={sensitive[0]: 0.25},
        linkability=0.625,
        linkability_all=0.875,
        closeness={attribute: 0.125 * (place + 1) for place, attribute in enumerate(sensitive)},
        distinct_l={sensitive[0]: 3},
        distinct_l_all={sensitive[0]: 4},
        distinct_attainable={sensitive[0]: 5},
        delta_l={sensitive[0]: 2.5},
        delta_l_all={sensitive[0]: 2.25},
        reidentification_max=1 / int(sizes.min()),
        reidentification_mean=len(sizes) / int(sizes.sum()),
        disclosure_mean={"data/register.csv": 0.0625},
        disclosure_max={"data/register.csv": 0.125},
        disclosure_unmatched={"data/register.csv": 0.0},
    )


def _release(bit: str = BIT) -> MeasuredRelease:
    sizes, risks = np.array([10, 10, 11, 12, 20]), np.array([0.0, 0.1, 0.2, 0.4, 0.4])
    columns = ("income", "education", bit)
    tables = (("income", bit), ("education",))
    measured = tuple(
        MeasuredTable(_figures(f"table-{place + 1}", names, sizes, risks), sizes, risks, {"age": 0.25, "region": 0.125})
        for place, names in enumerate(tables)
    )
    steps = (
        PlanStep(tables=((0,), (1,), (2,)), association_loss=1.0, information_exposure=0.0, passed=True),
        PlanStep(tables=((0, 2), (1,)), merged=((0,), (2,)), association_loss=0.25, information_exposure=0.5, passed=True),
        PlanStep(
            tables=((0, 1, 2),),
            merged=((0, 2), (1,)),
            association_loss=0.0,
            information_exposure=1.0,
            passed=False,
            reason=f"closeness of {bit}",
        ),
    )
    return MeasuredRelease(
        dataset="hospital-patients",
        title="Hospital patients",
        release_id="r-20260801-4f2a",
        created="2026-08-01T03:00:12Z",
        policy_digest="ab" * 32,
        rows=70,
        suppressed=7,
        promise=Promise(
            requirements=(
                required("k", 10),
                proximity("0.1", "0.6"),
                required("linkability", "0.8"),
                required("closeness", "0.5", "income"),
                required("closeness", "0.5", "education"),
            ),
            quasi=(),
            sensitive=tuple(
                SensitiveAttribute(name=name, kind="category", origin="diagnosis" if name == bit else None) for name in columns
            ),
        ),
        plan=Plan(
            method="codip*", tables=tables, columns=columns, association_loss=0.25, information_exposure=0.5, steps=steps, trade_off=POINTS
        ),
        tables=measured,
        verdicts=tuple(
            Verdict(gate=gate, table=table.name, attribute=attribute, comparison=way, measured=figure, required=bound, passed=True)
            for table in measured
            for gate, attribute, way, figure, bound in (
                ("k", None, "at least", 10.0, 10.0),
                ("dissimilarity", None, "at least", 0.4, 0.4),
                ("closeness", bit, "at most", 0.25, 0.5),
            )
        ),
        utility=ReleaseUtility(query_error_mean=0.09375, query_error_median=0.03125, ncp=0.1875, suppressed_share=0.1),
        attacks=("table-1: Homogeneity: …",),
        attack_gains=(
            AttackGain(attack="homogeneity", who="somebody is right about 'income'", people=64, right=32, right_overall=16),
            AttackGain(attack="homogeneity", who="somebody is right about 'education'", people=64, right=24, right_overall=16),
            AttackGain(attack="intersection", who="", people=0),
        ),
        series=SeriesFigures(
            earlier=("ef" * 32,),
            by_default=True,
            people=63,
            several=40,
            came=23,
            left=10,
            compared=tuple(
                ComparedFigures(
                    names=names, values=4, people=40, linkability=shown, linkability_any=0.875, candidates=2, risk=0.25, changed=10
                )
                for names, shown in ((("income", bit), 0.75), (("income",), 0.5), ((bit,), 0.625))
            ),
        ),
        versions={"ef" * 32: "version 1 of 2026-07-01"},
        outcomes=(
            Outcome("in", "expect_table_row_count_to_be_between", "", True),
            Outcome("in", "expect_column_values_to_be_between", "age", True),
            Outcome("out", "expect_column_values_to_be_in_set", bit, True, "table-1"),
        ),
        limits=Limits(association_loss=0.3, join_threat=0.6, query_error=0.15, loss=0.2),
    )


@pytest.fixture(scope="session")
def release() -> MeasuredRelease:
    return _release()


@pytest.fixture
def renamed() -> MeasuredRelease:
    """The same release over data that have another value in that place."""
    return _release("diagnosis=hay fever")


@pytest.fixture
def undrawn(release: MeasuredRelease) -> MeasuredRelease:
    """The same figures with little to draw, for tests that read words."""
    tables = tuple(replace(table, group_sizes=table.group_sizes[:0], group_risks=None, loss={}) for table in release.tables)
    return replace(release, tables=tables, plan=None)


@pytest.fixture
def bit() -> str:
    return BIT


@pytest.fixture
def refused(undrawn: MeasuredRelease) -> MeasuredRelease:
    failing = Verdict(
        gate="linkability", table="table-2", comparison="at most", measured=0.9, required=0.8, passed=False, remedy="Raise k."
    )
    return replace(undrawn, verdicts=(*undrawn.verdicts, failing))


@pytest.fixture(scope="session")
def record(release: MeasuredRelease) -> Callable[..., TrackedRelease]:
    """Makes the record of a run, with changes to the measured release."""

    def make(**changes: Any) -> TrackedRelease:
        return TrackedRelease(
            measured=replace(release, **changes),
            seed_commitment="5e" * 32,
            source_hmac="4a" * 32,
            code_version="0.1.0",
            runner="alice@example.org",
            seconds={"ingest": 0.25, "gate": 1.5},
        )

    return make


@pytest.fixture(scope="session")
def tracking_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for all: making the database takes longer than all else."""
    return tmp_path_factory.mktemp("home with space")
