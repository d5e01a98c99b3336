"""Spans of a release and of its steps, for a collector of OpenTelemetry, where OTEL_EXPORTER_OTLP_ENDPOINT names one.

The provider is our own and not the process's: what Prefect or MLflow trace by themselves goes nowhere through it, and nothing of theirs
stands in our spans. A span has ids, a name and seconds; no text of an exception.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.runtime.json_log import LogLine, log

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
TIMEOUTS = ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
LONGEST_SECONDS = 3  # that the end of a release waits for a collector


def wants_traces() -> bool:
    return any(map(os.environ.get, ENDPOINTS)) and os.environ.get("OTEL_SDK_DISABLED", "").lower() != "true"


@dataclass
class Traces:
    """Of one release. Steps run at once, each in a thread of its own."""

    provider: Any
    tracer: Any
    span: Any
    about: dict[str, str]

    def step(self, step: str, table: str, seconds: float, well: bool) -> None:
        """One that has just ended."""
        from opentelemetry.trace import set_span_in_context

        end = time.time_ns()
        attributes = {**self.about, "headgate.step": step, **({"headgate.table": table} if table else {})}
        context = set_span_in_context(self.span)
        span = self.tracer.start_span(step, context=context, start_time=end - int(seconds * 1e9), attributes=attributes)
        self._close(span, well, end)

    def end(self, well: bool) -> None:
        self._close(self.span, well, time.time_ns())

    def _close(self, span: Any, well: bool, end: int) -> None:
        from opentelemetry.trace import Status, StatusCode

        span.set_status(Status(StatusCode.OK if well else StatusCode.ERROR))
        span.end(end)


@contextmanager
def opened_traces(release: str, dataset: str) -> Iterator[Traces | None]:
    """None where nobody wants them, or what sends them is not installed, which the log says."""
    exporter = _exporter() if wants_traces() else None
    if exporter is None:
        yield None
        return
    traces = traces_to(exporter, release, dataset)
    try:
        yield traces
    finally:
        with suppress(Exception):
            traces.provider.force_flush(LONGEST_SECONDS * 1000)
            traces.provider.shutdown()


def traces_to(exporter: SpanExporter, release: str, dataset: str) -> Traces:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "headgate"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    about = {"headgate.release": release, "headgate.dataset": dataset}
    tracer = provider.get_tracer("headgate")
    return Traces(provider, tracer, tracer.start_span("release", attributes=about), about)


def _exporter() -> SpanExporter | None:
    import logging

    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL + 1)  # a collector that is away is no sentence in a terminal
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(timeout=None if any(map(os.environ.get, TIMEOUTS)) else LONGEST_SECONDS)
    except Exception as problem:  # noqa: BLE001 - a variable that somebody set for all programs stops no release
        log(LogLine("traces", "warning", error=type(problem).__name__, outcome="off"))
        return None
