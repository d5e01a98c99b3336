"""A toy gate goes the whole way of a gate. It is run in a process of its own, because the keys of the policy file follow from the tuple
when they are imported: so the gate joins the tuple first, and everything else is imported after it.

Prints what each part of the product made of it, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from headgate.core.columns import Kind, Table
from policies.gates import every_gate
from policies.gates.amounts import amounts
from policies.gates.gate import Gate, GatedTable, GateFigure, Per
from policies.gates.per_attribute import published_columns
from policies.gates.verdict import Comparison, Measured, Requirement, Verdict
from policies.words.fields import NotNegative, Section, decimal_text


class VarianceKeys(Section):
    variance: Annotated[dict[str, NotNegative], Field(description="`{attribute: v}`: least variance of the attribute in each group")] = {}


class Variance(Gate):
    name = "variance"
    keys = VarianceKeys
    comparison = Comparison.AT_LEAST
    figures = (
        GateFigure("variance", "variance", "Least variance of the attribute in a group.", per=Per.ATTRIBUTE, worst=Comparison.AT_LEAST),
    )
    meaning = "In every group the values of the attribute are spread at least this much."
    cure = "Raise k, or accept a smaller gates.variance."
    kinds = (Kind.NUMBER,)

    def requirements(self, keys: Any, table: Table) -> Iterator[Requirement]:
        for name, least in keys.variance.items():
            for column in published_columns(table, name):
                yield Requirement(gate=self.name, attribute=column, required=decimal_text(least))

    def measure(self, required: Sequence[Requirement], table: GatedTable) -> Iterator[Measured]:
        for column in table.columns:
            if column.kind is Kind.NUMBER:
                values = column.values.astype(float)[column.codes]
                spread = min(float(np.var(values[groups == one])) for groups in table.classes for one in np.unique(groups))
                yield Measured(figure=self.name, of=column.name, value=spread)

    def sentence(self, verdict: Verdict) -> str:
        measured, required = amounts(verdict)
        return f"the variance of {verdict.attribute} in some group is only {measured}; at least {required} is required"

    def monotone(self, requirement: Requirement) -> bool:
        return False


every_gate.GATES = (*every_gate.GATES, Variance())

POLICY = """\
schema: 1
dataset: toys
source: {kind: csv, path: toys.csv}
attributes:
  age: {role: quasi, kind: integer, domain: [0, 99]}
  income: {role: sensitive, kind: number, domain: [0, 1000], unique: accepted}
  job: {role: sensitive, kind: category}
