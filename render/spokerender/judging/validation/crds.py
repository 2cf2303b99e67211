"""CRDs: parsed only if they define a wanted kind, chosen by spoke, compiled when first used."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct, field

from spokerender.findings.codes.validation import (
    ABSENT_CRD,
    AMBIGUOUS_CRD,
    BAD_CRD,
    NO_SCHEMA,
    NOT_SERVED,
)
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Fault, Result
from spokerender.formats import yamlio
from spokerender.judging.validation.constraints import (
    Constraints,
    UnusableError,
    compile_constraints,
)
from spokerender.judging.validation.structure import Json, SchemaNode, compile_schema
from spokerender.kinds.crds import CRD_KIND, find_name_fault
from spokerender.kinds.served import find_served_versions
from spokerender.model import Origin, Ref
from spokerender.model.shapes import as_list, as_mapping, objects_of

CRD_GROUP = "apiextensions.k8s.io"
_BUNDLE = "gateway.networking.k8s.io/bundle-version"
_CHANNEL = "gateway.networking.k8s.io/channel"
_OPAQUE = ("apiVersion", "kind", "metadata")
_MARKER = rb"(?m)^---(?=[ \t\r\n]|\Z)"
# Escapes and line continuations can spell any name; NUL is UTF-16; % begins a directive.
_UNUSUAL = (b"\\u", b"\\U", b"\\x", b"\\\n", b"\\\r", b"\x00", b"\n%")
_NAMES = rb"\n  names:[ \t]*\r?\n(?:(?:   |  -)[^\n]*\n)*?    kind:[ \t]*(\w+)[ \t]*\r?\n"
_GROUP = rb"\n  group:[ \t]*([\w.-]+)[ \t]*\r?\n"
_DEFINITION = b"CustomResourceDefinition"


class Server(Struct, frozen=True):
    """The release that a spoke declares for its API server; both parts may be empty.

    `bundle` is a release of the Gateway API (`v1.6.1`), `channel` is `standard` or `experimental`.
    """

    bundle: str = ""
    channel: str = ""

    def __str__(self) -> str:
        """Name it as messages do."""
        return " ".join(filter(None, ("Gateway API", self.bundle, self.channel)))


ANY_SERVER = Server()
"""A spoke that declares nothing about its API server."""


class VersionSchema(Struct, frozen=True, eq=False):
    """One version of a kind, ready to validate with; `problem` says why it can't be."""

    node: SchemaNode
    constraints: Constraints | None
    problem: str = ""


class CRD(Struct, frozen=True, eq=False):
    """A CRD with its served versions, by name."""

    group: str
    kind: str
    bundle: str
    channel: str
    namespaced: bool
    versions: Mapping[str, Json]
    origin: Origin
    _compiled: dict[str, VersionSchema] = field(default_factory=dict)

    def schema(self, version: str) -> VersionSchema:
        """Return the schema of a served version, compiled when first used."""
        schema = self._compiled.get(version)
        if schema is None:
            schema = self._compiled[version] = _compile(self.versions[version])
        return schema

    def __str__(self) -> str:
        """Name its bundle and channel, and where it is written."""
        release = " ".join(filter(None, (self.bundle, self.channel)))
        return f"{release} ({self.origin})" if release else str(self.origin)

    def is_same_as(self, other: CRD) -> bool:
        """Tell whether it makes no difference which of the two is used."""
        return (self.namespaced, self.versions) == (other.namespaced, other.versions)


class Schemas(Struct, frozen=True, eq=False):
    """The CRDs of the wanted kinds, by group and kind, and the findings about their files."""

    definitions: Mapping[tuple[str, str], tuple[CRD, ...]]
    results: tuple[Result, ...] = ()


def read_schemas(
    files: Iterable[tuple[str, bytes]],
    crds: Iterable[tuple[Mapping[str, Any], Origin]],
    wanted: Container[tuple[str, str]],
) -> Schemas:
    """Find the CRDs of the wanted groups and kinds in files and among the hub's objects.

    A file is a path and bytes; one that defines none of the kinds is not even parsed. Never raises.
    """
    results: list[Result] = []
    definitions: dict[tuple[str, str], list[CRD]] = {}
    parsed = (item for file in sorted(files) for item in _parse(*file, wanted, results))
    for crd, origin in (*crds, *parsed):
        definition = _read_definition(crd, origin, wanted, results)
        if definition is not None:
            definitions.setdefault((definition.group, definition.kind), []).append(definition)
    ordered = {
        identity: tuple(sorted(items, key=lambda item: (item.bundle, item.channel, item.origin)))
        for identity, items in sorted(definitions.items())
    }
    return Schemas(ordered, tuple(results))


