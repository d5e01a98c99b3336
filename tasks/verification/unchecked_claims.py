"""Which claims of a manifest cannot be checked from a published folder. Every other field is measured, or compared with its events."""

from __future__ import annotations

from policies.gates.every_gate import GATES
from policies.gates.figures import QUERY_ERRORS, TableFigures
from policies.gates.gate import Gate
from policies.gates.verdict import Measured
from policies.sealed.manifest import Manifest
from tasks.stores.seal import CHANGES_FILE, CROISSANT, DATAPACKAGE, DDI_CODEBOOK, EXPECTATIONS, PAGE, REPORT

FALSE_CLAIM = "Do not rely on this release; tell its publisher, who can withdraw it."
# What is said of fields that every manifest has.
ALWAYS: dict[str, tuple[str, ...]] = {
    "what made the release (product), its title, what it says of itself (about), and its MLflow run: they were signed, and nothing else in "
    "the folder tells the same": (
        "product",
        "title",
        "about",
        "mlflow_run_id",
    ),
    "the digests of operator.yaml, of the seed and of the results of queries: what they are of is not published, like the source": (
        "operator_digest",
        "seed_commitment",
        "dictionary_hmacs",
    ),
    "how the plan was chosen (method, columns, steps, bound, trade-off, naive closeness), its association loss and its information "
    "exposure: they are of the source, which is not published": (
        "plan.method",
        "plan.columns",
        "plan.steps",
        "plan.bound",
        "plan.trade_off",
        "plan.naive_closeness",
        "plan.association_loss",
        "plan.information_exposure",
    ),
    "rows of the source, suppressed rows and suppressed cells: the source is not published": (
        "rows",
        "suppressed",
        "suppressed_cells",
    ),
    f"{REPORT}, {PAGE}, {DATAPACKAGE}, {EXPECTATIONS} and, where there are such, {CHANGES_FILE}, {DDI_CODEBOOK} and {CROISSANT}: "
    "they were signed, but what they say is not compared with the tables": (),
}
# Named only where the manifest holds them.
WHERE_CLAIMED = frozenset(
    {
        "attacks",
        "attack_gains",
        "series",
        "tables.levels",
        *(f"{of}.{figure}" for of in ("tables", "utility") for figure in QUERY_ERRORS),
    }
)


def not_measurable(manifest: Manifest) -> tuple[str, ...]:
    """Claims that rest on something that is not published."""
    named: list[str] = []
    for table in manifest.tables:
        rest = dict.fromkeys((gate.name, on) for gate in GATES for figure in table.measured if (on := _rest(gate, manifest, table, figure)))
        named += [f"{gate} of {table.name}, which rests on {on}" for gate, on in rest]
        if any(getattr(table, figure) is not None for figure in QUERY_ERRORS):
            named.append(f"query error of {table.name} against the source, which is not published")
        if table.levels is not None:
            named.append(f"levels of {table.name}, which count from the values of the source, which is not published")
    if any(getattr(manifest.utility, figure) is not None for figure in QUERY_ERRORS):
        named.append("query error of the release against the source, which is not published")
    if manifest.attacks:
        named.append("the attacks that were tried: they need the source, which is not published")
    if manifest.series is not None:
        named.append("what the versions tell together: who is in which of them is not published")
    people = "that every row is one person: the source is not published"
    unknown = "that a row is a person: nobody checked it, since the policy names no identifier"
    return tuple(dict.fromkeys((*named, *ALWAYS, people if manifest.promise.people_checked else unknown)))


def rests_on(manifest: Manifest, table: TableFigures, figure: Measured) -> str:
    """Of a figure of a table that cannot be measured from the published files: what it rests on."""
    return next((on for gate in GATES if (on := _rest(gate, manifest, table, figure))), "")


def _rest(gate: Gate, manifest: Manifest, table: TableFigures, figure: Measured) -> str:
    own = any(known.name == figure.figure for known in gate.figures)
    weight = manifest.promise.weight
    weighed = weight is not None and weight.name in table.insensitive
    return gate.rests_on(figure, manifest.promise.callable, weighed) if own else ""
