"""The ways in which a metapolicy may be written: a row for each, by its key in a definition.

A way makes a function (`model.Function`) of a definition, and tells what is wrong with that. A way
that has to run something asks a runner (`resources.runners`), which is given from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from render.config.definitions import MetapolicyDocument
from render.findings.faults import Fault
from render.rendering.metapolicies import declarative
from render.rendering.metapolicies.model import Function, Resources

Way = Callable[[MetapolicyDocument, Resources], tuple[Function, list[Fault]]]


def _declarative(
    document: MetapolicyDocument, resources: Resources
) -> tuple[Function, list[Fault]]:
    said = document.model.spec.declarative
    assert said is not None  # noqa: S101  (that is how it was chosen)
    return declarative.read(document.model.spec, said, resources.catalogue)


WAYS: Mapping[str, Way] = {"declarative": _declarative}
