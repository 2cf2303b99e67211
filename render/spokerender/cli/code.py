"""Who runs the code that a project's definitions of metapolicies name, where that is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spokerender.cli import options
from spokerender.findings.words import count
from spokerender.report.printable import printable

if TYPE_CHECKING:
    from spokerender.findings.faults import Fault
    from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument
    from spokerender.wings.metapolicies.model import Code, Runner
    from spokerender.wings.metapolicies.runners.functions import Functions


def runners(folder: Path, documents: Sequence[MetapolicyDocument]) -> Mapping[str, Runner]:
    """The runners that the definitions need, by the way in which they are written.

    One that runs what the project has is not among them unless the command line allows that.
    """
    programs = {
        each.model.metadata.name: each.model.spec.exec
        for each in documents
        if each.model.spec.exec is not None
    }
    found: dict[str, Runner] = {}
    if programs and options.asked("allow_project_code"):
        from spokerender.wings.metapolicies.runners.functions import Functions  # noqa: PLC0415  (most projects have none)

        functions = Functions(folder, programs, twice=bool(options.asked("check_pure")))
        if options.asked("verbose"):
            click.get_current_context().call_on_close(partial(_tell_costs, functions))
        found["exec"] = functions
    if options.asked("allow_project_code") and any(each.extension for each in documents):
        from spokerender.cli import extensions  # noqa: PLC0415  (as above)

        found["extension"] = extensions.runner(documents)
    return found


def _tell_costs(functions: Functions) -> None:
    for name, cost in sorted(functions.costs.items()):
        said = (
            f"function {name}: {count(cost.runs, 'run')} in {cost.run_seconds:.2f} s, "
            f"{cost.remembered:,} remembered"
        )
        click.echo(printable(said), err=True)


def code(folder: Path, documents: Sequence[MetapolicyDocument]) -> Mapping[str, Code | Fault]:
    """The Python of each definition that has any, by its name.

    What installed packages offer is there always; a file of the project, where the command line
    allows that.
    """
    allowed = bool(options.asked("allow_project_code"))
    found: dict[str, Code | Fault] = {}
    for each in documents:
        said, name = each.model.spec.python, each.model.metadata.name
        if said is not None and (allowed or said.file is None):
            from spokerender.wings.metapolicies.runners.python import loaded  # noqa: PLC0415  (most projects have none)

            twice = bool(options.asked("check_pure"))
            found[name] = loaded(said, name, folder, twice=twice)
    return found
