"""Options and arguments that commands share, in the words of kubectl and kustomize."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from spokerender.edge.presence import is_file, is_folder, is_there
from spokerender.report.formats import offered
from spokerender.report.reports import Report

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def _upward(context: click.Context, argument: click.Parameter, folder: str) -> str:
    """The project that the current folder is in, where none is named: the nearest one upward."""
    source = context.get_parameter_source(argument.name or "")
    if source is not click.core.ParameterSource.DEFAULT or is_project("."):
        return folder
    here = Path.cwd()
    for steps, place in enumerate(here.parents, 1):
        if is_project(place):
            return "/".join([".."] * steps)
        if is_there(place / ".git"):
            break
    return folder


def is_project(folder: str | Path) -> bool:
    """Whether a folder has what a project has, if not all of it: then that is told."""
    place = Path(folder)
    has_file = any(is_file(place / name) for name in ("fleet.yaml", "placement.yaml"))
    return has_file or is_folder(place / "hub")


folder: Decorator = click.argument(
    "folder",
    metavar="[DIR]",
    default=".",
    type=click.Path(exists=True, file_okay=False),
    callback=_upward,
)
output: Decorator = click.option(
    "-o", "--output", metavar="PATH", help="The output folder; what fleet.yaml says if left out."
)
strict: Decorator = click.option("--strict", is_flag=True, help="Treat warnings as errors.")


def loudness(more: str) -> list[click.Parameter]:
    """`-q` and `-v`, which every command that has something to tell has: see `asked`.

    `more` is what `-v` adds.
    """
    return [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            help="Tell errors only, and not what was done.",
            expose_value=False,
            callback=_keep,
        ),
        click.Option(
            ["-v", "--verbose"], is_flag=True, help=more, expose_value=False, callback=_keep
        ),
    ]


def code(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whether the project's own code may run, and whether it is asked twice: see `asked`."""
    for decorator in reversed(_CODE):
        command = decorator(command)
    return command


def watch(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whether it is done again whenever something changes: see `asked`."""
    return click.option(
        "--watch",
        is_flag=True,
        help="Build again whenever a file of the project changes, until Ctrl-C.",
        expose_value=False,
        callback=_keep,
    )(command)


def form(kind: type[Report]) -> Decorator:
    """`--format`, as `verbose`: the formats that the command's report can be printed in."""
    formats = offered(kind)
    meanings = "; ".join(f"{name}: {each.meaning}" for name, each in formats.items())
    return click.option(
        "--format",
        type=click.Choice(list(formats)),
        default=next(iter(formats)),
        show_default=True,
        help=f"How to print; {meanings}.",
        expose_value=False,
        callback=_keep,
    )


def asked(name: str) -> Any:  # noqa: ANN401  (what the option takes)
    """What was asked for by an option that no command gets; None where it has no such option."""
    context = click.get_current_context(silent=True)
    return context.meta.get(f"{__name__}.{name}") if context is not None else None


def _keep(context: click.Context, option: click.Parameter, value: object) -> None:
    context.meta[f"{__name__}.{option.name}"] = value


_CODE: tuple[Decorator, ...] = (
    click.option(
        "--allow-project-code",
        is_flag=True,
        help="Run the programs and the Python of the project that its metapolicies name. Only for "
        "projects that you trust.",
        expose_value=False,
        callback=_keep,
    ),
    click.option(
        "--check-pure",
        is_flag=True,
        help="Ask metapolicies that are code everything twice, and refuse different answers.",
        expose_value=False,
        callback=_keep,
    ),
)
