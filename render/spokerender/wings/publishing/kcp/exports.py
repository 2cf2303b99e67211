"""The APIExport of an agent: published kinds are added or replaced, other entries are unchanged.

Source: kcp-dev/api-syncagent (internal/controller/apiexport), and kcp's conversion between the two
versions of APIExports.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.findings.codes.publishing import BAD_PUBLISHED, UNKNOWN_AGENT
from spokerender.findings.phrasing import did_you_mean
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.model import Origin
from spokerender.model.refs import kind_name
from spokerender.model.shapes import as_list, as_mapping
from spokerender.model.sources import File
from spokerender.wings.publishing.kcp import schemas
from spokerender.wings.publishing.kcp.schemas import AGENT_ANNOTATION
from spokerender.wings.publishing.resources import PublishedResource
from spokerender.wings.publishing.settings import FOLDER

GROUP, KIND = "apis.kcp.io", "APIExport"
LISTS = frozenset({"latestResourceSchemas", "resources", "permissionClaims"})
"""The lists of an export's spec that an agent writes."""
_CORE = "core"

Export = Mapping[str, Any]
_Claim = Mapping[str, Any]


class ExportEntry(Struct, frozen=True):
    """A schema in an APIExport (v1alpha1 or v1alpha2); `storage` is a setting of v1alpha2."""

    schema: str
    group: str
    resource: str
    storage: Any = None

    @property
    def key(self) -> str:
        """The resource and group, by which api-syncagent (main) sorts and replaces entries."""
        return kind_name(self.group or _CORE, self.resource)


def make_entry(schema: str) -> ExportEntry:
    """Return the entry of a schema, read from its name: prefix, resource and group."""
    # Upstream splits the name at its first two dots.
    _, _, rest = schema.partition(".")
    resource, _, group = rest.partition(".")
    return ExportEntry(schema, "" if group == _CORE else group, resource)


def read_entries(export: Export) -> tuple[ExportEntry, ...]:
    """Read the entries of an export of either version."""
    names = _read_list(export, "latestResourceSchemas")
    entries = [make_entry(name) for name in names if isinstance(name, str)]
    for item in map(as_mapping, _read_list(export, "resources")):
        schema, resource = item.get("schema"), item.get("name")
        if isinstance(schema, str) and isinstance(resource, str):
            group = str(item.get("group") or "")
            entries.append(ExportEntry(schema, group, resource, item.get("storage")))
    return tuple(entries)


def read_claims(export: Export) -> list[_Claim]:
    """Return the permission claims of an export, except claims that name no resource."""
    return [
        claim
        for claim in map(as_mapping, _read_list(export, "permissionClaims"))
        if isinstance(claim.get("resource"), str)
        and isinstance(claim.get("group", ""), str)
        and isinstance(claim.get("identityHash", ""), str)
    ]


def _read_list(export: Export, key: str) -> list[Any]:
    return as_list(as_mapping(export.get("spec")).get(key))


def merge_entries(
    older: Iterable[ExportEntry], current: Sequence[ExportEntry]
) -> tuple[ExportEntry, ...]:
    """Return all entries, sorted; a current entry replaces an older entry of the same resource."""
    by_key = {entry.key: entry for entry in older}
    for entry in current:
        replaced = by_key.get(entry.key)
        # A person may have set `storage`; upstream's agent does not write it.
        storage = replaced.storage if replaced is not None else None
        by_key[entry.key] = ExportEntry(entry.schema, entry.group, entry.resource, storage)
    return tuple(sorted(by_key.values(), key=lambda entry: entry.key))


