"""The command line. Each command only parses; what it does is imported when it runs, so that `--help` is instant."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.boundary import reported, run_application

app = typer.Typer(
    name="headgate",
    help="Releases microdata safely: a table about people goes in; published tables, each with a proof of what it protects, come out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
audit_app = typer.Typer(
    help="Who released what, under which policy, who agreed, and whether anything was changed since.", no_args_is_help=True
)
app.add_typer(audit_app, name="audit")

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout; nothing else there.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Let Prefect, MLflow and Great Expectations speak.")]
Key = Annotated[Path | None, typer.Option("--key", envvar="HEADGATE_KEY", help="Your SSH private key.")]
Candidate = Annotated[str, typer.Argument(help="A candidate's id, or a unique prefix of at least 8 characters.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the ledger.")]
PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy, a YAML file.")]
TableFile = Annotated[Path, typer.Argument(metavar="TABLE", help="A CSV or Parquet file.")]
MORE = (  # those that have no option of their own; the list itself would cost `--help` numpy
    "prosecutor, frequency_l, entropy_l, recursive_c, alpha, beta, enhanced_beta, delta_disclosure, range, variance, delta_l, "
    "delta_l_window, epsilon_m, risk, clique, chain, cycle"
)


@app.command()
@reported
def init(
    table: TableFile, output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write it; else to stdout.")] = None
) -> None:
    """Draft a policy for TABLE. Guesses are marked and must be confirmed before a release runs."""
    from flows.commands import draft

    draft(table, output)


@app.command()
@reported
def release(
    policy: PolicyFile,
    source: Annotated[Path | None, typer.Option("--source", help="Read this file instead of the policy's source.")] = None,
    key: Key = None,
    if_changed: Annotated[
        bool, typer.Option("--if-changed", help="End as 'nothing new' if this source and policy have a candidate.")
    ] = False,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Run a release up to a sealed candidate that awaits approval."""
    from flows.commands import run_release

    run_release(policy, source, key, if_changed, json, verbose)


@app.command()
@reported
def advise(
    policy: PolicyFile,
    max_loss: Annotated[str | None, typer.Option("--max-loss", help="Suggest what protects most at no more loss (NCP) than this.")] = None,
    min_delta: Annotated[str | None, typer.Option("--min-delta", help="Suggest what loses least with at least this δ.")] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Write a page with pictures here.")] = None,
    json: Json = False,
) -> None:
    """Which (ε, δ, k) this data can carry, per table, why, the binding values, and which setting to choose."""
    from flows.advise import advise_policy

    advise_policy(policy, max_loss, min_delta, report, json)


@app.command()
@reported
def explore(
    policy: PolicyFile,
    k: Annotated[list[str] | None, typer.Option("--k", metavar="LIST", help="Group sizes: 5,10,20.")] = None,
    epsilon: Annotated[list[str] | None, typer.Option("--epsilon", metavar="LIST", help="ε to try: 0,0.1.")] = None,
    delta: Annotated[list[str] | None, typer.Option("--delta", metavar="LIST", help="δ to try: 0.5,0.7.")] = None,
    json: Json = False,
) -> None:
    """Try many settings and log each to MLflow, with the risk–utility frontier drawn."""
    from flows.advise import explore_policy

    explore_policy(policy, k or [], epsilon or [], delta or [], json)


