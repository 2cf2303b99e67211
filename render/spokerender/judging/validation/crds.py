"""Reads a project's CRDs: parses only those of needed kinds, and compiles schemas on first use."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.attachment import BAD_CRD
from spokerender.findings.results import Result
from spokerender.formats.yamlio import reading
from spokerender.judging.validation.constraints import (
    Constraints,
    UnusableError,
    compile_constraints,
)
from spokerender.judging.validation.structure import SchemaNode, compile_schema
from spokerender.kinds.crds import BUNDLE, CHANNEL, CRD_KIND, find_name_fault
from spokerender.model import Origin, Ref, grouped
from spokerender.model.memo import memoised
from spokerender.model.releases import BundledRelease
from spokerender.model.shapes import Json, as_list, as_mapping, objects_of

CRD_GROUP = "apiextensions.k8s.io"
_MARKER = rb"(?m)^---(?=[ \t\r\n]|\Z)"
# Escapes and line continuations can spell any name, NUL means UTF-16, and % begins a directive.
_UNUSUAL = (b"\\u", b"\\U", b"\\x", b"\\\n", b"\\\r", b"\x00", b"\n%")
_NAMES = rb"\n  names:[ \t]*\r?\n(?:(?:   |  -)[^\n]*\n)*?    kind:[ \t]*(\w+)[ \t]*\r?\n"
_GROUP = rb"\n  group:[ \t]*([\w.-]+)[ \t]*\r?\n"
_DEFINITION = b"CustomResourceDefinition"


class Server(Struct, frozen=True):
    """The release of the Gateway API's CRDs that a spoke declares for its API server.

    `bundle` is a version (`v1.6.1`), `channel` is `standard` or `experimental`; both may be empty.
    """

    bundle: str = ""
    channel: str = ""

    def __str__(self) -> str:
        """Return the release as messages name it."""
        return " ".join(filter(None, ("Gateway API", self.bundle, self.channel)))


ANY_SERVER = Server()
"""The server of a spoke that declares no release."""


class VersionSchema(Struct, frozen=True, eq=False):
    """The compiled schema of one version; `problem` says why `constraints` is None."""

    node: SchemaNode
    constraints: Constraints | None
    problem: str = ""


class CRD(Struct, frozen=True, eq=False, dict=True):
    """A CRD with the schemas of its served versions; `release` is set for a CRD of this package."""

    group: str
    kind: str
    bundle: str
    channel: str
    namespaced: bool
    versions: Mapping[str, Json]
    origin: Origin
    release: BundledRelease | None = None

    @memoised
    def schema(self, version: str) -> VersionSchema:
        """Return the schema of a served version, compiled when first used."""
        node = compile_schema(self.versions[version], (), is_root=True)
        try:
            return VersionSchema(node, compile_constraints(self.versions[version]))
        except UnusableError as error:
            return VersionSchema(node, None, str(error))

    def __str__(self) -> str:
        """Return bundle, channel, and file and line of the CRD."""
        if self.release is not None:
            return str(self.release)
        release = " ".join(filter(None, (self.bundle, self.channel)))
        return f"{release} ({self.origin})" if release else str(self.origin)

    def is_same_as(self, other: "CRD") -> bool:
        """Return whether both CRDs have the same scope and schemas."""
        return (self.namespaced, self.versions) == (other.namespaced, other.versions)


class Schemas(Struct, frozen=True, eq=False):
    """The project's CRDs of the needed kinds, by group and kind, and findings about their files.

    `picked` are the releases in this package that the project names.
    """

    definitions: Mapping[tuple[str, str], tuple[CRD, ...]]
    results: tuple[Result, ...] = ()
    picked: tuple[BundledRelease, ...] = ()


def read_schemas(
    files: Iterable[tuple[str, bytes]],
    crds: Iterable[tuple[Mapping[str, Any], Origin]],
    kinds: Container[tuple[str, str]],
    picked: tuple[BundledRelease, ...] = (),
) -> Schemas:
    """Return the CRDs of `kinds` (group, kind) in `files` and in `crds`, the hub's CRDs.

    A file is a path with its bytes. `picked` are releases in this package, which are read when an
    object is validated. Never raises.
    """
    results: list[Result] = []
    parsed = (item for file in sorted(files) for item in _parse(*file, kinds, results))
    definitions = grouped(
        ((definition.group, definition.kind), definition)
        for crd, origin in (*crds, *parsed)
        if (definition := _read_definition(crd, origin, kinds, results)) is not None
    )
    ordered = {
        identity: tuple(sorted(items, key=lambda item: (item.bundle, item.channel, item.origin)))
        for identity, items in sorted(definitions.items())
    }
    return Schemas(ordered, tuple(results), picked)


def _parse(
    path: str, data: bytes, kinds: Container[tuple[str, str]], results: list[Result]
) -> Iterator[tuple[Mapping[str, Any], Origin]]:
    for offset, piece in find_candidates(data, kinds):
        documents, problems = reading.read(piece, path)
        for problem in problems:
            origin = Origin(path, line=offset + problem.line, column=problem.column)
            results.append(BAD_CRD.result(problem.message, cure=problem.cure, origin=origin))
        for document in documents:
            origin = Origin(path, document.index, offset + document.line)
            for item in objects_of(document.value):
                if item.get("kind") == CRD_KIND:
                    yield item, origin


def _read_definition(
    crd: Mapping[str, Any], origin: Origin, kinds: Container[tuple[str, str]], results: list[Result]
) -> CRD | None:
    spec = as_mapping(crd.get("spec"))
    group, kind = spec.get("group"), as_mapping(spec.get("names")).get("kind")
    if not isinstance(group, str) or not isinstance(kind, str) or (group, kind) not in kinds:
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
    definition = read_crd(crd, origin)
    bare = sorted({name for name, _ in _served(spec)} - definition.versions.keys())
    if bare or not definition.versions:
        message = f"the CRD of {kind} has no schema" + (f" for {', '.join(bare)}" if bare else "")
        ref = Ref(CRD_GROUP, CRD_KIND, "", str(metadata.get("name", "")))
        cure = "give each version schema.openAPIV3Schema (apiextensions.k8s.io/v1)"
        results.append(BAD_CRD.result(message, cure=cure, resource=ref, origin=origin))
    return definition


def _served(spec: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the name and schema of each served version."""
    for row in as_list(spec.get("versions")):
        name = row.get("name") if isinstance(row, Mapping) else None
        if isinstance(name, str) and row.get("served") is not False:
            yield name, as_mapping(row.get("schema")).get("openAPIV3Schema")


