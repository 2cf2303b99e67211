"""The extensions of a project, for as long as a command runs: started, shown, ended, counted."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spokerender.cli import options
from spokerender.edge.presence import is_file
from spokerender.edge.processes import Command, ProcessError, find_program
from spokerender.edge.signals import in_hand
from spokerender.findings.codes.metapolicies import EXTENSION
from spokerender.findings.errors import InputError, RenderError
from spokerender.findings.results import Result, Severity
from spokerender.findings.words import count
from spokerender.report.printable import on_one_line, printable

if TYPE_CHECKING:
    from spokerender.wings.metapolicies.config.definitions import (
        ExtensionDocument,
        MetapolicyDocument,
    )
    from spokerender.wings.metapolicies.runners.extensions.lines import Line, Tell
    from spokerender.wings.metapolicies.runners.extensions.runner import Extensions
    from spokerender.wings.metapolicies.runners.extensions.running import Program

_KEPT = f"{__name__}.kept"
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class ExtensionsMissingError(RenderError):
    """There are extensions, and nothing to speak with them."""


def runner(documents: Sequence[MetapolicyDocument]) -> Extensions:
    """The extensions that definitions name; kept, where a command loads a project several times.

    Raises:
        ExtensionsMissingError: gRPC is not installed.
        InputError: the program of one is not there.

    """
    try:
        from spokerender.wings.metapolicies.runners.extensions.runner import Extensions  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        message = 'extensions need gRPC: pip install "spokerender[extensions]"'
        raise ExtensionsMissingError(message) from error
    programs = _programs(documents)
    context = click.get_current_context()
    kept: tuple[list[Program], Extensions] | None = context.meta.get(_KEPT)
    if kept is not None:
        if kept[0] == programs:
            return kept[1]
        kept[1].close()
    twice, follow = bool(options.asked("check_pure")), bool(options.asked("watch"))
    found = Extensions(programs, _telling(), twice=twice, follow=follow)
    if kept is None:
        context.with_resource(ending())
        context.call_on_close(_close)
    context.meta[_KEPT] = programs, found
    return found


def begin(changed: frozenset[Path]) -> None:
    """Another build begins, since these files have changed."""
    kept = click.get_current_context().meta.get(_KEPT)
    if kept is not None:
        kept[1].begin(changed)


def folders() -> tuple[Path, ...]:
    """Where the extensions are that this command has come to know."""
    kept = click.get_current_context().meta.get(_KEPT)
    return tuple(sorted(each.command.folder for each in kept[0])) if kept is not None else ()


def ending() -> AbstractContextManager[None]:
    """What a signal ends is ended in order: what has been started first, then we, by the signal."""

    def end(_: int, __: object) -> None:
        raise KeyboardInterrupt

    return in_hand(_SIGNALS, end)


def _close() -> None:
    """End all, and tell what they have cost."""
    found: Extensions = click.get_current_context().meta[_KEPT][1]
    found.close()
    if not options.asked("verbose"):
        return
    for name, cost in found.costs().items():
        each = f", {cost.answer_seconds / cost.questions * 1000:.1f} ms each" * bool(cost.questions)
        said = (
            f"extension {name}: {count(cost.starts, 'start')} in {cost.start_seconds:.2f} s, "
            f"{count(cost.questions, 'question')}{each}, {cost.remembered:,} remembered"
        )
        click.echo(printable(said), err=True)


def _telling() -> Tell:
    """What shows the lines that extensions write, from whichever thread: infos on request only."""
    severities = {Severity.ERROR}
    if not options.asked("quiet"):
        severities |= {Severity.WARNING, *([Severity.INFO] if options.asked("verbose") else [])}

    def tell(line: Line) -> None:
        if line.severity in severities:
            said = f"extension {line.extension}: {line.severity}: {on_one_line(line.text)}"
            click.echo(printable(said), err=True)

    return tell


def _programs(documents: Sequence[MetapolicyDocument]) -> list[Program]:
    from spokerender.wings.metapolicies.runners.extensions.running import Declared, Program  # noqa: PLC0415  (an extra)

    declared: dict[str, dict[str, Declared]] = {}
    extensions: dict[str, ExtensionDocument] = {}
    for each in documents:
        if each.extension is None:
            continue
        spec, name = each.model.spec, each.extension.model.metadata.name
        extensions[name] = each.extension
        reads, writes = (
            frozenset((kind.group, kind.kind) for kind in kinds)
            for kinds in (spec.reads, spec.writes)
        )
        kind = spec.for_.group, spec.for_.kind
        declared.setdefault(name, {})[each.model.metadata.name] = Declared(kind, reads, writes)
    results: list[Result] = []
    programs = []
    for name, extension in extensions.items():
        command, said = _command(extension, results), extension.model.spec
        seconds = said.start_seconds, said.answer_seconds
        programs.append(Program(name, said.version, command, *seconds, declared[name]))
    if results:
        raise InputError(tuple(results))
    return programs


def _command(extension: ExtensionDocument, results: list[Result]) -> Command:
    """What starts an extension, in the folder of its file."""
    spec, folder = extension.model.spec, Path(extension.written.path).parent.absolute()
    if spec.python is not None:
        if not is_file(folder / spec.python):
            message = f"{spec.python} is no file in {Path(extension.written.path).parent}"
            results.append(EXTENSION.result(message, origin=extension.written.at("spec", "python")))
        return Command(Path(sys.executable), folder, (spec.python,))
    assert spec.command is not None  # noqa: S101  (one of the two is given)
    program, *arguments = spec.command
    try:
        return Command(find_program(program, folder), folder, tuple(arguments))
    except ProcessError as error:
        origin = extension.written.at("spec", "command")
        results.append(EXTENSION.result(f"{program}: {error}", origin=origin))
        return Command(folder / program, folder)