@app.command()
@reported
def check(
    table: TableFile,
    sensitive: Annotated[list[str], typer.Option("--sensitive", metavar="NAMES", help="Sensitive attributes: c,d.")],
    quasi: Annotated[
        list[str] | None, typer.Option("--quasi", metavar="NAMES", help="Quasi-identifiers: a,b. A name with a comma: '\"a, b\",c'.")
    ] = None,
    group: Annotated[str | None, typer.Option("--group", help="A column that says the group, instead of the quasi-identifiers.")] = None,
    epsilon: Annotated[float | None, typer.Option("--epsilon", help="ε: values within it are proximate.")] = None,
    delta: Annotated[float | None, typer.Option("--delta", help="δ: the required share of dissimilar rows.")] = None,
    interval: Annotated[float | None, typer.Option("--interval", help="Interval of (δ, l)-diversity, in the attribute's unit.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="Least group size; a threshold.")] = None,
    max_closeness: Annotated[float | None, typer.Option("--max-closeness", help="Largest t of any attribute; a threshold.")] = None,
    min_distinct: Annotated[int | None, typer.Option("--min-distinct", help="Least distinct l of any attribute; a threshold.")] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require", metavar="MEASURE=NUMBER", help=f"Any other threshold, such as entropy_l=2; may be repeated. Measures: {MORE}."
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="NAME=KIND", help="number, integer, date, category or set."),
    ] = None,
    hierarchy: Annotated[
        list[str] | None, typer.Option("--hierarchy", metavar="NAME=FILE", help="Of a sensitive category: leaf;…;root, a line a leaf.")
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", help="Write a page with pictures here.")] = None,
    json: Json = False,
) -> None:
    """Measure any table, without a policy. With thresholds, exit 3 if one is not met."""
    from flows.inspect import Question, check_table

    asked = {"k": k, "closeness": max_closeness, "distinct_l": min_distinct}
    question = Question(
        ",".join(quasi or []), ",".join(sensitive), group, epsilon, delta, interval, asked, require or [], kind or [], hierarchy or []
    )
    check_table(table, question, report, json)


@app.command()
@reported
def show(candidate: Candidate, json: Json = False) -> None:
    """What a candidate would publish, and why it is safe."""
    from flows.commands import show_candidate

    show_candidate(candidate, json)


@app.command()
@reported
def attack(
    candidate: Candidate,
    policy: Annotated[Path | None, typer.Option("--policy", help="The policy it was made under, if it lies elsewhere now.")] = None,
    source: Annotated[Path | None, typer.Option("--source", help="The data it was made from, if they lie elsewhere now.")] = None,
    people: Annotated[
        int | None, typer.Option("--people", help="How many people are attacked in each table; else all, up to 100,000.")
    ] = None,
    json: Json = False,
) -> None:
    """Try attacks on a finished candidate: how often somebody with what can be known or bought would be right."""
    from flows.attack import run_attacks

    run_attacks(candidate, policy, source, people, json)


@app.command()
@reported
def approve(candidate: Candidate, reason: Reason, key: Key = None, json: Json = False) -> None:
    """Sign that a candidate may be published."""
    from flows.commands import sign_decision

    sign_decision(candidate, "approve", key, reason, json)


@app.command()
@reported
def reject(candidate: Candidate, reason: Reason, key: Key = None, json: Json = False) -> None:
    """Sign that a candidate must not be published."""
    from flows.commands import sign_decision

    sign_decision(candidate, "reject", key, reason, json)


@app.command()
@reported
def publish(candidate: Candidate, json: Json = False, verbose: Verbose = False) -> None:
    """Publish an approved candidate: atomic, write-once, `latest` last."""
    from flows.commands import run_publish

    run_publish(candidate, json, verbose)


@app.command()
@reported
def releases(json: Json = False) -> None:
    """All releases and their states."""
    from flows.commands import list_releases

    list_releases(json)


@app.command()
@reported
def withdraw(
    release: Annotated[str, typer.Argument(help="A published release: its candidate id or a unique prefix.")],
    reason: Reason,
    key: Key = None,
    json: Json = False,
) -> None:
    """Withdraw a published release; `latest` goes back to the one before."""
    from flows.commands import withdraw_release

    withdraw_release(release, key, reason, json)


@app.command()
@reported
def verify(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A published folder.")],
    signers: Annotated[Path | None, typer.Option("--signers", help="Who you trust to sign: an OpenSSH allowed_signers file.")] = None,
    ledger_key: Annotated[Path | None, typer.Option("--ledger-key", help="The ledger's public key.")] = None,
    json: Json = False,
) -> None:
    """Check a published folder, offline: hashes, signatures, and every privacy claim measured again."""
    from flows.inspect import verify_published

    verify_published(folder, signers, ledger_key, json)


@app.command()
@reported
def serve(
    policies: Annotated[list[Path] | None, typer.Argument(metavar="[POLICY|FOLDER]...", help="Policies, or folders of them.")] = None,
    verbose: Verbose = False,
) -> None:
    """Run every policy's schedule, and publish what was approved, until stopped."""
    from flows.serve import serve_policies

    serve_policies(policies or [Path()], verbose)


@app.command()
@reported
def demo(
    home: Annotated[
        Path | None, typer.Option("--home", help="Keep the demo's home here; else it is made anew in a temporary folder.")
    ] = None,
) -> None:
    """A whole release of the shipped hospital data: run, approved, published, verified; and one that its gate refuses."""
    from flows.demo import run_demo

    run_demo(home)


@audit_app.command("list")
@reported
def audit_list(json: Json = False) -> None:
    """Every release in the ledger."""
    from flows.commands import list_releases

    list_releases(json)


@audit_app.command("show")
@reported
def audit_show(release: Annotated[str, typer.Argument(help="A release or candidate id, or a unique prefix.")], json: Json = False) -> None:
    """Every event of one release."""
    from flows.inspect import show_events

    show_events(release, json)


@audit_app.command("verify")
@reported
def audit_verify(json: Json = False) -> None:
    """Is the chain whole, and does every published head lie on it?"""
    from flows.inspect import verify_ledger

    verify_ledger(json)


@audit_app.command("export")
@reported
def audit_export(output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; else stdout.")] = None) -> None:
    """The ledger's events, one JSON object a line."""
    from flows.inspect import export_ledger

    export_ledger(output)


def main(arguments: list[str] | None = None) -> Any:
    """The entry point of the command `headgate`.

    Nearly all objects of a process are those of imported modules, which stay. Looking through them for garbage as often as Python does by
    itself cost a release more than a second, and doing so once more at exit another.
    """
    gc.set_threshold(50_000, 20, 20)
    code = run_application(app, sys.argv[1:] if arguments is None else arguments)
    gc.freeze()
    sys.exit(code)


if __name__ == "__main__":
    main()