def read_crd(crd: Mapping[str, Any], origin: Origin, release: BundledRelease | None = None) -> CRD:
    """Return the CRD of an object with group and kind; versions without schema are left out."""
    spec = as_mapping(crd.get("spec"))
    annotations = as_mapping(as_mapping(crd.get("metadata")).get("annotations"))
    return CRD(
        group=spec["group"],
        kind=spec["names"]["kind"],
        bundle=str(annotations.get(BUNDLE, "")),
        channel=str(annotations.get(CHANNEL, "")),
        namespaced=spec.get("scope") != "Cluster",
        versions={name: item for name, item in _served(spec) if isinstance(item, Mapping)},
        origin=origin,
        release=release,
    )


def find_candidates(data: bytes, kinds: Container[tuple[str, str]]) -> Iterator[tuple[int, bytes]]:
    """Yield line number and bytes of each document in a file that may define one of `kinds`."""
    # CRD files have megabytes, and a hub uses few of their kinds. A document is skipped unparsed
    # only if it certainly defines another kind, or no CRD at all.
    if any(mark in data for mark in _UNUSUAL) or data.startswith(b"%"):
        yield 0, data
        return
    if _DEFINITION not in data:
        return
    starts = [match.start() for match in re.finditer(_MARKER, data)]
    for start, end in pairwise([0, *starts, len(data)]):
        piece = data[start:end]
        if _may_define(piece, kinds):
            yield data.count(b"\n", 0, start), piece


def _may_define(data: bytes, kinds: Container[tuple[str, str]]) -> bool:
    if _DEFINITION not in data:
        return False
    kind, group = _find_only(b"\n  names:", _NAMES, data), _find_only(b"\n  group:", _GROUP, data)
    if kind and group and data.count(_DEFINITION) == 1:
        return (group, kind) in kinds
    return True


def _find_only(start: bytes, pattern: bytes, data: bytes) -> str:
    """Return what the group in `pattern` matches at the only occurrence of `start`, or empty."""
    # A search for bytes is many times faster than a search for a pattern.
    place = data.find(start)
    if place < 0 or data.find(start, place + 1) >= 0:
        return ""
    match = re.compile(pattern).match(data, place)
    return match[1].decode() if match else ""
