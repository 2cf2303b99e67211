"""Run functions that are programs: Python files, KRM functions, extensions. The wing's edge."""

# Most projects have no such function, and the modules of this package take time to import.
# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from spokerender.wings.metapolicies.functions import tell_costs

if TYPE_CHECKING:
    from spokerender.findings.results import Fault
    from spokerender.wings.metapolicies.config import MetapolicyDocument
    from spokerender.wings.metapolicies.functions import AuthoredCode, Runner
    from spokerender.wings.part import Session


def find_runners(
    folder: PurePath, documents: Sequence[MetapolicyDocument], session: Session
) -> Mapping[str, Runner]:
    """Return the runners that definitions need, by their keys in a definition's spec.

    Runners start programs of the project, so there are none unless the session allows code.
    """
    runners: dict[str, Runner] = {}
    if not session.allows_code:
        return runners
    programs = {
        document.name: document.model.spec.exec
        for document in documents
        if document.model.spec.exec is not None
    }
    if programs:
        from spokerender.wings.metapolicies.runners.krm_functions import KrmFunctions

        functions = KrmFunctions(Path(folder), programs, twice=session.checks_purity)
        if session.is_verbose:
            session.on_close(partial(tell_costs, "function", functions.costs, session.tell))
        runners["exec"] = functions
    if any(document.extension for document in documents):
        from spokerender.wings.metapolicies.runners import hosting

        runners["extension"] = hosting.host(documents, session)
    return runners


def load_functions(
    folder: PurePath, documents: Sequence[MetapolicyDocument], session: Session
) -> Mapping[str, AuthoredCode | Fault]:
    """Return, by definition, its loaded Python function, or the fault that prevents loading it.

    A file of the project is loaded only if the session allows code. The functions of installed
    packages are always loaded.
    """
    functions: dict[str, AuthoredCode | Fault] = {}
    for document in documents:
        settings, name = document.model.spec.python, document.name
        if settings is not None and (session.allows_code or settings.file is None):
            from spokerender.wings.metapolicies.runners.python_loading import load_code

            functions[name] = load_code(settings, name, Path(folder), twice=session.checks_purity)
    return functions
