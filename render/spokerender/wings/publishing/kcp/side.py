"""The kcp side of every agent that fills an export: its schemas, old and new, and the export."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.findings.codes.publishing import REFUSED_BY_KCP, SCHEMA_CHANGED
from spokerender.findings.results import Fault, Result
from spokerender.model import Edit, Manifest, Origin, Ref
from spokerender.rendering.values.bundles import How
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.declared import Agent
from spokerender.wings.publishing.kcp import admission, exports, history, schemas
from spokerender.wings.publishing.kcp.exports import Entry
from spokerender.wings.publishing.kcp.history import History
from spokerender.wings.publishing.resources import Resource


class KcpSide(Struct, frozen=True, eq=False):
    """What goes into exports' workspaces, by spoke, and into `published/`."""

    sent: Mapping[Manifest, frozenset[str]]
    files: Mapping[str, bytes | None]
    results: tuple[Result, ...]


def kcp_side(
    hub: Hub,
    agents: Sequence[Agent],
    resources: Sequence[Resource],
    files: history.Files,
    deletions: Sequence[AcknowledgedDeletion],
) -> KcpSide:
    """Everything that the agents write into kcp; `files` are those of `published/`."""
    histories, problems = history.read_history(files, [agent.name for agent in agents])
    known = dict(files)
    sent: dict[Manifest, frozenset[str]] = {}
    results = list(problems)
    written: dict[str, bytes | None] = {}
    for agent in agents:
        if not agent.model.export:
            continue
        own = [resource for resource in resources if resource.agent is agent]
        side = _Side(hub, agent, own, histories[agent.name], deletions)
        spoke = frozenset([agent.model.workspace or ""])
        sent.update(dict.fromkeys(side.manifests(), spoke))
        results += side.results
        written.update(side.files())
    changed = {
        path: data for path, data in written.items() if known.get(_shown(path, known)) != data
    }
    return KcpSide(sent, changed, tuple(results))


def _shown(path: str, known: Mapping[str, bytes]) -> str:
    """A path as messages name it: with the project's folder before it."""
    return next((name for name in known if name == path or name.endswith("/" + path)), path)


