"""Objects of a small API server in memory, with what Kubernetes adds to them and refuses of them.

It serves the kinds of the Gateway API, as their CRDs say, and the kinds of Kubernetes that clients
of a controller use. There is no controller in it, but for the Pods of Deployments.
"""

import uuid
from collections.abc import Callable, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from msgspec import Struct

from spokerender.findings.results import Severity
from spokerender.formats import yamlio
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import Schemas, Server, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.judging.validation.structure import complete
from spokerender.model import Ref
from tests.support.carried import carried

Json = dict[str, Any]
Key = tuple[str, str, str, str]
"""A resource's group and plural, a namespace and a name."""
_VERSION = "gateway.networking.k8s.io/bundle-version"
_CHANNEL = "gateway.networking.k8s.io/channel"
_OWN = ("metadata", "status")
"""The fields of an object whose changes are no new generation of it."""


class Resource(Struct, frozen=True):
    """A kind of objects that the server has, with the versions that it serves them in."""

    group: str
    plural: str
    kind: str
    versions: tuple[str, ...] = ("v1",)
    is_namespaced: bool = True


KUBERNETES = (
    Resource("", "namespaces", "Namespace", is_namespaced=False),
    Resource("", "services", "Service"),
    Resource("", "secrets", "Secret"),
    Resource("", "configmaps", "ConfigMap"),
    Resource("", "pods", "Pod"),
    Resource("", "serviceaccounts", "ServiceAccount"),
    Resource("apps", "deployments", "Deployment"),
    Resource("discovery.k8s.io", "endpointslices", "EndpointSlice"),
    Resource(
        "apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition",
        is_namespaced=False,
    ),
)  # fmt: skip


