"""What the operator demands, as operator.yaml says it now. Without that file the strictest reading holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from headgate.core.errors import Refusal, TransitionRefused
from policies.schema.operator_file import Floor, Operator
from policies.sealed.manifest import Signer
from tasks.runtime.home import Home
from tasks.runtime.operator_settings import OPERATOR_FILE, read_operator
from tasks.signing.keys import PrivateKey
from tasks.signing.trust_roots import TrustRoots

FLOOR_ELSEWHERE = 2  # approvals for what leaves the home's own store, where the operator has said nothing


@dataclass(frozen=True)
class Demands:
    """`digest`: SHA-256 of the file; empty where none is there."""

    operator: Operator
    digest: str = ""

    @property
    def floor(self) -> int:
        return self.operator.floor.approvals

    def require_no_policy_signers(self) -> None:
        """Signers that come with a policy count only where the operator has said so."""
        if not self.operator.policy_signers:
            raise TransitionRefused(
                [Refusal("policy_signers", "the policy names signers of its own, and the operator does not allow that")],
                f"Remove approval.signers from the policy; or the operator writes policy_signers: true in {OPERATOR_FILE}.",
            )


def operator_demands(home: Home) -> Demands:
    said = read_operator(home)
    if said is None:
        elsewhere = bool(os.environ.get("HEADGATE_STORE"))
        return Demands(Operator(floor=Floor(approvals=FLOOR_ELSEWHERE if elsewhere else 1)))
    return Demands(*said)


def require_runner(key: PrivateKey, lists: Sequence[TrustRoots], demands: Demands, now: datetime) -> Signer:
    """Who runs with this key: somebody on a list of signers, under the name there, so that nobody can run as one and approve as another."""
    why_not = f"nobody on the list of signers has the key that would run this release ({key.fingerprint})"
    for roots in lists:
        principal = roots.principal_of(key.fingerprint)
        reason = "" if principal is None else roots.why_not(key.fingerprint, principal, now)
        if principal is not None and not reason:
            runners = demands.operator.runners
            if runners is None or principal in runners:
                return Signer(principal=principal, fingerprint=key.fingerprint)
            why_not = f"{principal} is not among those who may run releases"
            break
        if principal is not None:
            why_not = f"the key of {principal} {reason}"
    raise TransitionRefused(
        [Refusal("runner", why_not)],
        "Give --key (or HEADGATE_KEY) with the key of somebody who may run releases. Otherwise the operator adds this line to signers, "
        f'and the name to the runners of {OPERATOR_FILE}, if that lists any: NAME namespaces="headgate" {key.public}',
    )
