"""The objects that agents write into kcp: schemas, old and new, and exports."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.findings.codes.publishing import REFUSED_BY_KCP, SCHEMA_CHANGED, TOO_LARGE
from spokerender.findings.results import Fault, Result
from spokerender.model import Edit, Manifest, Origin, Ref
from spokerender.model.names import group_fault
from spokerender.model.sources import File
from spokerender.rendering.values.bundles import How
from spokerender.topology.hub import Hub
from spokerender.wings.publishing import gojson
from spokerender.wings.publishing.agents import SyncAgent
from spokerender.wings.publishing.kcp import exports, schemas
from spokerender.wings.publishing.kcp.exports import ExportEntry, PublishedHistory
from spokerender.wings.publishing.kcp.schemas import API_APPROVED
from spokerender.wings.publishing.resources import PublishedResource

Schema = Mapping[str, Any]

MAX_APPLIED_BYTES = 262_144
"""Bytes that the annotation of client-side apply can hold (TotalAnnotationSizeLimitB)."""

_VALIDATION = "pkg/admission/apiresourceschema/validation.go"
_CRD_VALIDATION = "apiextensions-apiserver, pkg/apis/apiextensions/validation"
_SCHEMA_CRD = "config/crds/apis.kcp.io_apiresourceschemas.yaml"
_SCHEMA_STRUCTS = "apiextensions-apiserver, pkg/apis/apiextensions/v1/types_jsonschema.go"
_LABEL = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_INTEGERS = frozenset(f"{b}{n}" for b in ("min", "max") for n in ("Length", "Items", "Properties"))
_INT64 = 2**63


def check_schema(schema: Schema) -> Iterator[Fault]:
    """Yield the faults for which kcp refuses a schema, and a fault if it is too large to apply."""
    for source, check in RULES:
        message = check(schema)
        if message:
            cure = f"correct the CRD or the projection ({source})"
            yield Fault(REFUSED_BY_KCP, message, cure, ("spec",))
    # Measured as Go writes it, since the annotation holds Go's JSON.
    size = len(gojson.encode(schema).encode())
    if size > MAX_APPLIED_BYTES:
        message = f"{schema['metadata']['name']} has {size:,} bytes, more than the "
        message += f"{MAX_APPLIED_BYTES:,} of client-side apply"
        yield Fault(TOO_LARGE, message, "apply it server-side", ("spec",))


def _check_name(schema: Schema) -> str:
    spec, name = schema["spec"], schema["metadata"]["name"]
    suffix = f".{spec['names'].get('plural')}.{spec['group'] or 'core'}"
    if not name.endswith(suffix):
        return f"the schema's name {name} does not end with {suffix}"
    prefix = name.removesuffix(suffix)
    return "" if re.fullmatch(_LABEL, prefix) else f"the schema's name begins with {prefix}"


def _check_group(schema: Schema) -> str:
    group = schema["spec"]["group"]
    if group == "core":
        return "the core group must be written as an empty string"
    return f"the group {group} has no dot" if group_fault(group) else ""


def _check_approval(schema: Schema) -> str:
    group = schema["spec"]["group"]
    annotations = schema["metadata"].get("annotations", {})
    is_protected = re.fullmatch(r"(.*\.)?(k8s|kubernetes)\.io", group) is not None
    if not is_protected or API_APPROVED in annotations:
        return ""
    return f"the group {group} is protected, and the CRD has no annotation {API_APPROVED}"


def _check_versions(schema: Schema) -> str:
    names = [version["name"] for version in schema["spec"]["versions"]]
    pattern = r"v[1-9][0-9]*([a-z]+[1-9][0-9]*)?"
    for name in names:
        if not re.fullmatch(pattern, name):
            return f"the version {name} does not look like v1, v1beta1 or v2alpha3"
    duplicates = [name for name in names if names.count(name) > 1]
    return f"two versions have the name {duplicates[0]}" if duplicates else ""


def _check_storage(schema: Schema) -> str:
    stored = [v["name"] for v in schema["spec"]["versions"] if v["storage"]]
    return "" if len(stored) == 1 else f"{len(stored)} versions are stored, but one is required"


def _check_names(schema: Schema) -> str:
    names = schema["spec"]["names"]
    for key in ("plural", "singular", "kind", "listKind"):
        name = names.get(key)
        if not name:
            return f"the kind has no {key} name"
        is_kind = key in {"kind", "listKind"}
        if not re.fullmatch(_LABEL, name.lower() if is_kind else name):
            return f'the {key} name "{name}" is not a DNS label' + " in lower case" * is_kind
    is_same = names["kind"] == names["listKind"]
    return "kind and listKind are the same" if is_same else ""


def _check_schemas(schema: Schema) -> str:
    bare = [version["name"] for version in schema["spec"]["versions"] if "schema" not in version]
    return f"the version {bare[0]} has no schema" if bare else ""


def _check_types(schema: Schema) -> str:
    for version in schema["spec"]["versions"]:
        if version.get("schema", {}).get("type", "object") != "object":
            return f"the schema of {version['name']} must have the type object"
        if "schema" in version and "type" not in version["schema"]:
            return f"the schema of {version['name']} has no type, so it is not structural"
    return ""


def _check_bounds(schema: Schema) -> str:
    waiting: list[Any] = [version.get("schema") for version in schema["spec"]["versions"]]
    while waiting:
        current = waiting.pop()
        for key, value in current.items() if isinstance(current, Mapping) else ():
            is_bound = key in _INTEGERS and isinstance(value, int | float)
            if is_bound and not (-_INT64 <= value < _INT64 and value == int(value)):
                return f"{key} is {value}, but must be an integer of 64 bits"
            if key not in {"default", "enum", "example"}:  # these have values, and no schemas
                waiting.append(value)
        waiting += current if isinstance(current, list) else ()
    return ""


def _check_scope(schema: Schema) -> str:
    scope = schema["spec"]["scope"]
    is_valid = scope in {"Cluster", "Namespaced"}
    return "" if is_valid else f'the scope is "{scope}", but must be Cluster or Namespaced'


RULES: tuple[tuple[str, Callable[[Schema], str]], ...] = (
    (_VALIDATION, _check_name),
    (_VALIDATION, _check_group),
    (_CRD_VALIDATION, _check_approval),
    (_SCHEMA_CRD, _check_versions),
    (_VALIDATION, _check_storage),
    (_VALIDATION, _check_names),
    (_SCHEMA_CRD, _check_schemas),
    (_VALIDATION, _check_types),
    (_SCHEMA_CRD, _check_scope),
    (_SCHEMA_STRUCTS, _check_bounds),
)
"""Pairs of a source and its rule, which returns why kcp refuses a schema, or an empty text."""


class KcpOutcome(Struct, frozen=True, eq=False):
    """The outcome of publishing: `sent` has the objects for kcp, each with the spokes that get it.

    `files` has changed files of `published/` by path; None for a file to delete.
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
    """Return the objects that the agents write into kcp; `files` is the content of `published/`."""
    histories, problems = exports.read_histories(files, [agent.name for agent in agents])
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
    """Return the name in `files` that ends with `path`, as messages show it; else `path`."""
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
        self._removed = exports.list_acknowledged(deletions, agent.model.workspace or "")
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
        self.results += map(resource.report, check_schema(schema))
        old = self._past.schemas.get(name)
        # kcp refuses every change of a schema's spec.
        if old is not None and old.get("spec") != schema["spec"]:
            place = self._past.origins[name]
            message = f"the schema {name} is already published with another spec ({place})"
            cure = "restore the published file, or publish the kind under another name"
            self.results.append(resource.report(Fault(SCHEMA_CHANGED, message, cure, ("spec",))))
        self._schemas[name] = (resource, old or schema)

    def make_manifests(self) -> Iterator[Manifest]:
        """Yield the manifests of all schemas ever published, and of the export."""
        # An agent never deletes a schema, and the export may still list it.
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
        """Yield the changed files of `published/` with their content; None deletes a file."""
        agent = self._agent.name
        for name, (_, schema) in self._schemas.items():
            # A published schema stays as it is, since kcp refuses changes of its spec.
            if name not in self._past.schemas:
                yield exports.make_schema_file(agent, schema)
        for name in sorted(self._removed & self._past.schemas.keys() - self._schemas.keys()):
            yield exports.locate_schema(agent, name), None
        record = {
            "apiVersion": self._export["apiVersion"],
            "kind": exports.KIND,
            "metadata": {"name": self._agent.model.export},
            "spec": {k: v for k, v in self._export["spec"].items() if k in exports.LISTS},
        }
        yield exports.make_export_file(agent, record)

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
        # Earlier claims stay in front, so that the list keeps its order.
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
        """Yield the earlier entries for the export; for the same resource, the last one counts.

        For resources that the agent has published, the agent's last export replaces the hub's.
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
            # Claims on resources of the export itself need no identity.
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
