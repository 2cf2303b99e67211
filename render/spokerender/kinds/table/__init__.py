"""The table of kinds: a row for each kind with special facts.

A new kind, or a special behaviour of a kind, is a row in its vendor's module. A new vendor is a
module with `KINDS` and `CONTROLLERS`; its API groups and controllers are in the indexes here. A
module is imported when one of its groups is first asked for: most projects need few of them.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from spokerender.kinds.kind import ANY, Controller, Kind
from spokerender.model.shapes import Json

Rows = Mapping[tuple[str, str], Kind]
"""Rows by group and kind."""

GROUPS: Mapping[str, str] = {
    "gateway.networking.k8s.io": "gateway_api",
    "gateway.networking.x-k8s.io": "gateway_api",
    "kuadrant.io": "kuadrant",
    "extensions.kuadrant.io": "kuadrant",
    "gateway.envoyproxy.io": "envoy_gateway",
    "aigateway.envoyproxy.io": "envoy_ai_gateway",
    "extensions.istio.io": "istio",
    "networking.istio.io": "istio",
    "security.istio.io": "istio",
    "telemetry.istio.io": "istio",
    "gateway.nginx.org": "nginx",
    "gateway.kgateway.dev": "kgateway",
    "agentgateway.dev": "agentgateway",
    "gateway.solo.io": "gloo",
    "configuration.konghq.com": "kong",
    "microgateway.airlock.com": "airlock",
    "application-networking.k8s.aws": "aws",
    "gateway.k8s.aws": "aws",
    "alb.networking.azure.io": "clouds",
    "networking.gke.io": "clouds",
    "apisix.apache.org": "neighbours",
    "cert-manager.io": "neighbours",
    "cilium.io": "cilium",
    "projectcontour.io": "contour",
    "flagger.app": "neighbours",
    "monitoring.coreos.com": "neighbours",
    "policy.linkerd.io": "neighbours",
    "traefik.io": "neighbours",
    "apis.kcp.io": "control_planes",
    "syncagent.kcp.io": "control_planes",
    "cluster.open-cluster-management.io": "control_planes",
    "multicluster.x-k8s.io": "control_planes",
    "": "kubernetes",
    "addon.open-cluster-management.io": "kubernetes",
    "admissionregistration.k8s.io": "kubernetes",
    "apiextensions.k8s.io": "kubernetes",
    "apiregistration.k8s.io": "kubernetes",
    "apps": "kubernetes",
    "autoscaling": "kubernetes",
    "batch": "kubernetes",
    "certificates.k8s.io": "kubernetes",
    "discovery.k8s.io": "kubernetes",
    "flowcontrol.apiserver.k8s.io": "kubernetes",
    "networking.k8s.io": "kubernetes",
    "node.k8s.io": "kubernetes",
    "policy": "kubernetes",
    "rbac.authorization.k8s.io": "kubernetes",
    "scheduling.k8s.io": "kubernetes",
    "storage.k8s.io": "kubernetes",
}
"""API groups, each with the module that has its rows."""

CONTROLLER_NAMES: Mapping[str, str] = {
    "gateway.envoyproxy.io/gatewayclass-controller": "envoy_gateway",
    "io.cilium/gateway-controller": "cilium",
    "projectcontour.io/gateway-controller": "contour",
    "istio.io/gateway-controller": "istio",
    "istio.io/mesh-controller": "istio",
    "gateway.nginx.org/nginx-gateway-controller": "nginx",
    "kgateway.dev/kgateway": "kgateway",
    "agentgateway.dev/agentgateway": "agentgateway",
    "kgateway.dev/agentgateway": "agentgateway",
    "solo.io/gloo-gateway": "gloo",
    "microgateway.airlock.com/gatewayclass-controller": "airlock",
    "application-networking.k8s.aws/gateway-api-controller": "aws",
    "gateway.k8s.aws/alb": "aws",
    "gateway.k8s.aws/nlb": "aws",
    "alb.networking.azure.io/alb-controller": "clouds",
    "networking.gke.io/gateway": "clouds",
    "apisix.apache.org/apisix-ingress-controller": "neighbours",
    "traefik.io/gateway-controller": "neighbours",
    "konghq.com/kic-gateway-controller": "kong",
    "konghq.com/gateway-operator": "kong",
}
"""Values of a GatewayClass's `spec.controllerName`, each with the controller's module."""

CLASS_NAMES: Mapping[str, str] = {
    "istio": "istio",
    "istio-waypoint": "istio",
    "istio-east-west": "istio",
    "kgateway": "kgateway",
    "kgateway-waypoint": "kgateway",
    "agentgateway": "agentgateway",
    "gloo-gateway": "gloo",
    "amazon-vpc-lattice": "aws",
    "cilium": "cilium",
}
"""GatewayClasses that a controller creates by itself, each with the controller's module."""

VENDORS = tuple(dict.fromkeys(GROUPS.values()))
"""The modules of the table; the Gateway API's is first."""

ALWAYS_READ = ("gateway_api", "kubernetes")
"""The modules that every hub needs."""


@cache
def vendor_rows(vendor: str) -> Rows:
    """Return the rows of one module of the table."""
    kinds: tuple[Kind, ...] = import_module(f"{__name__}.{vendor}").KINDS
    return {(kind.group, kind.kind): kind for kind in kinds}


@cache
def vendor_controllers(vendor: str) -> tuple[Controller, ...]:
    """Return the controllers of one module of the table."""
    controllers: tuple[Controller, ...] = import_module(f"{__name__}.{vendor}").CONTROLLERS
    return controllers


def group_rows(group: str) -> Rows:
    """Return the rows of the module with an API group; none if no module has the group."""
    vendor = GROUPS.get(group)
    return vendor_rows(vendor) if vendor is not None else {}


def find_row(group: str, kind: str) -> Kind | None:
    """Return the row of a kind; None if the table has no such row."""
    return group_rows(group).get((group, kind))


def all_rows() -> Rows:
    """Return the whole table; this imports all of its modules."""
    return {identity: kind for vendor in VENDORS for identity, kind in vendor_rows(vendor).items()}


def find_controller(name: str, gateway_class: str = "") -> Controller:
    """Return the controller with a name or of a GatewayClass; ANY if it is unknown.

    `name` is the GatewayClass's `spec.controllerName`; if it is empty, as no file has the class,
    the name of the class decides, as some controllers create classes by themselves.
    """
    vendor = CONTROLLER_NAMES.get(name) if name else CLASS_NAMES.get(gateway_class)
    for controller in vendor_controllers(vendor) if vendor is not None else ():
        if name in controller.names or (not name and gateway_class in controller.classes):
            return controller
    return ANY


def is_cluster_scoped(group: str, kind: str) -> bool:
    """Return whether the table says that the kind is cluster-scoped."""
    row = find_row(group, kind)
    return row is not None and not row.namespaced


def list_maps(data: Json) -> Mapping[str, tuple[str, ...]]:
    """Return an object's lists of type `map` by path, each with the keys that identify items."""
    if not isinstance(data, Mapping):
        return {}
    row = find_row(str(data.get("apiVersion")).rpartition("/")[0], str(data.get("kind")))
    return dict(row.list_maps) if row is not None else {}
