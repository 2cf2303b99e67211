"""Find what runs the code that definitions of metapolicies name, where that is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from spokerender.findings.phrasing import count

if TYPE_CHECKING:
    from spokerender.findings.results import Fault
    from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument
    from spokerender.wings.metapolicies.model import Code, Runner
    from spokerender.wings.metapolicies.runners.functions import Functions
    from spokerender.wings.part import Session


def find_runners(
    folder: PurePath, documents: Sequence[MetapolicyDocument], session: Session
) -> Mapping[str, Runner]:
    """Return the runners that the definitions need, by the way in which they are written.

    A runner of the project's own programs is not among them unless the session allows code.
    """
    runners: dict[str, Runner] = {}
    if not session.allows_code:
        return runners
    programs = {
        document.model.metadata.name: document.model.spec.exec
        for document in documents
        if document.model.spec.exec is not None
    }
    if programs:
        from spokerender.wings.metapolicies.runners.functions import Functions  # noqa: PLC0415  (most projects have none)

        functions = Functions(Path(folder), programs, twice=session.checks_purity)
        if session.is_verbose:
            session.on_close(partial(_show_costs, functions, session))
        runners["exec"] = functions
    if any(document.extension for document in documents):
        from spokerender.wings.metapolicies.runners import hosting  # noqa: PLC0415  (as above)

        runners["extension"] = hosting.host(documents, session)
    return runners


def _show_costs(functions: Functions, session: Session) -> None:
    for name, cost in sorted(functions.costs.items()):
        session.tell(
            f"function {name}: {count(cost.runs, 'run')} in {cost.run_seconds:.2f} s, "
            f"{cost.remembered:,} remembered"
        )


def load_code(
    folder: PurePath, documents: Sequence[MetapolicyDocument], session: Session
) -> Mapping[str, Code | Fault]:
    """Load the Python of each definition that has any, by its name.

    What installed packages offer is loaded always; a file of the project only where the session
    allows code.
    """
    code: dict[str, Code | Fault] = {}
    for document in documents:
        function, name = document.model.spec.python, document.model.metadata.name
        if function is not None and (session.allows_code or function.file is None):
            from spokerender.wings.metapolicies.runners.python import loaded  # noqa: PLC0415  (most projects have none)

            code[name] = loaded(function, name, Path(folder), twice=session.checks_purity)
    return code
