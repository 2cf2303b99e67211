"""One object against one spoke's API server."""

from __future__ import annotations

from collections.abc import Iterator

from spokerender.findings.codes.validation import NO_SCHEMA, UNEVALUATED
from spokerender.findings.results import Fault
from spokerender.judging.validation.choosing import Choice, choose
from spokerender.judging.validation.completing import completed
from spokerender.judging.validation.crds import Definition, Schema, Schemas, pattern_problems
from spokerender.judging.validation.metadata import metadata_faults
from spokerender.judging.validation.model import ANY_SERVER, Json, Server
from spokerender.judging.validation.rules import faults_of
from spokerender.judging.validation.wording import BLOCKING, SchemaError, faults
from spokerender.model import FieldPath, Ref, shown
from spokerender.model.shapes import as_text


def validate(
    value: dict[str, Json], ref: Ref, schemas: Schemas, server: Server = ANY_SERVER
) -> tuple[Fault, ...]:
    """What the API server would say against an object, the fields in order; () if nothing.

    Never raises, whatever the object is. An object whose kind has no CRD gets one fault of the
    rule `NO_SCHEMA`, an info, so that it is told and not passed over.
    """
    api_version = value.get("apiVersion")
    choice = choose(as_text(api_version), ref, schemas, server)
    if choice.schema is None or choice.definition is None:
        return _unjudged(value, ref, choice)
    return tuple(_faults(value, choice.schema, choice.definition))


def _unjudged(value: dict[str, Json], ref: Ref, choice: Choice) -> tuple[Fault, ...]:
    """Without a CRD: Kubernetes' own kinds by the schemas of a library, others by what is said."""
    fault = choice.fault
    if fault is None or fault.finding is not NO_SCHEMA:
        return (fault,) if fault else ()
    from spokerender.judging.validation.builtin import builtin_faults  # noqa: PLC0415  (slow to import, seldom needed)

    faults = builtin_faults(value, ref)
    return (fault,) if faults is None else faults


def _faults(value: dict[str, Json], schema: Schema, definition: Definition) -> Iterator[Fault]:
    wrong: list[Fault] = []
    whole = completed(schema.node, value, wrong)
    yield from wrong
    metadata = whole.get("metadata")
    yield from metadata_faults(metadata, definition.group, namespaced=definition.namespaced)
    refused = schema.constraints.problems(whole) if schema.constraints else []
    yield from faults(refused)
    yield from faults_of(schema.node, whole, _blocked(refused))
    for place, reason in pattern_problems(schema):
        message = f"{shown(place)}: a pattern of the CRD can't be evaluated: {reason}"
        yield Fault(UNEVALUATED, message, "try the object on a cluster", origin=definition.origin)


def _blocked(refused: list[SchemaError]) -> frozenset[FieldPath]:
    """Where rules are not evaluated: at and above what the API server lets block them."""
    paths = [problem.path for problem in refused if problem.kind in BLOCKING]
    return frozenset(path[:length] for path in paths for length in range(len(path) + 1))