class RefusedError(Exception):
    """A request that is refused, with the status and the reason of the answer."""

    def __init__(self, status: HTTPStatus, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


class SmallApi:
    """The objects; `write_statuses` makes the statuses of all of them, whenever one was changed."""

    def __init__(
        self, release: str, write_statuses: Callable[[list[Json]], Mapping[Key, Json]]
    ) -> None:
        """Start with the CRDs of a release of the Gateway API, such as `gateway-api@v1.6.3`."""
        crds = [_annotate(crd, release) for crd in carried(release)]
        own = [_read_resource(crd["spec"]) for crd in crds]
        self.resources = {(each.group, each.plural): each for each in (*KUBERNETES, *own)}
        self.objects: dict[Key, Json] = {}
        files = [(crd["metadata"]["name"], yamlio.emit(crd).encode()) for crd in crds]
        kinds = {(each.group, each.kind) for each in own}
        self._schemas: Schemas = read_schemas(files, (), kinds)
        self._write_statuses = write_statuses
        self.revision = self._judged = 0
        for crd in crds:
            self.create(self.find("apiextensions.k8s.io", "customresourcedefinitions"), "", crd)

    def find(self, group: str, plural: str) -> Resource:
        """Return a resource. Raises `RefusedError` if it is not served."""
        if (group, plural) not in self.resources:
            raise RefusedError(HTTPStatus.NOT_FOUND, "NotFound", f"no resource {plural}.{group}")
        return self.resources[group, plural]

    def list(self, resource: Resource, namespace: str, labels: Mapping[str, str]) -> list[Json]:
        """List the objects of a namespace, or of all, that have these labels."""
        self._judge()
        return [
            found
            for (group, plural, place, _), found in sorted(self.objects.items())
            if (group, plural) == (resource.group, resource.plural)
            and namespace in ("", place)
            and labels.items() <= found["metadata"].get("labels", {}).items()
        ]

    def get(self, resource: Resource, namespace: str, name: str) -> Json:
        """Return an object."""
        self._judge()
        return self._get(_key(resource, namespace, name))

    def create(self, resource: Resource, namespace: str, value: Json) -> Json:
        """Add an object."""
        metadata = {**value.get("metadata", {}), "generation": 1, "uid": str(uuid.uuid4())}
        metadata["creationTimestamp"] = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        if resource.is_namespaced:
            metadata["namespace"] = namespace
        key = _key(resource, namespace, metadata["name"])
        if key in self.objects:
            raise RefusedError(HTTPStatus.CONFLICT, "AlreadyExists", f"{key} is there already")
        value = {**value, "metadata": metadata, "status": {}}
        made = self._put(key, self._complete(resource, value))
        if resource.kind == "Deployment":
            self.create(self.find("", "pods"), namespace, _make_pod(made))
        return made

    def update(self, resource: Resource, namespace: str, name: str, value: Json) -> Json:
        """Replace an object, but for its status."""
        key = _key(resource, namespace, name)
        old = self._get(key)
        own, metadata = old["metadata"], value["metadata"]
        if metadata.get("resourceVersion", own["resourceVersion"]) != own["resourceVersion"]:
            raise RefusedError(HTTPStatus.CONFLICT, "Conflict", f"{key} was changed since")
        kept = ("uid", "creationTimestamp", "generation")
        metadata = {**metadata, **{field: own[field] for field in kept}}
        new = self._complete(resource, {**value, "metadata": metadata, "status": old["status"]})
        if any(new.get(field) != old.get(field) for field in {*new, *old} - {*_OWN, "apiVersion"}):
            new["metadata"]["generation"] += 1
        return self._put(key, new)

    def patch(self, resource: Resource, namespace: str, name: str, change: Json) -> Json:
        """Change an object by a merge patch (RFC 7386)."""
        old = self._get(_key(resource, namespace, name))
        return self.update(resource, namespace, name, _merge(old, change))

    def delete(self, resource: Resource, namespace: str, name: str) -> Json:
        """Remove an object."""
        key = _key(resource, namespace, name)
        old = self._get(key)
        del self.objects[key]
        self.revision += 1
        if resource.kind == "Deployment":
            self.delete(self.find("", "pods"), namespace, _make_pod(old)["metadata"]["name"])
        return old

    def _get(self, key: Key) -> Json:
        if key not in self.objects:
            raise RefusedError(HTTPStatus.NOT_FOUND, "NotFound", f"{key} is not there")
        return self.objects[key]

    def _put(self, key: Key, value: Json) -> Json:
        self.revision += 1
        value["metadata"]["resourceVersion"] = str(self.revision)
        self.objects[key] = value
        return value

    def _complete(self, resource: Resource, value: Json) -> Json:
        """Return an object with its defaults. Raises `RefusedError` if its CRD refuses it."""
        value = {**deepcopy(value), "kind": resource.kind}
        metadata = value["metadata"]
        ref = Ref(resource.group, resource.kind, metadata.get("namespace", ""), metadata["name"])
        if (ref.group, ref.kind) not in self._schemas.definitions:
            return value
        # A status is not created or replaced with the rest of its object.
        bare = {field: part for field, part in value.items() if field != "status"}
        faults = validate(bare, ref, self._schemas, Server())
        refusals = [each for each in faults if each.finding.severity is Severity.ERROR]
        if refusals:
            message = "; ".join(each.message for each in refusals)
            raise RefusedError(HTTPStatus.UNPROCESSABLE_ENTITY, "Invalid", message)
        schema = choose_schema(value["apiVersion"], ref, self._schemas, Server()).schema
        assert schema is not None, ref
        completed: Json = complete(schema.node, bare, [])
        return {**completed, "status": value["status"]}

    def _judge(self) -> None:
        """Write the statuses, if an object was changed since they were written last."""
        if self._judged == self.revision:
            return
        self._judged = self.revision
        for key, status in self._write_statuses([*self.objects.values()]).items():
            self.objects[key]["status"] = status


def _annotate(crd: Json, release: str) -> Json:
    """Return a CRD with the annotations by which clients read its release."""
    version, _, channel = release.partition("@")[2].partition("/")
    annotations = {_VERSION: version, _CHANNEL: channel}
    return {**crd, "metadata": {**crd["metadata"], "annotations": annotations}}


def _read_resource(spec: Json) -> Resource:
    names, versions = spec["names"], spec["versions"]
    served = tuple(each["name"] for each in versions if each["served"])
    is_namespaced = spec["scope"] == "Namespaced"
    return Resource(spec["group"], names["plural"], names["kind"], served, is_namespaced)


def _key(resource: Resource, namespace: str, name: str) -> Key:
    return resource.group, resource.plural, namespace if resource.is_namespaced else "", name


def _make_pod(deployment: Json) -> Json:
    """Return a Pod of a Deployment that is ready."""
    template, name = deployment["spec"]["template"], deployment["metadata"]["name"]
    return {
        "apiVersion": "v1",
        "metadata": {"name": f"{name}-0-0", "labels": template["metadata"]["labels"]},
        "spec": template["spec"],
    }


def _merge(old: Any, change: Any) -> Any:
    if not isinstance(change, dict):
        return change
    base = old if isinstance(old, dict) else {}
    kept = {key: value for key, value in base.items() if key not in change}
    merged = {key: _merge(base.get(key), value) for key, value in change.items()}
    return kept | {key: value for key, value in merged.items() if value is not None}
