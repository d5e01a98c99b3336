"""What deployments/ starts is what the guide for the operator names, as an account without rights, with no secret in it. No test needs a
container engine: compose.yaml is read by a model of our own (the keys of the Compose Specification that we use, and no other), units by
`systemd-analyze verify` where there is one, and Kubernetes' own schemas judge kubernetes.yaml."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
DEPLOYMENTS = ROOT / "deployments"
GUIDE = (ROOT / "docs/guide-operator.md").read_text(encoding="utf-8")
UNITS = sorted((DEPLOYMENTS / "systemd").glob("*.service"))
TIMERS = sorted((DEPLOYMENTS / "systemd").glob("*.timer"))
SECRET = re.compile(r"(PASSWORD|SECRET|AUTH_STRING|DATABASE_URL|CONNECTION_URL|STORE_URI)$")
COMMANDS = (
    "prefect server start",
    "mlflow server --app-name basic-auth --artifacts-destination s3://mlflow/runs",
    "prefect worker start --pool headgate --type process --with-healthcheck",
    "headgate console",
)


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Build(Part):
    context: str
    dockerfile: str


class Check(Part):
    test: list[str]
    interval: str
    timeout: str
    retries: int
    start_period: str


class Healthy(Part):
    condition: Literal["service_healthy"]


class Service(Part):
    image: str
    build: Build | None = None
    user: str
    read_only: Literal[True]
    tmpfs: list[str]
    cap_drop: list[Literal["ALL"]]
    security_opt: list[Literal["no-new-privileges:true"]]
    restart: Literal["unless-stopped"]
    networks: list[str]
    command: list[str] | None = None
    environment: dict[str, str] = {}
    secrets: list[str]
    volumes: list[str] = []
    ports: list[str] = []
    depends_on: dict[str, Healthy] = {}
    healthcheck: Check


class SecretFile(Part):
    file: str


class Nothing(Part):
    pass


class Compose(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    services: dict[str, Service]
    networks: dict[str, Nothing]
    volumes: dict[str, Nothing]
    secrets: dict[str, SecretFile]


@pytest.fixture(scope="module")
def compose() -> Compose:
    document: dict[str, Any] = YAML(typ="safe").load(DEPLOYMENTS / "compose.yaml")
    return Compose.model_validate({key: value for key, value in document.items() if not key.startswith("x-")})


def test_every_service_of_compose_runs_without_rights_and_says_how_it_is(compose: Compose) -> None:
    for name, service in compose.services.items():
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", service.user), name
        assert service.cap_drop == ["ALL"]
        assert service.security_opt == ["no-new-privileges:true"]
        assert set(service.depends_on) <= set(compose.services)
        assert set(service.networks) <= set(compose.networks)
        assert {volume.partition(":")[0] for volume in service.volumes if volume[0] not in "./$"} <= set(compose.volumes)
        assert all(port.startswith("127.0.0.1:") for port in service.ports)


def test_secrets_of_compose_are_files(compose: Compose) -> None:
    for service in compose.services.values():
        assert set(service.secrets) <= set(compose.secrets)
        assert [name for name in service.environment if SECRET.search(name)] == []
    assert all(secret.file.startswith("./secrets/") for secret in compose.secrets.values())
    assert {name for service in compose.services.values() for name in service.secrets} == set(compose.secrets)


def started_by_compose(compose: Compose) -> list[str]:
    return [" ".join(service.command) for service in compose.services.values() if service.command]


def documents() -> list[dict[str, Any]]:
    return list(YAML(typ="safe").load_all(DEPLOYMENTS / "kubernetes.yaml"))


def containers() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    pods = [document["spec"]["template"]["spec"] for document in documents() if document["kind"] == "Deployment"]
    return [(pod, container) for pod in pods for container in pod["containers"]]


def started_by_units() -> list[str]:
    starts = [
        re.search(r"^ExecStart=/opt/headgate/libexec/with-secrets /opt/headgate/bin/(.+)$", unit.read_text(), re.MULTILINE)
        for unit in UNITS
    ]
    assert all(starts)
    return [start[1] for start in starts if start]


def test_all_start_the_commands_that_the_guide_names(compose: Compose) -> None:
    for command in COMMANDS:
        assert f"`{command}" in GUIDE
        for started in (started_by_compose(compose), started_by_units(), [" ".join(container["args"]) for _, container in containers()]):
            assert any(one.startswith(command) for one in started), (command, started)
    assert [command for command in started_by_units() if f"`{command}`" not in GUIDE] == []


@pytest.mark.slow
def test_kubernetes_takes_every_object_and_no_container_has_rights() -> None:
    import kubernetes_validate

    for document in documents():
        kubernetes_validate.validate(document, "1.31", strict=True)
    for pod, container in containers():
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"startupProbe", "livenessProbe"} <= container.keys()
        assert [one["name"] for one in container["env"] if SECRET.search(one["name"])] == []


def test_every_timer_has_its_service() -> None:
    assert {timer.stem for timer in TIMERS} <= {unit.stem for unit in UNITS}


def test_units_hold_no_secret_and_leave_nothing_to_be_gained() -> None:
    for unit in UNITS:
        lines = unit.read_text(encoding="utf-8").splitlines()
        assert {"NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=", "UMask=0077", "PrivateTmp=yes"} <= set(lines), (
            unit.name
        )
        assert [line for line in lines if line.startswith("Environment=") and SECRET.search(line.split("=")[1])] == []
        assert not any(line == "User=root" for line in lines)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze on this machine")
def test_systemd_takes_every_unit(tmp_path: Path) -> None:
    """With programs in the places where they would be."""
    programs = tmp_path / "programs"
    for place in ("libexec/with-secrets", "bin/prefect", "bin/mlflow", "bin/headgate"):
        (programs / place).parent.mkdir(parents=True, exist_ok=True)
        (programs / place).write_text("#!/bin/sh\n")
        (programs / place).chmod(0o755)
    copies = []
    for unit in (*UNITS, *TIMERS):
        copies.append(tmp_path / unit.name)
        copies[-1].write_text(unit.read_text().replace("/opt/headgate/", f"{programs}/"))
    said = subprocess.run(["systemd-analyze", "verify", "--man=no", *copies], capture_output=True, text=True, timeout=60)
    ours = [line for line in said.stderr.splitlines() if any(unit.name in line for unit in (*UNITS, *TIMERS))]
    assert (said.returncode, ours) == (0, [])


def test_the_image_is_built_by_hash_and_runs_as_nobody_special() -> None:
    lines = (DEPLOYMENTS / "Containerfile").read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith("FROM ") for line in lines) == 2
    users = [line for line in lines if line.startswith("USER ")]
    assert users == ["USER 10001:10001"]
    assert any("--require-hashes" in line and "requirements.lock" in line for line in lines)
    assert any(line.startswith("HEALTHCHECK ") for line in lines)
    copied = {word for line in lines if line.startswith("COPY ") for word in line.split()[1:-1] if not word.startswith("--")}
    assert {"headgate", "policies", "tasks", "flows", "console"} <= copied
    assert all((ROOT / path).exists() for path in copied if not path.startswith("/"))


def test_commands_of_the_guide_run_with_what_the_worker_is_given() -> None:
    """Its secrets, its settings and its variables, but for what links need: nothing of another service's."""
    function = GUIDE.partition("as_service() {")[2].partition("\n}\n")[0]
    worker = (DEPLOYMENTS / "systemd/headgate-worker.service").read_text(encoding="utf-8")
    assert "sed -n 's/^LoadCredential=/--property=&/p' /etc/systemd/system/headgate-worker.service" in function
    assert set(re.findall(r"--setenv=(\S+)", function)) <= set(re.findall(r"^Environment=(\S+)", worker, re.MULTILINE))
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8")
        assert ("EnvironmentFile=-/etc/headgate/settings\n" in text) == (unit.stem != "headgate-prefect"), unit.name
    assert "--property=EnvironmentFile=-/etc/headgate/settings" in function