class _Side:
    """One agent's."""

    def __init__(
        self,
        hub: Hub,
        agent: Agent,
        resources: Sequence[Resource],
        past: History,
        deletions: Sequence[AcknowledgedDeletion],
    ) -> None:
        self._agent = agent
        self._resources = resources
        self._past = past
        self._gone = history.let_go(deletions, agent.model.workspace or "")
        self.results: list[Result] = []
        self._made: dict[str, tuple[Resource, Mapping[str, Any]]] = {}
        for resource in resources:
            self._make(resource)
        self.export_ref = Ref(exports.GROUP, exports.KIND, "", agent.model.export or "")
        self._hubs = next((m for m in hub.manifests if m.ref == self.export_ref), None)
        self._export = self._exported()

    def _make(self, resource: Resource) -> None:
        schema = schemas.schema_of(
            resource.face, resource.crd, self._agent.name, self._agent.profile
        )
        name = schema["metadata"]["name"]
        self.results += (resource.result(fault) for fault in admission.faults(schema))
        old = self._past.schemas.get(name)
        if old is not None and old.get("spec") != schema["spec"]:
            message = f"the schema {name} is published with another spec"
            message += f" ({self._past.origins[name]})"
            cure = "restore the published file, or publish the kind under another name"
            self.results.append(resource.result(Fault(SCHEMA_CHANGED, message, cure, ("spec",))))
        self._made[name] = (resource, old or schema)

    def manifests(self) -> Iterator[Manifest]:
        """The schemas, whenever they were published, and the export."""
        for name, schema in sorted(self._past.schemas.items()):
            if name not in self._made and name not in self._gone:
                yield _manifest(schema, self._past.origins[name])
        for resource, schema in self._made.values():
            yield _manifest(schema, resource.manifest.origin)
        made = _manifest(self._export, self._agent.origin)
        if self._hubs is not None:  # its comments survive
            edit = Edit(How.PUBLISHED, self._hubs.object, lambda: self._agent.origin)
            made = self._hubs.edited(made.ref, made.object, edit)
        yield made

    def files(self) -> Iterator[tuple[str, bytes | None]]:
        """What `published/` must have: its new schemas, and what the export lists."""
        for name, (_, schema) in self._made.items():
            if name not in self._past.schemas:
                yield history.schema_path(self._agent.name, name), history.schema_bytes(schema)
        for name in sorted(self._gone & self._past.schemas.keys() - self._made.keys()):
            yield history.schema_path(self._agent.name, name), None
        record = {
            "apiVersion": self._export["apiVersion"],
            "kind": exports.KIND,
            "metadata": {"name": self._agent.model.export},
            "spec": {
                key: value
                for key, value in self._export["spec"].items()
                if key in {"latestResourceSchemas", "resources", "permissionClaims"}
            },
        }
        yield history.export_path(self._agent.name), history.export_bytes(record)

    def _exported(self) -> Mapping[str, Any]:
        base = self._hubs.object if self._hubs is not None else self._nothing()
        current = [exports.entry_of(name) for name in self._made]
        entries = exports.merged(self._older(base), current, self._agent.profile)
        listed = {resource.resource for resource in self._resources}
        claims = exports.claims_of(self._past.export or {})
        for claim in exports.claims_of(base):
            claims += [claim] if claim not in claims else []
        wanted = exports.wanted_claims(self._resources, self._agent.profile)
        if self._resources:
            claims = exports.with_claims(claims, wanted, self._agent.profile)
        version = str(base["apiVersion"]).rpartition("/")[2]
        self._check(entries, claims, version, listed)
        return exports.written(base, self._agent.name, entries, claims, version)

    def _nothing(self) -> Mapping[str, Any]:
        version = self._agent.profile.export_version
        return {
            "apiVersion": f"{exports.GROUP}/{version}",
            "kind": exports.KIND,
            "metadata": {"name": self._agent.model.export},
        }

    def _older(self, base: Mapping[str, Any]) -> Iterator[Entry]:
        """What was in the list; of what the agent has published the last list has the last word."""
        listed = exports.entries_of(self._past.export or {})
        ours = {entry.place for entry in listed if entry.schema in self._past.schemas}
        loose = (exports.entry_of(name) for name in sorted(self._past.schemas))
        hubs = (entry for entry in exports.entries_of(base) if entry.place not in ours)
        for entry in (*(e for e in loose if e.place not in ours), *listed, *hubs):
            if entry.schema not in self._gone:
                yield entry

    def _check(
        self,
        entries: Sequence[Entry],
        claims: Sequence[Mapping[str, Any]],
        version: str,
        listed: set[tuple[str, str]],
    ) -> None:
        """What kcp would refuse of the export."""
        places = [entry.place for entry in entries]
        for place in sorted({place for place in places if places.count(place) > 1}):
            message = f"the export would list {place} twice, which kcp can't store (v1alpha2)"
            self._refuse(message, "let the older schema go under spec.deletions")
        own = {(entry.group, entry.resource) for entry in entries} | listed
        for claim in claims:
            group, resource = claim.get("group", ""), claim.get("resource", "")
            if claim.get("identityHash") or (group, resource) in own:
                continue
            if group != exports.GROUP and (group, resource) not in exports.BUILT_IN:
                message = f"the claim on {resource}.{group} has no identityHash"
                self._refuse(message, "give the related resource its identityHash")
        if version not in {"v1alpha1", "v1alpha2"}:
            self._refuse(f"an APIExport of version {version}", "write v1alpha2")

    def _refuse(self, message: str, cure: str) -> None:
        origin = self._hubs.origin if self._hubs is not None else self._agent.origin
        ref = self.export_ref
        self.results.append(REFUSED_BY_KCP.result(message, cure=cure, resource=ref, origin=origin))


def _manifest(data: Mapping[str, Any], origin: Origin) -> Manifest:
    group = str(data["apiVersion"]).rpartition("/")[0]
    ref = Ref(group, data["kind"], "", data["metadata"]["name"])
    return Manifest.made(ref, dict(data), How.PUBLISHED, lambda: origin)
