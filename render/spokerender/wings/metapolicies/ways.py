"""The ways in which a metapolicy may be written: a row for each, by its key in a definition.

A way makes a function (`model.Function`) of a definition, and tells what is wrong with that. A way
that has to run something asks a runner (`resources.runners`), which is given from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from spokerender.findings.codes.metapolicies import NOT_ALLOWED
from spokerender.findings.results import Fault
from spokerender.rendering.values.stages import GroupKind
from spokerender.wings.metapolicies import declarative, external, python
from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument
from spokerender.wings.metapolicies.config.metapolicies import ReadKind
from spokerender.wings.metapolicies.model import SPOKE, Function, Resources

Way = Callable[[MetapolicyDocument, Resources], tuple[Function, list[Fault]]]


def _declarative(
    document: MetapolicyDocument, resources: Resources
) -> tuple[Function, list[Fault]]:
    said = document.model.spec.declarative
    assert said is not None  # noqa: S101  (that is how it was chosen)
    return declarative.read(document.model.spec, said, resources.catalogue)


def _python(document: MetapolicyDocument, resources: Resources) -> tuple[Function, list[Fault]]:
    spec = document.model.spec
    assert spec.python is not None  # noqa: S101  (that is how it was chosen)
    code = resources.code.get(document.model.metadata.name)
    if code is None:
        at = ("spec", "python", "file")
        code = _not_allowed("code in", spec.python.file or "", at)
    reads, writes = _declared(spec.reads), _declared(spec.writes)
    return python.Function.of(code, reads, writes, resources.catalogue), (
        [code] if isinstance(code, Fault) else []
    )


def _exec(document: MetapolicyDocument, resources: Resources) -> tuple[Function, list[Fault]]:
    said = document.model.spec.exec
    assert said is not None  # noqa: S101  (that is how it was chosen)
    at = ("spec", "exec", "path")
    faults = [] if "exec" in resources.runners else [_not_allowed("program", said.path, at)]
    return _asking("exec", document, resources, at), faults


def _extension(document: MetapolicyDocument, resources: Resources) -> tuple[Function, list[Fault]]:
    name, at = document.model.spec.extension, ("spec", "extension")
    assert name is not None  # noqa: S101  (that is how it was chosen)
    faults = [] if "extension" in resources.runners else [_not_allowed("extension", name, at)]
    return _asking("extension", document, resources, at), faults


def _asking(
    way: str, document: MetapolicyDocument, resources: Resources, at: tuple[str, ...]
) -> Function:
    reads, writes = _declared(document.model.spec.reads), _declared(document.model.spec.writes)
    return external.Function(
        resources.runners.get(way, external.NOBODY),
        reads=reads - {SPOKE},
        writes=writes,
        spelled_out=frozenset(text for kind in writes for text in kind),
        definition=document.model.metadata.name,
        of_spoke=frozenset([()] if SPOKE in reads else []),
        at=at,
    )


def _declared(kinds: Iterable[ReadKind]) -> frozenset[GroupKind]:
    return frozenset((each.group, each.kind) for each in kinds)


def _not_allowed(what: str, name: str, at: tuple[str, ...]) -> Fault:
    message = f"the {what} {name} is the project's, and was not allowed to run"
    cure = "look at it and, if you trust the project, say --allow-project-code"
    return Fault(NOT_ALLOWED, message, cure, at)


WAYS: Mapping[str, Way] = {
    "declarative": _declarative,
    "python": _python,
    "exec": _exec,
    "extension": _extension,
}
