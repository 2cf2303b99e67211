"""Arguments and options that commands share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from spokerender.edge.presence import is_project, is_there
from spokerender.model.times import read_time
from spokerender.report.formats import offered
from spokerender.report.reports import Report

Completion = Callable[[click.Context, click.Parameter, str], list[str]]
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def option_value(name: str) -> Any:  # noqa: ANN401  (what the option takes)
    """Return the value of an option that is not passed to the command's function.

    None if the command has no such option.
    """
    context = click.get_current_context(silent=True)
    return context.meta.get(f"{__name__}.{name}") if context is not None else None


def refuse_usage(message: str) -> NoReturn:
    """End the command with an error about its arguments."""
    raise click.UsageError(message)


def find_project() -> str:
    """Return the current folder, or the nearest project above it in the repository."""
    try:
        places = () if is_project(".") else Path.cwd().parents
    except FileNotFoundError:
        refuse_usage("the current folder is gone: go to another one")
    for steps, place in enumerate(places, 1):
        if is_project(place):
            return "/".join([".."] * steps)
        if is_there(place / ".git"):
            break
    return "."


def _named_project(context: click.Context, argument: click.Parameter, value: str) -> str:
    source = context.get_parameter_source(argument.name or "")
    return find_project() if source is click.core.ParameterSource.DEFAULT else value


def _remember(context: click.Context, option: click.Parameter, value: object) -> None:
    context.meta[f"{__name__}.{option.name}"] = value


def remember(context: click.Context, option: click.Parameter, value: object) -> object:
    """Store the value of an option for `option_value`, and return it for the command's function."""
    _remember(context, option, value)
    return value


def _flag(name: str, text: str) -> Decorator:
    """Return a decorator that adds a flag to a command; `option_value` returns the flag's value."""
    return click.option(name, is_flag=True, help=text, expose_value=False, callback=_remember)


folder: Decorator = click.argument(
    "folder",
    metavar="[DIR]",
    default=".",
    type=click.Path(exists=True, file_okay=False),
    callback=_named_project,
)


def output_to(text: str) -> Decorator:
    """Return the option `-o` for the folder to which a command writes."""
    return click.option("-o", "--output", metavar="PATH", help=text)


output = output_to("The output folder. Default: spec.output in fleet.yaml, or clusters/.")
strict: Decorator = click.option("--strict", is_flag=True, help="Treat warnings as errors.")


def one_spoke(complete: Completion, text: str, default: str | None = None) -> Decorator:
    """Return the option `--spoke`."""
    return click.option(
        "--spoke", metavar="SPOKE", shell_complete=complete, default=default, help=text
    )


def loudness(more: str) -> list[click.Parameter]:
    """Return `-q` and `-v` for commands that print a report; `more` is the effect of `-v`."""
    texts = {"quiet": "Print only errors, and not what was done.", "verbose": more}
    return [
        click.Option(
            [f"-{name[0]}", f"--{name}"],
            is_flag=True,
            help=text,
            expose_value=False,
            callback=_remember,
        )
        for name, text in texts.items()
    ]


def code(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for code of the project: `--allow-project-code` and `--check-pure`."""
    allow = _flag(
        "--allow-project-code",
        "Run programs and Python files of the project that its metapolicies name. Use it only "
        "for projects that you trust.",
    )
    check = _flag(
        "--check-pure", "Run metapolicies that are code twice, and fail if their answers differ."
    )
    return allow(check(command))


def form(kind: type[Report]) -> Decorator:
    """Return a decorator that adds `--format`, with the formats that can print the report."""
    formats = offered(kind)
    meanings = "; ".join(f"{name}: {item.meaning}" for name, item in formats.items())
    return click.option(
        "--format",
        type=click.Choice(list(formats)),
        default=next(iter(formats)),
        show_default=True,
        help=f"The output format. {meanings}.",
        expose_value=False,
        callback=_remember,
    )


def reports(kind: type[Report]) -> Decorator:
    """Return a decorator that adds `--report`, with the formats of reports for programs."""
    names = [name for name, item in offered(kind).items() if not item.is_conversation]

    def read(context: click.Context, option: click.Parameter, values: Sequence[str]) -> None:
        pairs = [value.partition("=")[::2] for value in values]
        for name, file in pairs:
            if name not in names or not Path(file).name:
                raise click.BadParameter(f"write FORMAT=FILE, with one of {', '.join(names)}")
        _remember(context, option, pairs)

    return click.option(
        "--report",
        metavar="FORMAT=FILE",
        multiple=True,
        help="Also write the report to a file in another format, such as junit=policies.xml; "
        "with - for the file it is printed. Repeatable.",
        expose_value=False,
        callback=read,
    )


def decisions(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add options for Placements of the hub: which are decided again, and at which time."""
    update = click.option(
        "--update-placement",
        metavar="NAMESPACE/NAME",
        multiple=True,
        is_flag=False,
        flag_value="*",
        expose_value=False,
        callback=_remember,
        help="Decide a Placement of the hub again, even if its decision in placement.lock.yaml "
        "still holds. Without a name: all Placements. Repeatable.",
    )
    now = click.option(
        "--now",
        metavar="TIME",
        expose_value=False,
        callback=_remember_time,
        help="The time by which tolerations and scores of Placements are evaluated, such as "
        "2026-11-24T12:00:00Z. It is stored in placement.lock.yaml.",
    )
    return update(now(command))


def _remember_time(context: click.Context, option: click.Parameter, value: str | None) -> None:
    if value is not None:
        try:
            read_time(value)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
    _remember(context, option, value)
