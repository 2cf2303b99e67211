"""The objects that agents write into kcp: schemas, old and new, and exports."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.findings.codes.publishing import REFUSED_BY_KCP, SCHEMA_CHANGED
from spokerender.findings.results import Fault, Result
from spokerender.model import Edit, Manifest, Origin, Ref
from spokerender.model.sources import File
from spokerender.rendering.values.bundles import How
from spokerender.topology.hub import Hub
from spokerender.wings.publishing.agents import SyncAgent
from spokerender.wings.publishing.kcp import admission, exports, history, schemas
from spokerender.wings.publishing.kcp.exports import ExportEntry
from spokerender.wings.publishing.kcp.history import PublishedHistory
from spokerender.wings.publishing.resources import PublishedResource


class KcpOutcome(Struct, frozen=True, eq=False):
    """The manifests for the exports' workspaces, with their spokes, and the changed files.

    `files` are those of `published/` by path; None for a file to delete.
    """

    sent: Mapping[Manifest, frozenset[str]]
    files: Mapping[str, bytes | None]
    results: tuple[Result, ...]


def publish_kinds(
    hub: Hub,
    agents: Sequence[SyncAgent],
    resources: Sequence[PublishedResource],
    files: Sequence[File],
    deletions: Sequence[AcknowledgedDeletion],
) -> KcpOutcome:
    """Make all that the agents write into kcp; `files` are those of `published/`."""
    histories, problems = history.read_histories(files, [agent.name for agent in agents])
    current_files = dict(files)
    sent: dict[Manifest, frozenset[str]] = {}
    results = list(problems)
    new_files: dict[str, bytes | None] = {}
    for agent in agents:
        if not agent.model.export:
            continue
        own_resources = [resource for resource in resources if resource.agent is agent]
        publisher = _AgentPublisher(hub, agent, own_resources, histories[agent.name], deletions)
        spoke = frozenset([agent.model.workspace or ""])
        sent.update(dict.fromkeys(publisher.make_manifests(), spoke))
        results += publisher.results
        new_files.update(publisher.make_files())
    changed = {
        path: data
        for path, data in new_files.items()
        if current_files.get(_find_shown_path(path, current_files)) != data
    }
    return KcpOutcome(sent, changed, tuple(results))


def _find_shown_path(path: str, files: Mapping[str, bytes]) -> str:
    """Return the path as messages name it: after the project's folder."""
    return next((name for name in files if name == path or name.endswith("/" + path)), path)