def _parse(
    path: str, data: bytes, wanted: Container[tuple[str, str]], results: list[Result]
) -> Iterator[tuple[Mapping[str, Any], Origin]]:
    for offset, piece in find_candidates(data, wanted):
        documents, problems = yamlio.read(piece, path)
        for problem in problems:
            origin = Origin(path, line=offset + problem.line, column=problem.column)
            results.append(BAD_CRD.result(problem.message, cure=problem.cure, origin=origin))
        for document in documents:
            origin = Origin(path, document.index, offset + document.line)
            for item in objects_of(document.value):
                if item.get("kind") == CRD_KIND:
                    yield item, origin


def _read_definition(
    crd: Mapping[str, Any],
    origin: Origin,
    wanted: Container[tuple[str, str]],
    results: list[Result],
) -> CRD | None:
    spec = as_mapping(crd.get("spec"))
    group, kind = spec.get("group"), as_mapping(spec.get("names")).get("kind")
    if not isinstance(group, str) or not isinstance(kind, str) or (group, kind) not in wanted:
        return None
    metadata = as_mapping(crd.get("metadata"))
    place, wrong = find_name_fault(crd)
    if wrong:
        ref = Ref(CRD_GROUP, CRD_KIND, "", str(metadata.get("name", "")))
        cure = "correct the CRD: no API server takes it, so nothing is validated by it"
        results.append(
            BAD_CRD.result(f"{place} {wrong}", cure=cure, resource=ref, field=place, origin=origin)
        )
        return None
    annotations = as_mapping(metadata.get("annotations"))
    versions = {
        row["name"]: as_mapping(row.get("schema")).get("openAPIV3Schema")
        for row in as_list(spec.get("versions"))
        if isinstance(row, Mapping)
        and isinstance(row.get("name"), str)
        and row.get("served") is not False
    }
    bare = sorted(name for name, schema in versions.items() if not isinstance(schema, Mapping))
    if not versions or bare:
        message = f"the CRD of {kind} has no schema" + (f" for {', '.join(bare)}" if bare else "")
        ref = Ref(CRD_GROUP, CRD_KIND, "", str(metadata.get("name", "")))
        cure = "give each version schema.openAPIV3Schema (apiextensions.k8s.io/v1)"
        results.append(BAD_CRD.result(message, cure=cure, resource=ref, origin=origin))
    return CRD(
        group=group,
        kind=kind,
        bundle=str(annotations.get(_BUNDLE, "")),
        channel=str(annotations.get(_CHANNEL, "")),
        namespaced=spec.get("scope") != "Cluster",
        versions={name: item for name, item in versions.items() if isinstance(item, Mapping)},
        origin=origin,
    )


def _compile(raw: Mapping[str, Any]) -> VersionSchema:
    node = compile_schema(raw, (), is_root=True)
    try:
        return VersionSchema(node, compile_constraints(raw, _OPAQUE))
    except UnusableError as error:
        return VersionSchema(node, None, str(error))


def find_candidates(data: bytes, wanted: Container[tuple[str, str]]) -> Iterator[tuple[int, bytes]]:
    """Yield the pieces of a file that may define a wanted kind, with the lines before each.

    CRD files have megabytes, and a hub uses few of them. A document is left out, unparsed, only if
    it certainly defines another kind, or no CRD at all.
    """
    if any(mark in data for mark in _UNUSUAL) or data.startswith(b"%"):
        yield 0, data
        return
    if _DEFINITION not in data:
        return
    for start, end in _documents(data):
        piece = data[start:end]
        if _may_define(piece, wanted):
            yield data.count(b"\n", 0, start), piece


def _documents(data: bytes) -> Iterator[tuple[int, int]]:
    starts = [match.start() for match in re.finditer(_MARKER, data)]
    bounds = [0, *starts, len(data)]
    yield from ((a, b) for a, b in pairwise(bounds) if a < b)


