"""Where each series is published: at the target that the operator names so, else under the home's own store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tasks.approval.operator_demands import operator_demands
from tasks.runtime.home import Home
from tasks.stores.open_release_store import open_release_store, release_store
from tasks.stores.release_store import ReleaseStore, Series


@dataclass(frozen=True)
class OperatorsTargets:
    """A series lies in the store that its target names, as a folder of that name. One whose target the operator no longer names is
    looked for in the home's own store."""

    own: ReleaseStore
    addresses: Mapping[str, str]

    def series(self, target: str) -> Series:
        return release_store(self.addresses[target]).series(target) if target in self.addresses else self.own.series(target)

    def targets(self) -> frozenset[str]:
        named = {target for target, address in self.addresses.items() if target in release_store(address).targets()}
        return frozenset(named | (self.own.targets() - set(self.addresses)))


def open_targets(home: Home) -> ReleaseStore:
    addresses = operator_demands(home).operator.targets
    return OperatorsTargets(open_release_store(home), addresses) if addresses else open_release_store(home)
