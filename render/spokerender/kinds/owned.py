"""Fields that a cluster writes into its objects, so that another cluster must not get them.

`Kind.owned` has the fields of one kind. The tables here have labels and annotations that only
controllers write; those of delivery engines are in the engines' modules.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from spokerender.kinds.columns import OwnedField
from spokerender.kinds.fields import REMOVE, apply_edits, find_values
from spokerender.kinds.marks import OF_A_SERVER, Marks
from spokerender.model.refs import FieldPath
from spokerender.model.shapes import as_mapping

ANNOTATIONS = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        # Kubernetes' controllers.
        "deployment.kubernetes.io/revision",
        "deprecated.daemonset.template.generation",
        "endpoints.kubernetes.io/last-change-trigger-time",
        "control-plane.alpha.kubernetes.io/leader",
        "batch.kubernetes.io/job-tracking",
        "autoscaling.alpha.kubernetes.io/conditions",
        "autoscaling.alpha.kubernetes.io/current-metrics",
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "pv.kubernetes.io/provisioned-by",
        "volume.beta.kubernetes.io/storage-provisioner",
        "volume.kubernetes.io/selected-node",
        "volume.kubernetes.io/storage-provisioner",
        "volume.kubernetes.io/storage-resizer",
        # Installers and appliers.
        "meta.helm.sh/release-name",
        "meta.helm.sh/release-namespace",
        "argocd.argoproj.io/installation-id",
        "argocd.argoproj.io/tracking-id",
        "kustomize.toolkit.fluxcd.io/checksum",
        "config.k8s.io/owning-inventory",
        "configmanagement.gke.io/source-path",
        "configmanagement.gke.io/token",
        "configsync.gke.io/declared-fields",
        "configsync.gke.io/git-context",
        "configsync.gke.io/manager",
        "configsync.gke.io/resource-id",
        "field.cattle.io/publicEndpoints",
        # Cloud controllers: load balancers and networks that they made.
        "application-networking.k8s.aws/lattice-assigned-domain-name",
        "cloud.google.com/neg-status",
        "kubernetes.digitalocean.com/load-balancer-id",
        "loadbalancer.openstack.org/load-balancer-address",
        "loadbalancer.openstack.org/load-balancer-id",
        "metallb.io/ip-allocated-from-pool",
        "metallb.universe.tf/ip-allocated-from-pool",
        "networking.gke.io/addresses",
        "networking.gke.io/backend-services",
        "networking.gke.io/firewalls",
        "networking.gke.io/forwarding-rules",
        "networking.gke.io/health-checks",
        "networking.gke.io/last-reconcile-time",
        "networking.gke.io/lb-route-extensions",
        "networking.gke.io/lb-traffic-extensions",
        "networking.gke.io/ssl-certificates",
        "networking.gke.io/target-http-proxies",
        "networking.gke.io/target-https-proxies",
        "networking.gke.io/url-maps",
        "service.beta.kubernetes.io/exoscale-loadbalancer-id",
        "service.beta.kubernetes.io/scw-loadbalancer-id",
        "service.kubernetes.io/load-balancer-id",
    }
)
"""The keys of annotations that controllers write, according to the controllers' documentation."""
ANNOTATION_PREFIXES = (
    "ingress.gcp.kubernetes.io/",
    "ingress.kubernetes.io/backends",
    "ingress.kubernetes.io/forwarding-rule",
    "ingress.kubernetes.io/https-forwarding-rule",
    "ingress.kubernetes.io/https-target-proxy",
    "ingress.kubernetes.io/redirect-url-map",
    "ingress.kubernetes.io/ssl-cert",
    "ingress.kubernetes.io/static-ip",
    "ingress.kubernetes.io/target-proxy",
    "ingress.kubernetes.io/url-map",
    "lifecycle.cattle.io/",
    "objectset.rio.cattle.io/",
    "openshift.io/sa.scc.",
)
_USERS = frozenset({"ingress.gcp.kubernetes.io/pre-shared-cert"})
"""Annotations with one of these prefixes that users write nevertheless."""


