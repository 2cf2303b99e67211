"""CRDs: read only where a wanted kind is defined, compiled only when used."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from spokerender.findings.codes.validation import BAD_CRD
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.judging.validation.constraints import Constraints, UnusableError, constraints_of
from spokerender.judging.validation.model import Json
from spokerender.judging.validation.sniffing import candidates
from spokerender.judging.validation.structure import Node, node_of
from spokerender.kinds.crds import CRD_KIND, find_name_fault
from spokerender.model import FieldPath, Origin, Ref
from spokerender.model.shapes import as_list, as_mapping, objects_of

CRD_GROUP = "apiextensions.k8s.io"
_BUNDLE = "gateway.networking.k8s.io/bundle-version"
_CHANNEL = "gateway.networking.k8s.io/channel"
_OPAQUE = ("apiVersion", "kind", "metadata")


class Schema(Struct, frozen=True, eq=False):
    """One version of a kind, ready to validate with. `problem` is set where it can't be."""

    node: Node
    constraints: Constraints | None
    problem: str = ""


class Definition(Struct, frozen=True, eq=False):
    """A CRD. `versions` are by name; those that are not served are not among them."""

    group: str
    kind: str
    bundle: str
    channel: str
    namespaced: bool
    versions: Mapping[str, Json]
    origin: Origin
    _compiled: dict[str, Schema] = field(default_factory=dict)

    def schema(self, version: str) -> Schema:
        """The schema of a served version, compiled when first asked for."""
        schema = self._compiled.get(version)
        if schema is None:
            schema = self._compiled[version] = _schema(self.versions[version])
        return schema

    def __str__(self) -> str:
        """As a message names it: its bundle and channel, and where it is written."""
        release = " ".join(filter(None, (self.bundle, self.channel)))
        return f"{release} ({self.origin})" if release else str(self.origin)

    def is_same_as(self, other: Definition) -> bool:
        """Whether it makes no difference which of the two is used."""
        return (self.namespaced, self.versions) == (other.namespaced, other.versions)


class Schemas(Struct, frozen=True, eq=False):
    """All CRDs of the wanted kinds, and what is wrong with the files that they are in."""

    definitions: Mapping[tuple[str, str], tuple[Definition, ...]]
    results: tuple[Result, ...] = ()


def read_schemas(
    files: Iterable[tuple[str, bytes]],
    crds: Iterable[tuple[Mapping[str, Any], Origin]],
    wanted: Container[tuple[str, str]],
) -> Schemas:
    """Find the CRDs of the wanted groups and kinds in files and among the hub's objects.

    A file is a path and bytes; what defines none of the kinds is not even parsed. Never raises.
    """
    results: list[Result] = []
    definitions: dict[tuple[str, str], list[Definition]] = {}
    read = (item for path, data in sorted(files) for item in _read(path, data, wanted, results))
    for crd, origin in (*crds, *read):
        definition = _definition(crd, origin, wanted, results)
        if definition is not None:
            definitions.setdefault((definition.group, definition.kind), []).append(definition)
    ordered = {
        identity: tuple(sorted(items, key=lambda item: (item.bundle, item.channel, item.origin)))
        for identity, items in sorted(definitions.items())
    }
    return Schemas(ordered, tuple(results))


def _read(
    path: str, data: bytes, wanted: Container[tuple[str, str]], results: list[Result]
) -> Iterator[tuple[Mapping[str, Any], Origin]]:
    for offset, piece in candidates(data, wanted):
        documents, problems = yamlio.read(piece, path)
        for problem in problems:
            origin = Origin(path, line=offset + problem.line, column=problem.column)
            results.append(BAD_CRD.result(problem.message, cure=problem.cure, origin=origin))
        for document in documents:
            origin = Origin(path, document.index, offset + document.line)
            for item in objects_of(document.value):
                if item.get("kind") == CRD_KIND:
                    yield item, origin


def _definition(
    crd: Mapping[str, Any],
    origin: Origin,
    wanted: Container[tuple[str, str]],
    results: list[Result],
) -> Definition | None:
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
    rows = spec.get("versions")
    versions = {
        row["name"]: as_mapping(row.get("schema")).get("openAPIV3Schema")
        for row in as_list(rows)
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
    return Definition(
        group=group,
        kind=kind,
        bundle=str(annotations.get(_BUNDLE, "")),
        channel=str(annotations.get(_CHANNEL, "")),
        namespaced=spec.get("scope") != "Cluster",
        versions={name: item for name, item in versions.items() if isinstance(item, Mapping)},
        origin=origin,
    )


def _schema(raw: Mapping[str, Any]) -> Schema:
    node = node_of(raw, (), is_root=True)
    try:
        return Schema(node, constraints_of(raw, _OPAQUE))
    except UnusableError as error:
        return Schema(node, None, str(error))


def pattern_problems(schema: Schema) -> tuple[tuple[FieldPath, str], ...]:
    """Patterns of the schema that could not be compiled, with reasons."""
    return schema.constraints.unevaluated if schema.constraints else ()
