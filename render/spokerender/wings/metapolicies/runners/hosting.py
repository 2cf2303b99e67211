"""Host the extensions of a project for as long as a command runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from spokerender.edge.presence import is_file
from spokerender.edge.processes import ProcessError, ProgramCommand, find_program
from spokerender.edge.signals import ending_in_order
from spokerender.findings.codes.metapolicies import EXTENSION
from spokerender.findings.errors import InputError, RenderError
from spokerender.findings.results import Result
from spokerender.report.terminal import on_one_line
from spokerender.wings.metapolicies.functions import tell_costs

if TYPE_CHECKING:
    from spokerender.wings.metapolicies.config import ExtensionDocument, MetapolicyDocument
    from spokerender.wings.metapolicies.runners.extensions.process import ExtensionProgram
    from spokerender.wings.metapolicies.runners.extensions.runner import Extensions
    from spokerender.wings.part import Session


_CURE = "add the program, or correct the extension's file"


def host(documents: Sequence[MetapolicyDocument], session: Session) -> Extensions:
    """Return the extensions that definitions name; one session always gets the same `Extensions`.

    Raises `RenderError` without gRPC, and `InputError` if an extension's program does not exist.
    """
    try:
        from spokerender.wings.metapolicies.runners.extensions.runner import Extensions  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError as error:
        raise RenderError("extensions need gRPC: pip install grpcio") from error
    programs = _find_programs(documents)
    # A command may load a project several times, and the processes serve all loads.
    extensions: Extensions | None = session.kept.get(__name__)
    if extensions is None:

        def show(name: str, line: str) -> None:  # called from any thread
            if not session.is_quiet:
                session.tell(f"extension {name}: {on_one_line(line)}")

        extensions = session.kept[__name__] = Extensions(
            programs, show, twice=session.checks_purity
        )
        session.enter(ending_in_order())
        session.on_close(extensions.close)
        if session.is_verbose:
            session.on_close(partial(tell_costs, "extension", extensions.costs, session.tell))
    elif extensions.programs != programs:
        extensions.host(programs)
    return extensions


def _find_programs(documents: Sequence[MetapolicyDocument]) -> list[ExtensionProgram]:
    from spokerender.wings.metapolicies.runners.extensions.process import ExtensionProgram  # noqa: PLC0415  (an extra)

    results: list[Result] = []
    programs: dict[str, ExtensionProgram] = {}
    for document in documents:
        if document.extension is None:
            continue
        name, settings = document.extension.model.metadata.name, document.extension.model.spec
        if name not in programs:
            command = _find_command(document.extension, results)
            seconds = settings.start_seconds, settings.answer_seconds
            programs[name] = ExtensionProgram(name, settings.version, command, *seconds, {})
        programs[name].definitions[document.name] = document.kind
    if results:
        raise InputError(tuple(results))
    return list(programs.values())


def _find_command(extension: ExtensionDocument, results: list[Result]) -> ProgramCommand:
    """Return the command that starts an extension; problems are appended to `results`."""
    spec, folder = extension.model.spec, Path(extension.written.path).parent.absolute()
    if spec.python is not None:
        if not is_file(folder / spec.python):
            message = f"there is no file {spec.python} in {Path(extension.written.path).parent}"
            origin = extension.written.at("spec", "python")
            results.append(EXTENSION.result(message, cure=_CURE, origin=origin))
        return ProgramCommand(Path(sys.executable), folder, (spec.python,))
    assert spec.command is not None  # noqa: S101  (one of the two is given)
    program, *arguments = spec.command
    try:
        return ProgramCommand(find_program(program, folder), folder, tuple(arguments))
    except ProcessError as error:
        origin = extension.written.at("spec", "command")
        results.append(EXTENSION.result(f"{program}: {error}", cure=_CURE, origin=origin))
        return ProgramCommand(folder / program, folder)
