"""`spokerender ask`: show what happens to a request, on which spokes, and why."""

from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import get_args

import click
from msgspec.structs import replace

from spokerender.cli import EXIT_WRONG_INPUT, completing, options
from spokerender.cli.bases import find_base
from spokerender.cli.project import load
from spokerender.cli.reporting import ReportCommand, refuse_unanswerable
from spokerender.explain.asking import share_request_answers, suggest_hosts
from spokerender.explain.lookup import find_spoke
from spokerender.explain.requests import RequestError, read_request
from spokerender.formats.templating.template import compile_template, is_template
from spokerender.formats.templating.values import TemplateProblem
from spokerender.judging.fleet.judged import Aspect, JudgedFleet
from spokerender.kinds.columns import Credential
from spokerender.pipeline import judge
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.rendered import Rendered
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
    if credential is None:
        has_one = any(text.casefold().startswith("authorization:") for text in headers)
        credential = "" if has_one else ANONYMOUS
    request = f"{method} {request}" if method else request
    make_request = _read(request, headers, credential, client)
    loaded = load(folder, None)
    rendered = loaded.rendered
    errors = refuse_unanswerable(rendered.results)
    if spoke:
        find_spoke(rendered, spoke)
    judged = judge(rendered, (), Aspect.STATES)
    if as_test:
        _print_tests(rendered, judged, request, headers, client)
        return None
    answers = share_request_answers(rendered, judged, make_request, spoke)
    report = AskReport(
        results=errors,
        status=EXIT_WRONG_INPUT if errors else 0,
        request=request,
        caller=f"as {credential}" if credential else "with this header",
        answers=answers,
        hint=suggest_hosts(answers, judged, make_request, spoke),
        spokes=len(rendered.bundles),
    )
    if not against:
        return report
    base = find_base(loaded, against).state
    earlier = share_request_answers(base.rendered, base.fleet, make_request, spoke)
    return replace(report, against=against, earlier=earlier)


def _print_tests(
    rendered: Rendered, judged: JudgedFleet, request: str, headers: Sequence[str], client: str
) -> None:
    from spokerender.requests.as_test import write_tests  # noqa: PLC0415  (start-up counts)
    from spokerender.requests.running import RequestRunner  # noqa: PLC0415  (as above)

    runner = RequestRunner(rendered, judged, with_lines=False)
    tests = write_tests(runner, request, headers, client)
    if not tests:
        options.refuse_usage("REQUEST: no spoke has this host, or files decide nothing")
    click.echo(tests, nl=False)


def _read(
    text: str, headers: Sequence[str], caller: str, client: str
) -> Callable[[Bundle], Request]:
    """Return what makes the request for a spoke; end the command if it can't be read."""

    def read(text: str) -> Request:
        return replace(read_request(text, headers), credential=caller, client=client)

    try:
        if not is_template(text):
            request = read(text)
            return lambda _: request
        template = compile_template(text)
    except (RequestError, TemplateProblem) as error:
        options.refuse_usage(f"REQUEST: {error}")

    def make(bundle: Bundle) -> Request:
        try:
            return read(str(template.evaluate({"spoke": bundle.spoke.context})))
        except (RequestError, TemplateProblem) as error:
            options.refuse_usage(f"REQUEST, on {bundle.spoke.name}: {error}")

    return make