def _always(_: str, __: Mapping[str, Any]) -> bool:
    return True


def _tracks(value: str, annotations: Mapping[str, Any]) -> bool:
    """Return whether a label has the application in the tracking ID of Argo CD (an annotation).

    Source: Argo CD, resource tracking: `<application>:<group>/<kind>:<namespace>/<name>`.
    """
    application = str(annotations.get("argocd.argoproj.io/tracking-id", "")).partition(":")[0]
    return application.rpartition("_")[2] == value


_INSTALLERS = frozenset({"Helm"})
LABELS: Mapping[str, Callable[[str, Mapping[str, Any]], bool]] = {
    "addonmanager.kubernetes.io/mode": _always,
    "app.kubernetes.io/instance": _tracks,
    "app.kubernetes.io/managed-by": lambda value, _: value in _INSTALLERS,
    "applyset.kubernetes.io/part-of": _always,
    "argocd.argoproj.io/instance": _always,
    "configsync.gke.io/declared-version": _always,
    "helm.sh/chart": _always,
    "helm.toolkit.fluxcd.io/name": _always,
    "helm.toolkit.fluxcd.io/namespace": _always,
    "kustomize.toolkit.fluxcd.io/checksum": _always,
    "kustomize.toolkit.fluxcd.io/name": _always,
    "kustomize.toolkit.fluxcd.io/namespace": _always,
    "objectset.rio.cattle.io/hash": _always,
    "service.k8s.alibaba/loadbalancer-id": _always,
}
"""Labels of installers and controllers, if a test of the label's value and annotations holds."""

DESCRIBING = (
    *("app.kubernetes.io", "kubectl.kubernetes.io", "helm.sh", "meta.helm.sh"),
    *("argocd.argoproj.io", "kustomize.toolkit.fluxcd.io", "helm.toolkit.fluxcd.io"),
    *("config.kubernetes.io", "internal.config.kubernetes.io", "kuadrant.io"),
)
"""Domains of labels and annotations that describe an object's origin and change no gateway."""


def find_owned(
    data: Mapping[str, Any], fields: tuple[OwnedField, ...], marks: Marks
) -> Iterator[FieldPath]:
    """Yield the paths of fields of an exported object that its cluster or an engine wrote."""
    metadata = as_mapping(data.get("metadata"))
    # `creationTimestamp: null` does not come from a cluster: Go's tools write it for a new object.
    yield from (("metadata", key) for key in metadata if key in OF_A_SERVER and metadata[key])
    annotations = as_mapping(metadata.get("annotations"))
    for key in annotations:
        if key in marks.annotations or _is_of_controllers(key):
            yield "metadata", "annotations", key
    for key, value in as_mapping(metadata.get("labels")).items():
        is_theirs = LABELS.get(key)
        if key in marks.labels or (is_theirs and is_theirs(str(value), annotations)):
            yield "metadata", "labels", key
    for field in fields:
        for path, value in find_values(data, field.pattern):
            if not (isinstance(value, str) and value in field.chosen):
                yield path
    status = data.get("status")
    # Go's tools also write an empty status, or a status whose fields are empty.
    if any(status.values()) if isinstance(status, Mapping) else status:
        yield ("status",)


def _is_of_controllers(annotation: str) -> bool:
    has_prefix = annotation.startswith(ANNOTATION_PREFIXES) and annotation not in _USERS
    return has_prefix or annotation in ANNOTATIONS


def without_owned(
    data: dict[str, Any], fields: tuple[OwnedField, ...], marks: Marks
) -> dict[str, Any]:
    """Return an object without the fields that its cluster wrote (`find_owned`)."""
    result = apply_edits(data, dict.fromkeys(find_owned(data, fields, marks), REMOVE))
    emptied = (
        ("metadata", name)
        for name in ("annotations", "labels")
        # A mapping that was already empty was written by a user.
        if result["metadata"].get(name) == {} and data["metadata"][name]
    )
    portable: dict[str, Any] = apply_edits(result, dict.fromkeys(emptied, REMOVE))
    return portable