def _may_define(data: bytes, wanted: Container[tuple[str, str]]) -> bool:
    if _DEFINITION not in data:
        return False
    kind, group = _find_only(b"\n  names:", _NAMES, data), _find_only(b"\n  group:", _GROUP, data)
    if kind and group and data.count(_DEFINITION) == 1:
        return (group, kind) in wanted
    return True


def _find_only(start: bytes, pattern: bytes, data: bytes) -> str:
    """Return what the pattern finds at the one place where it can; empty if there are several.

    A search for bytes is many times faster than one for a pattern.
    """
    place = data.find(start)
    if place < 0 or data.find(start, place + 1) >= 0:
        return ""
    match = re.compile(pattern).match(data, place)
    return match[1].decode() if match else ""


class SchemaChoice(Struct, frozen=True):
    """The CRD and schema that an object is judged by, or the fault that there is none."""

    definition: CRD | None = None
    schema: VersionSchema | None = None
    fault: Fault | None = None


def choose_schema(api_version: str, ref: Ref, schemas: Schemas, server: Server) -> SchemaChoice:
    """Choose the schema that a spoke's API server judges objects of this kind and version by."""
    version = api_version.rpartition("/")[2]
    definitions = schemas.definitions.get((ref.group, ref.kind), ())
    fitting = [item for item in definitions if _fits(item, server)]
    if not fitting:
        return SchemaChoice(fault=_report_absent(version, ref, definitions, server))
    definition = fitting[0]
    if not all(definition.is_same_as(other) for other in fitting[1:]):
        return SchemaChoice(fault=_report_ambiguous(ref, fitting, server))
    if version not in definition.versions:
        return SchemaChoice(
            definition, fault=_report_not_served(version, ref, tuple(definition.versions), server)
        )
    schema = definition.schema(version)
    if schema.constraints is None:
        message = f"the CRD of {ref.kind} has a schema that no API server takes: {schema.problem}"
        cure = "replace it with the CRD as its project releases it"
        return SchemaChoice(
            definition, fault=Fault(BAD_CRD, message, cure, origin=definition.origin)
        )
    return SchemaChoice(definition, schema)


def _fits(definition: CRD, server: Server) -> bool:
    """Compare releases; a CRD without bundle or channel fits every spoke."""
    pairs = ((server.bundle, definition.bundle), (server.channel, definition.channel))
    return all(not one or not other or _normalise(one) == _normalise(other) for one, other in pairs)


def _normalise(text: str) -> str:
    return text.removeprefix("v").lower()


def _report_absent(version: str, ref: Ref, definitions: Sequence[CRD], server: Server) -> Fault:
    table = find_served_versions(ref.group, ref.kind, server.bundle, server.channel)
    if table is not None and version not in table:
        return _report_not_served(version, ref, table, server)
    if definitions:
        message = f"no CRD of {ref.kind} is of {server}; there are: {_list_crds(definitions)}"
        cure = "add the CRDs of that release, or correct `gatewayAPI` of the spoke"
        return Fault(ABSENT_CRD, message, cure)
    message = f"there is no CRD of {ref.kind} ({ref.group or 'core'}) to validate it by"
    cure = "put it into the hub folder, or into a folder that `spec.crds` of fleet.yaml names"
    return Fault(NO_SCHEMA, message, cure)


def _report_ambiguous(ref: Ref, fitting: Sequence[CRD], server: Server) -> Fault:
    message = f"several CRDs define {ref.kind}: {_list_crds(fitting)}"
    if server != ANY_SERVER:
        message += f"; {server} is not enough to choose"
    cure = "say which of them the spoke runs, with `gatewayAPI: {bundle: …, channel: …}` on it"
    return Fault(AMBIGUOUS_CRD, message, cure)


def _report_not_served(version: str, ref: Ref, has: tuple[str, ...], server: Server) -> Fault:
    by = f"{server} serves" if server != ANY_SERVER else "its CRD serves"
    what = f"only {', '.join(has)}" if has else "no version of it"
    message = f"apiVersion: {version} of {ref.kind} is not served: {by} {what}"
    hint = did_you_mean(version, has)
    cure = f"use {ref.group}/{has[0]}" if has else "leave it out, or upgrade the spoke"
    return Fault(NOT_SERVED, message, cure or hint, ("apiVersion",))


def _list_crds(definitions: Sequence[CRD]) -> str:
    return ", ".join(str(item) for item in definitions)
