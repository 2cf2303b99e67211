"""Which CRD of a kind a spoke's API server has, and which schema an object is judged by."""

from __future__ import annotations

from msgspec import Struct

from spokerender.findings.codes.validation import (
    ABSENT_CRD,
    AMBIGUOUS_CRD,
    BAD_CRD,
    NO_SCHEMA,
    NOT_SERVED,
)
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault
from spokerender.judging.validation.crds import Definition, Schema, Schemas
from spokerender.judging.validation.model import ANY_SERVER, Server
from spokerender.kinds.served import find_served_versions
from spokerender.model import Ref

_API_VERSION = ("apiVersion",)


class Choice(Struct, frozen=True):
    """A definition and its schema, or the fault that there is none."""

    definition: Definition | None = None
    schema: Schema | None = None
    fault: Fault | None = None


def choose(api_version: str, ref: Ref, schemas: Schemas, server: Server) -> Choice:
    """The schema that a spoke's API server judges objects of this kind and version by."""
    version = api_version.rpartition("/")[2]
    definitions = schemas.definitions.get((ref.group, ref.kind), ())
    fitting = [item for item in definitions if _fits(item, server)]
    if not fitting:
        return Choice(fault=_absent(version, ref, definitions, server))
    definition = fitting[0]
    if not all(definition.is_same_as(other) for other in fitting[1:]):
        return Choice(fault=_ambiguous(ref, fitting, server))
    if version not in definition.versions:
        return Choice(
            definition, fault=_not_served(version, ref, tuple(definition.versions), server)
        )
    schema = definition.schema(version)
    if schema.constraints is None:
        message = f"the CRD of {ref.kind} has a schema that no API server takes: {schema.problem}"
        cure = "replace it with the CRD as its project releases it"
        return Choice(definition, fault=Fault(BAD_CRD, message, cure, origin=definition.origin))
    return Choice(definition, schema)


def _fits(definition: Definition, server: Server) -> bool:
    """A CRD that names no bundle or channel is no part of a release, so every spoke may have it."""
    asked = ((server.bundle, definition.bundle), (server.channel, definition.channel))
    return all(not want or not has or _plain(want) == _plain(has) for want, has in asked)


def _plain(text: str) -> str:
    return text.removeprefix("v").lower()


def _absent(version: str, ref: Ref, definitions: tuple[Definition, ...], server: Server) -> Fault:
    table = find_served_versions(ref.group, ref.kind, server.bundle, server.channel)
    if table is not None and version not in table:
        return _not_served(version, ref, table, server)
    if definitions:
        message = f"no CRD of {ref.kind} is of {server}; there are: {_listed(definitions)}"
        cure = "add the CRDs of that release, or correct `gatewayAPI` of the spoke"
        return Fault(ABSENT_CRD, message, cure)
    message = f"there is no CRD of {ref.kind} ({ref.group or 'core'}) to validate it by"
    cure = "put it into the hub folder, or into a folder that `spec.crds` of fleet.yaml names"
    return Fault(NO_SCHEMA, message, cure)


def _ambiguous(ref: Ref, fitting: list[Definition], server: Server) -> Fault:
    said = f"{server} is" if server != ANY_SERVER else "the spoke says nothing, and there are"
    message = f"several CRDs define {ref.kind}: {_listed(fitting)}; {said} not enough to choose"
    if server == ANY_SERVER:
        message = f"several CRDs define {ref.kind}: {_listed(fitting)}"
    cure = "say which of them the spoke runs, with `gatewayAPI: {bundle: …, channel: …}` on it"
    return Fault(AMBIGUOUS_CRD, message, cure)


def _not_served(version: str, ref: Ref, has: tuple[str, ...], server: Server) -> Fault:
    by = f"{server} serves" if server != ANY_SERVER else "its CRD serves"
    what = f"only {', '.join(has)}" if has else "no version of it"
    message = f"apiVersion: {version} of {ref.kind} is not served: {by} {what}"
    hint = did_you_mean(version, has)
    cure = f"use {ref.group}/{has[0]}" if has else "leave it out, or upgrade the spoke"
    return Fault(NOT_SERVED, message, cure or hint, _API_VERSION)


def _listed(definitions: list[Definition] | tuple[Definition, ...]) -> str:
    return ", ".join(str(item) for item in definitions)