projection: {method: single}
anonymize: {k: 2}
gates: {linkability: 1, variance: {income: 100}}
publish: {to: toys}
"""


def journey(folder: Path) -> dict[str, Any]:
    from headgate.core.encode import encode_table
    from headgate.core.published_form.published_table import publish_form
    from policies.judging.measure import measure_table
    from policies.judging.method_limits import monotone
    from policies.judging.verdicts import judge
    from policies.schema.loading import parse_policy
    from policies.sealed.specs import column_specs, promise_of
    from tasks.tables.read_published import read_published
    from tasks.tables.write import write_published
    from tools.policy_reference import gate_keys, gate_meanings

    policy = parse_policy(POLICY, "toys.yaml")
    frame = pd.DataFrame({"age": [20, 21, 40, 41], "income": [100.0, 120.0, 300.0, 310.0], "job": ["a", "b", "a", "b"]})
    table = encode_table(frame, column_specs(policy))
    promise = promise_of(policy, table)
    written = write_published(publish_form(table, np.array([0, 0, 1, 1]), "table-1", table.sensitive), folder, seed=1)
    published = read_published(folder / written[0].path, promise, "table-1")
    figures = measure_table(promise, published, path=written[0].path)
    verdicts = judge(promise, (figures,))
    return {
        "policy": policy.model_dump(mode="json")["gates"]["variance"],
        "misspelt": misspelt(),
        "wrong kind": misspelt("variance: {income", "variance: {job"),
        "requirement": promise.of("variance")[0].model_dump(mode="json"),
        "monotone": [monotone(promise), monotone(promise.without("variance", "income"))],
        "verdict": verdicts[-1].model_dump(mode="json"),
        **shown(promise, figures, verdicts),
        "verify": [verified(folder, promise, figures, changed) for changed in (None, 400.0)],
        "reference": gate_keys("gates") + gate_meanings(),
    }


def misspelt(right: str = "variance", wrong: str = "varianse") -> str:
    from headgate.core.errors import PolicyInvalid
    from policies.schema.loading import parse_policy

    try:
        parse_policy(POLICY.replace(right, wrong), "toys.yaml")
    except PolicyInvalid as refusal:
        return refusal.message
    return ""


def shown(promise: Any, figures: Any, verdicts: Any) -> dict[str, Any]:
    """The refusal, the terminal, `--json`, the report and MLflow."""
    from rich.console import Console

    from flows.views.manifest_view import gates_table
    from flows.views.shapes import table_shape
    from policies.judging.verdicts import refusal_of
    from tasks.reporting.measured_tables import MeasuredRelease, MeasuredTable
    from tasks.reporting.mlflow_record import TrackedRelease, release_run, table_run
    from tasks.reporting.report import ReportContent, render_report

    console = Console(width=120)
    with console.capture() as terminal:
        console.print(gates_table(verdicts))
    table = MeasuredTable(figures, np.zeros(0, dtype=np.int64))
    release = MeasuredRelease("toys", "Toys", "r-1", "2026-01-01", "ab", 4, 0, promise=promise, tables=(table,), verdicts=verdicts)
    record = TrackedRelease(release, "seed", "hmac", "0", "runner")
    parent, child = release_run(record), table_run(record, table)
    return {
        "refusal": str(refusal_of([verdict for verdict in verdicts if not verdict.passed])),
        "terminal": terminal.get(),
        "json": table_shape(figures)["variance"],
        "report": render_report(ReportContent(release, "headgate 0")),
        "mlflow": {**parent.parameters, **parent.last_values, **child.last_values, "gates.json": parent.files["gates.json"].decode()},
    }


def verified(folder: Path, promise: Any, figures: Any, changed: float | None) -> str:
    """What `verify` says of a folder that keeps 50, and of one that claims another variance than it has."""
    from headgate.core.errors import IntegrityBroken
    from policies.gates.figures import ReleaseUtility
    from policies.judging.verdicts import judge
    from policies.sealed.manifest import Manifest, Plan, Signer
    from tasks.stores.files import read_file
    from tasks.verification.claims import remeasure

    kept = promise.requiring(Requirement(gate="variance", attribute="income", required="20"))
    if changed is not None:
        own = tuple(one.model_copy(update={"value": changed}) if one.figure == "variance" else one for one in figures.measured)
        figures = figures.model_copy(update={"measured": own})
    plan = Plan(method="single", tables=(figures.sensitive,), columns=figures.sensitive, association_loss=0, information_exposure=1)
    signer = Signer(principal="runner", fingerprint="f")
    manifest = Manifest(
        product="headgate", dataset="toys", title="", release_id="r", created="", policy_digest="", source_hmac="", rows=4, suppressed=0,
        seed_commitment="", approvals_required=1, runner=signer, signers=(signer,), signers_digest="", publish_to="toys", promise=kept,
        plan=plan, tables=(figures,), verdicts=judge(kept, (figures,)), utility=ReleaseUtility(ncp=figures.ncp, suppressed_share=0),
        mlflow_run_id="", files=(),
    )  # fmt: skip
    files = {path: read_file(folder, path) for path in (f"tables/table-1.{form}" for form in ("csv", "parquet"))}
    try:
        return f"{len(remeasure(manifest, files).tables)} table"
    except IntegrityBroken as problem:
        return problem.message


if __name__ == "__main__":
    sys.stdout.write(json.dumps(journey(Path(sys.argv[1]))))
