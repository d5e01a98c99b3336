"""operator.yaml: what no policy can lower. It lies in the home, beside the list of signers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from policies.words.fields import Positive, Problem, Problems, Section

Principal = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@+-]{0,126}$")]


class Floor(Section):
    """`approvals`: how many every release needs at least, whatever its policy says."""

    approvals: Positive = 1


class ClockRules(Section):
    """`max_gap_days`: after so many days without an event the operator confirms the clock before anything is written."""

    max_gap_days: Positive = 400


class Operator(Section):
    """`runners`: who may run releases; without this key everybody on the list of signers. `policy_signers`: whether a policy may name a
    signers' file of its own, which lets whoever writes it invent people who agree."""

    runners: Annotated[tuple[Principal, ...], Field(min_length=1)] | None = None
    floor: Floor = Floor()
    clock: ClockRules = ClockRules()
    policy_signers: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _each_once(self) -> Operator:
        if self.runners is not None and len({runner.casefold() for runner in self.runners}) != len(self.runners):
            raise Problems([Problem(("runners",), "somebody listed twice", "each person once")])
        return self
