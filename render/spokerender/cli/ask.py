"""`spokerender ask`: show what happens to a request, on which spokes, and why."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from typing import get_args

import click
from msgspec.structs import replace

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.bases import find_base
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_unanswerable
from spokerender.explain.lookup import find_spoke
from spokerender.explain.requests import RequestError, read_request
from spokerender.explain.running import RequestRunner, share_request_answers
from spokerender.judging.fleet.judged import Aspect
from spokerender.kinds.columns import Credential
from spokerender.pipeline import judge
from spokerender.report.reports import AskReport
from spokerender.topology.matches import ANONYMOUS, Request


def _refuse_method(_: click.Context, __: click.Parameter, value: str) -> str:
    if value.isalpha() and value.isupper():
        options.refuse_usage(f"{value} is a method: put it in quotes together with the URL")
    return value


def _read_client(_: click.Context, __: click.Parameter, value: str) -> str:
    try:
        return str(ip_address(value)) if value else ""
    except ValueError:
        options.refuse_usage(f'--from: "{value}" is no address: write one like 192.0.2.1')


@click.command("ask", cls=ReportCommand)
@click.argument(
    "request",
    metavar="REQUEST",
    callback=_refuse_method,
    shell_complete=completing.complete_requests,
)
@options.folder
@click.option(
    "-H",
    "--header",
    "headers",
    metavar="'NAME: VALUE'",
    multiple=True,
    help="A header of the request, as curl takes it. Repeatable.",
)
@click.option("-X", "--request", "method", metavar="METHOD", default="", help="The method.")
@click.option(
    "--as",
    "credential",
    type=click.Choice([ANONYMOUS, *get_args(Credential)], case_sensitive=False),
    help="What the caller has: a credential of this kind that policies take, or none."
    "  [default: anonymous, without a header Authorization]",
)
@click.option(
    "--from",
    "client",
    metavar="ADDRESS",
    default="",
    callback=_read_client,
    help="The caller's address, as proxies see it.",
)
@options.one_spoke(completing.complete_spokes, "Ask only on this spoke.", default="")
@click.option(
    "--against",
    metavar="REV",
    default="",
    help="Show what was otherwise at this Git revision, or REV... for its merge base with HEAD.",
)
@click.option("--as-test", is_flag=True, help="Print tests of the request that hold.")
@options.code
@options.form(AskReport)
def ask(  # noqa: PLR0913, PLR0917  (an argument for each option)
    request: str,
    folder: str,
    headers: tuple[str, ...],
    method: str,
    credential: str | None,
    client: str,
    spoke: str,
    against: str,
    as_test: bool,
) -> AskReport | None:
    """Show what happens to REQUEST on each spoke of the project in DIR, from the files alone.

    REQUEST is a URL with a method before it: 'GET https://shop.example.com/cart'. Without a method
    it is a GET, and without a scheme http, as curl has it; tls://, tcp:// and udp:// are
    connections. A host may have values of the spokes: 'https://api.{{ spoke.values.domain }}/'.

    Each answer says where the connection comes in, which rule takes the request and which ones it
    just misses, who may call and how often, whether this caller is let in, what the rule does, and
    its backends. Spokes with the same answer are one.
    """
    text = f"{method} {request}" if method else request
    asked = _read(text, headers, credential, client)
    loaded = load(folder, None)
    rendered = loaded.rendered
    # Absent objects do not keep other requests from being answered.
    errors = refuse_unanswerable(rendered.results)
    if spoke:
        find_spoke(rendered, spoke)
    judged = judge(rendered, (), Aspect.STATES)
    # Before the comparison: tests are written of the present state alone.
    if as_test:
        _print_tests(RequestRunner(rendered, judged), text, asked, headers)
        return None
    base = find_base(loaded, against).state if against else None
    with _refusing_wrong_ones():
        answers, hint = share_request_answers(rendered, judged, asked, spoke)
        earlier = share_request_answers(base.rendered, base.fleet, asked, spoke)[0] if base else ()
    return AskReport(
        results=errors,
        status=EXIT_WRONG_INPUT if errors else 0,
        request=text,
        caller=f"as {asked.credential}" if asked.credential else "with this header",
        answers=answers,
        hint=hint,
        spokes=len(rendered.bundles),
        against=against,
        earlier=earlier,
    )


@contextmanager
def _refusing_wrong_ones() -> Iterator[None]:
    try:
        yield
    except RequestError as error:
        options.refuse_usage(f"REQUEST: {error}")


def _read(text: str, headers: Sequence[str], credential: str | None, client: str) -> Request:
    has_one = any(header.casefold().startswith("authorization:") for header in headers)
    # A header with credentials is the caller's own.
    caller = credential if credential is not None else "" if has_one else ANONYMOUS
    with _refusing_wrong_ones():
        return replace(read_request(text, headers), credential=caller, client=client)


def _print_tests(
    runner: RequestRunner, text: str, request: Request, headers: Sequence[str]
) -> None:
    from spokerender.requests.as_test import write_tests  # noqa: PLC0415  (start-up counts)

    tests = write_tests(runner, text, request, headers)
    if not tests:
        options.refuse_usage("REQUEST: no spoke has this host, or files decide nothing")
    click.echo(tests, nl=False)