def list_needed_claims(resources: Sequence[PublishedResource]) -> tuple[_Claim, ...]:
    """Return the permission claims that the agent needs in consumers' workspaces."""
    claims: dict[tuple[str, str, str], None] = {("", "events", ""): None}
    # Upstream's FAQ says that namespaces are always claimed; its code claims them in these cases.
    if any(resource.spec.related or resource.spec.filter.namespace for resource in resources):
        claims["", "namespaces", ""] = None
    if any(resource.spec.enable_workspace_paths for resource in resources):
        claims["core.kcp.io", "logicalclusters", ""] = None
    published = {resource.projected_plural for resource in resources}
    for related in (related for resource in resources for related in resource.spec.related):
        is_up = related.origin == "service"
        consumer_resource = related.projected_resource if is_up else related.origin_resource
        if consumer_resource not in published:
            claims[*consumer_resource, related.identity_hash or ""] = None
    return tuple(
        {"group": group, "resource": resource, "identityHash": identity_hash}
        for group, resource, identity_hash in claims
    )


def add_claims(present: Sequence[_Claim], needed: Iterable[_Claim]) -> list[_Claim]:
    """Return the claims `present`, and the claims in `needed` that none of them covers, sorted."""
    # Upstream's FAQ says that the agent overwrites all claims; its code adds those that are absent.
    claims = list(present)
    for claim in needed:
        if not any(_covers(other, claim) for other in claims):
            claims.append({key: value for key, value in claim.items() if value})
    return sorted(claims, key=lambda claim: (claim.get("group", ""), claim["resource"]))


def _covers(present: _Claim, needed: _Claim) -> bool:
    if present.get("resource") != needed["resource"]:
        return False
    if present.get("group", "") != needed["group"]:
        return False
    is_limited = present.get("all") is False or present.get("resourceSelector")
    is_same = present.get("identityHash", "") == needed["identityHash"]
    return is_same and not is_limited


def write_export(
    base: Export,
    agent: str,
    entries: Sequence[ExportEntry],
    claims: Sequence[_Claim],
    version: str,
) -> dict[str, Any]:
    """Return an APIExport of `version` with the lists of entries and claims.

    `base` is the hub's export, or has only a name; its other fields in `spec` are unchanged.
    """
    metadata = {  # the other fields belong to a cluster
        key: base["metadata"][key]
        for key in ("name", "labels", "annotations")
        if base["metadata"].get(key)
    }
    metadata["annotations"] = {**(metadata.get("annotations") or {}), AGENT_ANNOTATION: agent}
    spec = {k: value for k, value in as_mapping(base.get("spec")).items() if k not in LISTS}
    is_old = version == "v1alpha1"
    if is_old:
        spec["latestResourceSchemas"] = [entry.schema for entry in entries]
    else:
        spec["resources"] = [
            {
                "name": entry.resource,
                "group": entry.group,
                "schema": entry.schema,
                "storage": entry.storage or {"crd": {}},
            }
            for entry in entries
        ]
    if claims:
        spec["permissionClaims"] = [_write_claim(claim, is_old=is_old) for claim in claims]
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": KIND,
        "metadata": metadata,
        "spec": spec,
    }


def _write_claim(claim: _Claim, *, is_old: bool) -> dict[str, Any]:
    """Return a claim in the form of v1alpha1 (`is_old`) or v1alpha2; its settings are unchanged."""
    # As kcp converts claims: v1alpha1 has `all` or a selector, v1alpha2 has verbs.
    written = dict(claim)
    if is_old and not written.get("resourceSelector"):
        written.setdefault("all", True)
    elif not is_old:
        written.setdefault("verbs", ["*"])
        written.pop("all", None)
    return written


_CLAIMABLE = {
    "": "configmaps events namespaces resourcequotas secrets serviceaccounts",
    "admissionregistration.k8s.io": (
        "mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations "
        "validatingadmissionpolicies validatingadmissionpolicybindings "
        "validatingwebhookconfigurations"
    ),
    "apiextensions.k8s.io": "customresourcedefinitions",
    "authentication.k8s.io": "tokenreviews",
    "authorization.k8s.io": "localsubjectaccessreviews subjectaccessreviews",
    "certificates.k8s.io": "certificatesigningrequests",
    "coordination.k8s.io": "leases",
    "core.kcp.io": "logicalclusters",
    "events.k8s.io": "events",
    "rbac.authorization.k8s.io": "clusterrolebindings clusterroles rolebindings roles",
}
CLAIMABLE_BUILT_INS = {
    (group, resource) for group, resources in _CLAIMABLE.items() for resource in resources.split()
}
"""Resources that a claim may name without an identityHash (kcp, pkg/admission/apiexport)."""


