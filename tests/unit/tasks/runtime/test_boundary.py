"""What leaves a step of an exception: Prefect stores what it is handed, and pandas writes cell values into its messages."""

from __future__ import annotations

import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.settings import PREFECT_CLIENT_MAX_RETRIES, PREFECT_CLIENT_RETRY_JITTER_FACTOR, temporary_settings

from headgate.core.errors import (
    LINE,
    CellsRejected,
    Defect,
    HeadgateError,
    InputRejected,
    PolicyInvalid,
    RequirementNotMet,
    StoreUnavailable,
)
from tasks.runtime.boundary import guarded, named


def left(problem: HeadgateError) -> str:
    """Everything that hangs on an exception, as whoever is handed it could print it."""
    assert problem.__cause__ is None
    assert problem.__context__ is None
    return "".join(traceback.format_exception(problem)) + repr(problem.args) + repr(vars(problem))


def test_a_foreign_exception_leaves_as_its_class_and_place() -> None:
    @guarded
    def read() -> None:
        try:
            {}["CANARY-key"]
        except KeyError as inner:
            raise ValueError("CANARY-cell 42") from inner

    with pytest.raises(Defect) as caught:
        read()
    assert "CANARY" not in left(caught.value)
    assert "Step read broke: ValueError at test_boundary.py:" in caught.value.message


def test_a_file_that_cannot_be_used_is_named_by_its_reason_only() -> None:
    @guarded
    def read() -> None:
        raise PermissionError(13, "Permission denied", "/home/CANARY/people.csv")

    with pytest.raises(StoreUnavailable, match="Permission denied") as caught:
        read()
    assert "CANARY" not in left(caught.value)


def test_a_refusal_leaves_without_the_values_that_it_is_about() -> None:
    """`headgate check` shows them to whoever holds the file; a release must not."""

    @guarded
    def read() -> None:
        raise InputRejected("The hierarchy misses 1 of 3 values.", "Add a line.", ["CANARY"])

    with pytest.raises(InputRejected, match="misses 1") as caught:
        read()
    assert "CANARY" not in left(caught.value)


def test_a_refusal_of_cells_leaves_without_them_and_says_the_same() -> None:
    @guarded
    def read() -> None:
        raise CellsRejected("age", ("is not a number", "are not numbers"), "Correct them.", [1, 4], ["CANARY", "CANARY"]).at(LINE, [3, 6])

    with pytest.raises(InputRejected, match=r"2 cells of 'age' are not numbers \(in lines 3 and 6\)") as caught:
        read()
    assert "CANARY" not in left(caught.value)


def test_a_refusal_of_ours_passes_without_what_it_was_raised_over() -> None:
    @guarded
    def check() -> None:
        try:
            raise ValueError("CANARY-cell 42")
        except ValueError:
            raise InputRejected("Column 'age' has 1 cells of another kind.", "Correct the data.")  # noqa: B904 - what is tested

    with pytest.raises(InputRejected) as caught:
        check()
    assert "CANARY" not in left(caught.value)
    assert caught.value.code == 2


def test_an_interrupt_is_not_held_back() -> None:
    @guarded
    def wait() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wait()


class Bare(BaseException):
    """What no `except Exception` holds back."""


@pytest.mark.parametrize(
    "foreign", [Bare("CANARY"), SystemExit("CANARY"), GeneratorExit("CANARY"), OSError(5, "CANARY", "/home/CANARY"), OSError("CANARY")]
)
def test_no_text_leaves_whatever_kind_of_exception_it_is(foreign: BaseException) -> None:
    @guarded
    def work() -> None:
        raise foreign

    with pytest.raises(HeadgateError) as caught:
        work()
    assert "CANARY" not in left(caught.value)


def test_an_interrupt_leaves_without_its_text() -> None:
    @guarded
    def work() -> None:
        raise KeyboardInterrupt("CANARY")

    with pytest.raises(KeyboardInterrupt) as caught:
        work()
    assert caught.value.args == ()
    assert caught.value.__context__ is None


def test_a_signal_of_prefect_passes() -> None:
    from prefect.exceptions import TerminationSignal

    @guarded
    def work() -> None:
        raise TerminationSignal(signal=15)

    with pytest.raises(TerminationSignal):
        work()


def test_code_without_a_file_is_at_an_unknown_place() -> None:
    @guarded
    def work() -> None:
        exec(compile("raise ValueError", "CANARY", "exec"))

    with pytest.raises(Defect, match="ValueError at an unknown place") as caught:
        work()
    assert "CANARY" not in left(caught.value)


@pytest.mark.parametrize(
    "refusal", [InputRejected("Column 'CANARY' is absent.", "Name it."), PolicyInvalid("CANARY.yaml is wrong.", "Mend it.")]
)
def test_what_is_wrong_with_a_file_is_told_to_whoever_asked_and_not_to_who_keeps_texts(refusal: HeadgateError) -> None:
    message = refusal.message

    @named("ingest")
    def read() -> None:
        raise refusal

    with pytest.raises(type(refusal)) as caught:
        read()
    assert "CANARY" not in f"{caught.value} {caught.value!r}"
    assert str(caught.value).startswith(f"{type(refusal).__name__} in step ingest.")
    assert caught.value.message == message


def test_figures_that_a_gate_refuses_are_told() -> None:
    @named("judge")
    def judge() -> None:
        raise RequirementNotMet("k is 2; at least 5 is required.", "Lower k.", "k", 2.0, 5.0)

    with pytest.raises(RequirementNotMet, match="k is 2") as caught:
        judge()
    assert caught.value.step == "judge"


def test_an_error_that_prefects_server_answers_with_is_no_defect() -> None:
    """A server that was still closing its database answered once with 500: the command called that a defect of headgate."""

    @guarded
    def publish() -> None:
        with SyncPrefectClient(f"http://127.0.0.1:{server.server_port}/api") as client:
            client.read_flow_by_name("CANARY")

    with ThreadingHTTPServer(("127.0.0.1", 0), Erring) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        quickly = temporary_settings({PREFECT_CLIENT_MAX_RETRIES: 1, PREFECT_CLIENT_RETRY_JITTER_FACTOR: 0})
        with quickly, pytest.raises(StoreUnavailable, match="Step publish got an error from Prefect's server") as caught:
            publish()
        server.shutdown()
    assert "CANARY" not in left(caught.value)


class Erring(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(500)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing on stderr."""