def test_a_block_of_the_guide_leaves_the_shell_where_it_was() -> None:
    """Step 3 stayed in the folder of secrets, with a umask that made the policies of step 6 unreadable; step 4 then found no units."""
    for block in re.findall(r"```\n(.*?)```", GUIDE, re.DOTALL):
        depth = 0
        for line in block.splitlines():
            depth += (line == "(") - (line == ")")
            assert depth or not re.search(r"(^|&& )(cd|umask) ", line), line


def test_every_secret_of_a_unit_is_made_in_the_guide() -> None:
    made = set(re.findall(r"> ([A-Z_]+|basic_auth\.ini)\b", GUIDE)) | {"HEADGATE_TELL_OPERATORS"}
    for unit in UNITS:
        assert set(re.findall(r"/etc/headgate/secrets/(\S+)$", unit.read_text(encoding="utf-8"), re.MULTILINE)) <= made, unit.name


def test_whoever_sends_messages_has_their_address() -> None:
    """`serve` for the socket had none: each message that it could not send then waited longer and longer for the timer that could."""
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8")
        sends = unit.stem in ("headgate-serve", "headgate-notify")
        assert ("LoadCredential=HEADGATE_TELL_OPERATORS:" in text) == sends, unit.name
    assert (
        "SetCredential=HEADGATE_TELL_OPERATORS:\\n\n" in (DEPLOYMENTS / "systemd/headgate-serve.service").read_text()
    )  # need not be there


def test_a_command_gets_the_secrets_of_its_folder_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "MLFLOW_TRACKING_PASSWORD").write_text("a 'word' $(false)\n")
    (tmp_path / "basic_auth.ini").write_text("[mlflow]\n")
    (tmp_path / "9WRONG").write_text("x")
    (tmp_path / "FOLDER").mkdir()
    for name in ("CREDENTIALS_DIRECTORY", "HEADGATE_SECRETS"):
        command = [DEPLOYMENTS / "with-secrets", "/usr/bin/env"]
        shown = subprocess.run(
            command, env={name: str(tmp_path), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True
        ).stdout
        variables = dict(line.split("=", 1) for line in shown.splitlines())
        assert variables["MLFLOW_TRACKING_PASSWORD"] == "a 'word' $(false)"
        assert set(variables) - {"PWD", "SHLVL", "_"} == {name, "PATH", "MLFLOW_TRACKING_PASSWORD"}
    ended = subprocess.run([DEPLOYMENTS / "with-secrets", "/bin/sh", "-c", "exit 7"], env={"HEADGATE_SECRETS": str(tmp_path / "none")})
    assert ended.returncode == 7