_SCHEMA_HEADER = (
    "# Published: kcp refuses to change or forget it. Let it go under spec.deletions only.\n"
)
_EXPORT_HEADER = "# What the export listed last. Written by spokerender build.\n"


class PublishedHistory(Struct, eq=False):
    """The schemas that one agent has published, by name, their files, and its last export."""

    schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    origins: dict[str, Origin] = field(default_factory=dict)
    export: Mapping[str, Any] | None = None


def read_histories(
    files: Sequence[File], agents: Sequence[str]
) -> tuple[Mapping[str, PublishedHistory], tuple[Result, ...]]:
    """Read the history of each agent by its name, and findings about the files.

    The folder of a file has the name of the agent.
    """
    histories = {name: PublishedHistory() for name in agents}
    results: list[Result] = []
    for path, data in sorted(files):
        agent = PurePosixPath(path).parent.name
        if agent not in histories:
            cure = did_you_mean(agent, agents, "declared are") or "declare it again"
            message = f'agent "{agent}", which has published this, is not declared'
            results.append(UNKNOWN_AGENT.result(message, cure=cure, origin=Origin(path)))
            continue
        results += _read_file(path, data, histories[agent])
    return histories, tuple(results)


def _read_file(path: str, data: bytes, history: PublishedHistory) -> Iterator[Result]:
    documents, problems = yamlio.read(data, path)
    cure = "restore the file from Git"
    for problem in problems:
        origin = Origin(path, line=problem.line)
        yield BAD_PUBLISHED.result(problem.message, cure=cure, origin=origin)
    for document in documents:
        origin = Origin(path, document.index, document.line)
        value = as_mapping(document.value)
        name = as_mapping(value.get("metadata")).get("name")
        kind = (value.get("apiVersion"), value.get("kind"))
        is_schema = kind == (schemas.API_VERSION, schemas.KIND) and isinstance(
            value.get("spec"), dict
        )
        if is_schema and name == PurePosixPath(path).stem:
            history.schemas[name] = value
            history.origins[name] = origin
        elif value.get("kind") == KIND:
            history.export = value
        else:
            message = f"the document is not an {schemas.KIND} with the name of the file"
            yield BAD_PUBLISHED.result(message, cure=cure, origin=origin)


def make_schema_file(agent: str, schema: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the path of a schema's file in the project, and its bytes."""
    text = _SCHEMA_HEADER + yamlio.emit(dict(schema))
    return locate_schema(agent, schema["metadata"]["name"]), text.encode()


def locate_schema(agent: str, name: str) -> str:
    """Return the path of a schema's file in the project."""
    return f"{FOLDER}/{agent}/{name}.yaml"


def make_export_file(agent: str, export: Mapping[str, Any]) -> tuple[str, bytes]:
    """Return the path and bytes of the file with the export's last lists."""
    text = _EXPORT_HEADER + yamlio.emit(dict(export))
    return f"{FOLDER}/{agent}/apiexport.yaml", text.encode()


def list_acknowledged(deletions: Sequence[AcknowledgedDeletion], workspace: str) -> frozenset[str]:
    """Return the schemas whose removal from a workspace fleet.yaml acknowledges."""
    prefixes = (f"{schemas.KIND}/", f"{schemas.KIND}.apis.kcp.io/")
    return frozenset(
        deletion.ref.partition("/")[2]
        for deletion in deletions
        if deletion.ref
        and deletion.ref.startswith(prefixes)
        and (not deletion.spokes or workspace in deletion.spokes)
    )
