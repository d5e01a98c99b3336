"""The parts of the policy reference that follow from the gates: their keys, and what each of them means."""

from __future__ import annotations

from headgate.methods.choice import METHODS
from policies.gates.every_gate import GATES
from policies.gates.gate import Gate
from policies.gates.verdict import Comparison


def gate_keys(section: str) -> str:
    """One line for each key that gates have in a section of the policy file."""
    rows = [
        f"| `{name}` | {field.description} |" for gate in GATES if gate.section == section for name, field in gate.keys.model_fields.items()
    ]
    return "\n".join(["| Key | Value |", "|---|---|", *rows, ""])


def gate_meanings() -> str:
    """One line for each gate."""
    head = ["| Gate | Measured | What it means | Kept while groups are made by | `verify` measures it again |", "|---|---|---|---|---|"]
    rows = [f"| `{gate.name}` | {_direction(gate)} | {gate.meaning} | {_kept_by(gate)} | {gate.verified} |" for gate in GATES]
    return "\n".join([*head, *rows, ""])


def _kept_by(gate: Gate) -> str:
    """Every method keeps limits; those that look at conditions keep these too."""
    own = {name for name in ("table_limits", "column_limits", "conditions") if getattr(type(gate), name) is not getattr(Gate, name)}
    if gate.of_every_group or own & {"table_limits", "column_limits"}:
        return "every method"
    if own:
        keys = [f"`{method.key}`" for method in METHODS if method.looks_at_conditions]
        return f"{', '.join(keys[:-1])} and {keys[-1]}; with others it judges the result"
    return "no method: it judges the result"


def _direction(gate: Gate) -> str:
    """Which way the figure is compared with its bound."""
    least = [f"`{bound}`" for bound in gate.bounds if bound is not None and gate.compared(bound) is Comparison.AT_LEAST]
    others = f"; {', '.join(least)}: {Comparison.AT_LEAST}" if least else ""
    return f"{gate.comparison}{others}"
