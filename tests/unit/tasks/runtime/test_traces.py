"""Spans as a collector gets them."""

from __future__ import annotations

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tasks.runtime import traces
from tasks.runtime.json_log import VARIABLE
from tasks.runtime.traces import ENDPOINTS, opened_traces, traces_to, wants_traces


@pytest.fixture(autouse=True)
def _nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*ENDPOINTS, "OTEL_SDK_DISABLED", "OTEL_RESOURCE_ATTRIBUTES", VARIABLE):
        monkeypatch.delenv(name, raising=False)


def test_a_release_and_each_of_its_steps_is_a_span_and_holds_ids_and_seconds_alone() -> None:
    exporter = InMemorySpanExporter()
    made = traces_to(exporter, "r1", "people")
    made.step("ingest", "", 2.0, True)
    made.step("anonymize", "table-1", 0.5, False)
    made.end(False)
    made.provider.force_flush()
    ingest, anonymize, release = exporter.get_finished_spans()
    about = {"headgate.release": "r1", "headgate.dataset": "people"}
    assert dict(release.attributes) == about
    assert dict(ingest.attributes) == {**about, "headgate.step": "ingest"}
    assert dict(anonymize.attributes) == {**about, "headgate.step": "anonymize", "headgate.table": "table-1"}
    assert {span.parent.span_id for span in (ingest, anonymize)} == {release.context.span_id}
    assert (ingest.end_time - ingest.start_time) / 1e9 == pytest.approx(2.0)
    assert [span.status.status_code.name for span in (ingest, anonymize, release)] == ["OK", "ERROR", "ERROR"]
    assert not any(span.events or span.status.description for span in (ingest, anonymize, release))
    machine = {name for name in release.resource.attributes if not name.startswith("telemetry.sdk.")}
    assert machine <= {"service.name", "service.instance.id"}  # a random number of this process
    made.provider.shutdown()


def test_only_the_variable_turns_them_on(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not wants_traces()
    with opened_traces("r1", "people") as made:
        assert made is None
    monkeypatch.setenv(ENDPOINTS[0], "http://127.0.0.1:9")
    assert wants_traces()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert not wants_traces()


@pytest.mark.slow
def test_a_collector_over_http_gets_them_and_one_that_is_away_holds_no_release_up(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import time

    bodies: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_given: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    monkeypatch.setenv(ENDPOINTS[0], f"http://127.0.0.1:{server.server_port}")

    def release() -> float:
        start = time.perf_counter()
        with opened_traces("release-4711", "people") as made:
            assert made is not None
            made.step("ingest", "", 0.1, True)
            made.end(True)
        return time.perf_counter() - start

    release()
    server.shutdown()
    server.server_close()
    ((path, body),) = bodies
    assert path == "/v1/traces"
    assert body.count(b"release-4711") == 2
    assert release() < 3 * traces.LONGEST_SECONDS
    assert capfd.readouterr() == ("", "")


def test_without_the_extra_the_log_says_so_and_the_release_goes_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENDPOINTS[0], "http://127.0.0.1:9")
    monkeypatch.setenv(VARIABLE, "json")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with opened_traces("r1", "people") as made:
        assert made is None
    assert '"event": "traces", "error": "ModuleNotFoundError", "outcome": "off"' in capfd.readouterr().err
