"""PublishedResources with their agents and CRDs: which kind consumers see, and which it becomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.publishing import (
    BAD_RESOURCE,
    NO_CRD,
    PUBLISHED_SECRET,
    PUBLISHED_TWICE,
    UNCLAIMED,
)
from spokerender.findings.results import Fault, Result
from spokerender.formats import yamlio
from spokerender.kinds import Catalogue
from spokerender.model import FieldPath, Manifest, Origin
from spokerender.topology.definitions import defined
from spokerender.topology.definitions import definitions as in_files
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.checks import problems_of
from spokerender.wings.publishing.config.published import PublishedSpec, read_published
from spokerender.wings.publishing.declared import Agent
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.projecting import projected, selected_version

GROUP, KIND = "syncagent.kcp.io", "PublishedResource"
SECRET = ("", "Secret")

Files = Sequence[tuple[str, bytes]]
Identity = tuple[str, str]
"""A group and a kind."""


class Resource(Struct, frozen=True, eq=False):
    """A PublishedResource that is right, with its CRD as it was read and as consumers see it."""

    manifest: Manifest
    agent: Agent
    spec: PublishedSpec
    crd: Mapping[str, Any]
    face: Mapping[str, Any]
    versions: Mapping[str, str]
    """The local name of each published version."""

    @property
    def face_identity(self) -> Identity:
        """What consumers call the kind."""
        spec = self.face["spec"]
        return spec["group"], spec["names"]["kind"]

    @property
    def resource(self) -> tuple[str, str]:
        """Its group and plural, as exports have them."""
        spec = self.face["spec"]
        return spec["group"], spec["names"]["plural"]

    @property
    def local_identity(self) -> Identity:
        """What the service cluster calls the kind."""
        return self.spec.resource.api_group, self.spec.resource.kind

    @property
    def is_namespaced(self) -> bool:
        """Whether copies are in a namespace: the local CRD decides."""
        return bool(self.crd["spec"].get("scope") != "Cluster")

    def local_version(self, published: str) -> str:
        """The version that a copy has."""
        if self.agent.profile.keeps_version:
            return self.versions[published]
        stored = (v["name"] for v in self.crd["spec"]["versions"] if v.get("storage") is True)
        return next(stored, self.versions[published])

    def result(self, fault: Fault) -> Result:
        """Tell of a fault of the PublishedResource, at the line of its field."""
        return told(self.manifest, fault)


def told(manifest: Manifest, fault: Fault) -> Result:
    """A finding about an object, at the line that its field is written in."""
    return fault.result(manifest.ref, line_of(manifest, fault.field))


def line_of(manifest: Manifest, path: FieldPath) -> Origin:
    """Where a field is written, or its nearest parent that is there."""
    written = manifest.written
    if written is None or not written.text:
        return manifest.origin
    offset = yamlio.locate(written.text, path) - yamlio.locate(written.text, ())
    return replace(written.origin, line=written.origin.line + offset)


def resources(
    hub: Hub, agents: Sequence[Agent], crd_files: Files
) -> tuple[tuple[Resource, ...], tuple[Result, ...]]:
    """The PublishedResources of the hub, in order, and everything that is wrong with them."""
    manifests = [m for m in hub.manifests if (m.ref.group, m.ref.kind) == (GROUP, KIND)]
    results: list[Result] = []
    claimed = [
        (manifest, agent) for manifest in manifests if (agent := _agent(manifest, agents, results))
    ]
    read = [(m, a, spec) for m, a in claimed if (spec := _spec(m, a, results)) is not None]
    wanted = {(spec.resource.api_group, spec.resource.kind) for _, _, spec in read}
    crds = _definitions(hub, crd_files, wanted)
    declared = []
    for manifest, agent, spec in read:
        faults = [*problems_of(spec, agent.profile)]
        results += (told(manifest, fault) for fault in faults)
        try:
            declared.append(_resource(manifest, agent, spec, crds, hub.catalogue))
        except Refused as refused:
            results.append(told(manifest, refused.fault))
    results += _twice(declared)
    return tuple(declared), tuple(results)


def _agent(manifest: Manifest, agents: Sequence[Agent], results: list[Result]) -> Agent | None:
    labels = manifest.object["metadata"].get("labels") or {}
    meant = [
        each
        for each in agents
        if each.model.selector is None or each.model.selector.value.matches(labels)
    ]
    if len(meant) == 1:
        return meant[0]
    names = " and ".join(f"{agent.name} ({agent.origin})" for agent in meant)
    message = f"it belongs to {names}" if meant else "it belongs to no agent"
    cure = "let the agents' selectors tell them apart" if meant else "let one agent select it"
    results.append(told(manifest, Fault(UNCLAIMED, message, cure, ("metadata", "labels"))))
    return None


def _spec(manifest: Manifest, agent: Agent, results: list[Result]) -> PublishedSpec | None:
    spec, faults = read_published(manifest.object, agent.model.profile)
    results += (told(manifest, replace(fault, finding=BAD_RESOURCE)) for fault in faults)
    return spec


def _resource(
    manifest: Manifest,
    agent: Agent,
    spec: PublishedSpec,
    crds: Mapping[Identity, list[tuple[Mapping[str, Any], Origin]]],
    catalogue: Catalogue,
) -> Resource:
    identity = (spec.resource.api_group, spec.resource.kind)
    if identity == SECRET:
        message = "a Secret is never rendered, so it can't be published"
        cure = "publish the kind that makes it, such as an ExternalSecret"
        raise Refused(PUBLISHED_SECRET, message, cure, ("spec", "resource"))
    crd = _the_one(identity, crds.get(identity, []), catalogue)
    face = projected(crd, spec, agent.profile, agent.model.export or "")
    new_by_old = selected_version(crd, spec, agent.profile)
    versions = {new: old for old, new in new_by_old.items()}
    return Resource(manifest, agent, spec, crd, face, versions)


def _the_one(
    identity: Identity, definitions: list[tuple[Mapping[str, Any], Origin]], catalogue: Catalogue
) -> Mapping[str, Any]:
    name = f"{identity[1]}.{identity[0]}" if identity[0] else identity[1]
    field: FieldPath = ("spec", "resource", "kind")
    if not definitions:
        message = f"no CRD of {name} is among the files"
        cure = catalogue.suggest(*identity) or "put it into the hub or under spec.crds"
        if not catalogue.assumed(*identity):
            cure = "put it into the hub or under spec.crds; a built-in kind can't be published"
        raise Refused(NO_CRD, message, cure, field)
    first, *others = definitions
    for crd, origin in others:
        if crd.get("spec") != first[0].get("spec"):
            message = f"two CRDs of {name} differ: {first[1]} and {origin}"
            raise Refused(NO_CRD, message, "keep the one that the service cluster has", field)
    return first[0]


def _definitions(
    hub: Hub, files: Files, wanted: set[Identity]
) -> Mapping[Identity, list[tuple[Mapping[str, Any], Origin]]]:
    """The wanted CRDs of the hub and of files; what has none of the kinds is not even parsed."""
    definitions: dict[Identity, list[tuple[Mapping[str, Any], Origin]]] = {}
    for crd, origin in (*((m.object, m.origin) for m in hub.crds), *in_files(files, wanted)):
        identity = defined(crd)
        if identity in wanted:
            definitions.setdefault(identity, []).append((crd, origin))
    return definitions


def _twice(declared: Sequence[Resource]) -> Iterator[Result]:
    """What one export would have twice, and what two agents would publish to one consumer."""
    first: dict[tuple[str, tuple[str, str]], Resource] = {}
    for resource in declared:
        key = (resource.agent.name, resource.resource)
        other = first.setdefault(key, resource)
        if other is not resource:
            name = ".".join(filter(None, reversed(resource.resource)))
            message = f"{name} is also published by {other.manifest.ref.name}"
            message += f" ({other.manifest.origin})"
            fault = Fault(PUBLISHED_TWICE, message, "project one of the two", ("spec",))
            yield resource.result(fault)
