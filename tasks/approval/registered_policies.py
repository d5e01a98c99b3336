"""Policies that may run on their schedules, each in the home as it was registered.

The envelope is signed, so that changing it voids it. One that was put back from before a later registration is found by the ledger: every
scheduled run records when its policy was registered.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from headgate.core.errors import HeadgateError, Refusal, StoreUnavailable, TransitionRefused
from policies.ledger.events import moment
from policies.sealed.manifest import Signer
from policies.words.cron_moments import CronMoments
from tasks.approval.kept_policies import kept_form
from tasks.ledger.event_log import Ledger
from tasks.ledger.history import read_history
from tasks.runtime.boundary import reason_of
from tasks.runtime.home import Home
from tasks.runtime.trusted_files import read_trusted
from tasks.signing.home_keys import ledger_secret, machine_key, place_hmac
from tasks.signing.keys import PrivateKey
from tasks.signing.registration import Registration, SignedRegistration, read_registration, sign_registration
from tasks.stores.files import replace_file

SUFFIX = ".dsse.json"
CURE = (
    "Somebody who may run releases reads the policy and registers it: headgate serve POLICY --key KEY --register, or, with a worker, "
    "headgate deploy POLICY --key KEY."
)


@dataclass(frozen=True)
class ScheduledPolicy:
    """`whereabouts`: where the file lies and which databases it names. A copy elsewhere would read the data that lie there."""

    dataset: str
    digest: str
    whereabouts: str

    def place(self, home: Home) -> str:
        """What a registration says of it: nothing to anyone without the home's secret."""
        return place_hmac(ledger_secret(home.keys), self.whereabouts)


def register(home: Home, ledger: Ledger, policy: ScheduledPolicy, runner: Signer, key: PrivateKey) -> Registration:
    """Lets this home's machine run the policy as it is now. The caller has checked that `runner` may run it. A registration that holds
    already stays: what came due since then is due."""
    with suppress(HeadgateError):  # whatever is wrong with what is there, it is replaced
        present = registered(home, ledger, policy)
        if present.signer == runner:
            return present
    said = SignedRegistration(
        dataset=policy.dataset,
        policy_digest=policy.digest,
        machine=machine_key(home.keys).fingerprint,
        place=policy.place(home),
        principal=runner.principal,
        at=ledger.now().isoformat(),
    )
    registration, file = sign_registration(said, key), _file(home, policy.dataset)
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        replace_file(file, registration.envelope)
    except OSError as problem:
        raise StoreUnavailable(
            f"The registration could not be written to {file} ({reason_of(problem)}).", "Check the home's permissions and free space."
        ) from None
    return registration


def registered(home: Home, ledger: Ledger, policy: ScheduledPolicy) -> Registration:
    """The registration of exactly this policy for this home's machine; TransitionRefused if there is none."""
    dataset = policy.dataset
    envelope = read_trusted(_file(home, dataset))
    if envelope is None:
        raise _refused(f"nobody has registered the policy of {dataset} to run on a schedule")
    registration = read_registration(envelope, f"The registration of {dataset}")
    said = registration.said
    if said.dataset != dataset or said.policy_digest != policy.digest:
        raise _refused(f"the policy of {dataset} has changed since {said.principal} registered it")
    if said.machine != machine_key(home.keys).fingerprint:
        raise _refused(f"the policy of {dataset} was registered for another machine's key")
    if said.place != policy.place(home):
        raise _refused(f"the policy of {dataset} lies elsewhere, or names another database, than when {said.principal} registered it")
    times = [release.registered for release in read_history(ledger).of_dataset(dataset) if release.registered]
    if any(moment(at) > moment(said.at) for at in times):
        raise _refused(f"a later registration of {dataset} has run than the one in the home")
    return registration


@dataclass(frozen=True)
class RegisteredSchedule:
    """When a registered policy runs. `moments` is None if the home does not keep the policy: it was registered by an earlier version and
    has not run since. `digest`: of the policy."""

    dataset: str
    principal: str
    registered: datetime
    moments: CronMoments | None
    digest: str = ""


def registered_schedules(home: Home) -> tuple[RegisteredSchedule, ...]:
    """Of every policy that somebody registered in this home, by the names of their datasets."""
    files = sorted((home.root / "schedules").glob(f"*{SUFFIX}"))
    schedules = (registered_schedule(home, file.name.removesuffix(SUFFIX)) for file in files)
    return tuple(schedule for schedule in schedules if schedule is not None)


def registered_schedule(home: Home, dataset: str) -> RegisteredSchedule | None:
    """Of the policy that somebody registered for this dataset. Whether it may still run is asked at every run."""
    envelope = read_trusted(_file(home, dataset))
    if envelope is None:
        return None
    said = read_registration(envelope, f"The registration of {dataset}").said
    if said.dataset != dataset:
        raise _refused(f"what is kept as the registration of {dataset} is another dataset's")
    form = kept_form(home, said.policy_digest)
    schedule = None if form is None else json.loads(form).get("schedule")
    return RegisteredSchedule(
        dataset, said.principal, moment(said.at), None if schedule is None else CronMoments(**schedule), said.policy_digest
    )


def registration_stamp(home: Home, dataset: str) -> int:
    """Changes whenever somebody registers the policy of this dataset; 0 where nobody has."""
    with suppress(OSError):
        return _file(home, dataset).stat().st_mtime_ns
    return 0


def _file(home: Home, dataset: str) -> Path:
    return home.root / "schedules" / f"{dataset}{SUFFIX}"


def _refused(why: str) -> TransitionRefused:
    return TransitionRefused([Refusal("registration", why)], CURE)