class _AgentPublisher:
    def __init__(
        self,
        hub: Hub,
        agent: SyncAgent,
        resources: Sequence[PublishedResource],
        past: PublishedHistory,
        deletions: Sequence[AcknowledgedDeletion],
    ) -> None:
        self.results: list[Result] = []
        self._agent = agent
        self._resources = resources
        self._past = past
        self._removed = history.list_acknowledged(deletions, agent.model.workspace or "")
        self._schemas: dict[str, tuple[PublishedResource, Mapping[str, Any]]] = {}
        for resource in resources:
            self._add_schema(resource)
        self._export_ref = Ref(exports.GROUP, exports.KIND, "", agent.model.export or "")
        self._hub_export = next((m for m in hub.manifests if m.ref == self._export_ref), None)
        self._export = self._make_export()

    def _add_schema(self, resource: PublishedResource) -> None:
        agent = self._agent
        schema = schemas.make_schema(resource.projected_crd, resource.crd, agent.name)
        name = schema["metadata"]["name"]
        self.results += map(resource.report, admission.check_schema(schema))
        old = self._past.schemas.get(name)
        if old is not None and old.get("spec") != schema["spec"]:
            place = self._past.origins[name]
            message = f"the schema {name} is already published with another spec ({place})"
            cure = "restore the published file, or publish the kind under another name"
            self.results.append(resource.report(Fault(SCHEMA_CHANGED, message, cure, ("spec",))))
        self._schemas[name] = (resource, old or schema)

    def make_manifests(self) -> Iterator[Manifest]:
        """Make the manifests of all schemas ever published, and of the export."""
        for name, schema in sorted(self._past.schemas.items()):
            if name not in self._schemas and name not in self._removed:
                yield _make_manifest(schema, self._past.origins[name])
        for resource, schema in self._schemas.values():
            yield _make_manifest(schema, resource.manifest.origin)
        manifest = _make_manifest(self._export, self._agent.origin)
        if self._hub_export is not None:  # an edit keeps the comments of the hub's file
            edit = Edit(How.PUBLISHED, self._hub_export.object, lambda: self._agent.origin)
            manifest = self._hub_export.edited(manifest.ref, manifest.object, edit)
        yield manifest

    def make_files(self) -> Iterator[tuple[str, bytes | None]]:
        """Make the files of `published/`: new and removed schemas, and the export's lists."""
        agent = self._agent.name
        for name, (_, schema) in self._schemas.items():
            if name not in self._past.schemas:
                yield history.make_schema_file(agent, schema)
        for name in sorted(self._removed & self._past.schemas.keys() - self._schemas.keys()):
            yield history.locate_schema(agent, name), None
        record = {
            "apiVersion": self._export["apiVersion"],
            "kind": exports.KIND,
            "metadata": {"name": self._agent.model.export},
            "spec": {k: v for k, v in self._export["spec"].items() if k in exports.LISTS},
        }
        yield history.make_export_file(agent, record)

    def _make_export(self) -> Mapping[str, Any]:
        base: Mapping[str, Any] = {
            "apiVersion": f"{exports.GROUP}/v1alpha2",
            "kind": exports.KIND,
            "metadata": {"name": self._agent.model.export},
        }
        if self._hub_export is not None:
            base = self._hub_export.object
        current = [exports.make_entry(name) for name in self._schemas]
        entries = exports.merge_entries(self._list_older(base), current)
        claims = exports.read_claims(self._past.export or {})
        for claim in exports.read_claims(base):
            claims += [claim] if claim not in claims else []
        if self._resources:
            needed = exports.list_needed_claims(self._resources)
            claims = exports.add_claims(claims, needed)
        version = str(base["apiVersion"]).rpartition("/")[2]
        self._check_export(entries, claims, version)
        return exports.write_export(base, self._agent.name, entries, claims, version)

    def _list_older(self, base: Mapping[str, Any]) -> Iterator[ExportEntry]:
        """List earlier entries: of several for one resource, the last one counts.

        The last list of the agent overrules the hub's export, for the resources that it published.
        """
        listed = exports.read_entries(self._past.export or {})
        own_keys = {entry.key for entry in listed if entry.schema in self._past.schemas}
        unlisted = (exports.make_entry(name) for name in sorted(self._past.schemas))
        hub_entries = (entry for entry in exports.read_entries(base) if entry.key not in own_keys)
        for entry in (*(e for e in unlisted if e.key not in own_keys), *listed, *hub_entries):
            if entry.schema not in self._removed:
                yield entry

    def _check_export(
        self,
        entries: Sequence[ExportEntry],
        claims: Sequence[Mapping[str, Any]],
        version: str,
    ) -> None:
        keys = [entry.key for entry in entries]
        for key in sorted({key for key in keys if keys.count(key) > 1}):
            message = f"the export would list {key} twice, which kcp can't store (v1alpha2)"
            self._report_refusal(message, "acknowledge the older schema under spec.deletions")
        own_resources = {(entry.group, entry.resource) for entry in entries}
        own_resources |= {resource.projected_plural for resource in self._resources}
        for claim in claims:
            group, resource = claim.get("group", ""), claim.get("resource", "")
            if claim.get("identityHash") or (group, resource) in own_resources:
                continue
            if group != exports.GROUP and (group, resource) not in exports.CLAIMABLE_BUILT_INS:
                message = f"the claim on {resource}.{group} has no identityHash"
                self._report_refusal(message, "set the identityHash of the related resource")
        if version not in {"v1alpha1", "v1alpha2"}:
            message = f"the APIExport has version {version}, which is not supported"
            self._report_refusal(message, "write v1alpha2")

    def _report_refusal(self, message: str, cure: str) -> None:
        origin = self._hub_export.origin if self._hub_export is not None else self._agent.origin
        self.results.append(
            REFUSED_BY_KCP.result(message, cure=cure, resource=self._export_ref, origin=origin)
        )


def _make_manifest(data: Mapping[str, Any], origin: Origin) -> Manifest:
    group = str(data["apiVersion"]).rpartition("/")[0]
    ref = Ref(group, data["kind"], "", data["metadata"]["name"])
    return Manifest.made(ref, dict(data), How.PUBLISHED, lambda: origin)
