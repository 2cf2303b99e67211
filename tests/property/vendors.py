"""Hubs with every vendor's shape of reference.

What objects look like is the catalogue's, which was read off the vendors' CRDs; few names and
labels, so that much of it is about the same things.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from spokerender.model import GATEWAY_API
from tests.property.hubs import Object, made
from tests.property.shapes import Shape
from tests.property.texts import inline

NAME_LABEL, CLASS_LABEL = (f"{GATEWAY_API}/gateway-{what}" for what in ("name", "class-name"))
ROUTES = ("HTTPRoute", "HTTPRoute", "HTTPRoute", "GRPCRoute", "TCPRoute", "TLSRoute")
NAMESPACES = ("infra", "shop", "team")
TIERS = ("gold", "gold", "silver")
HOSTNAMES = ("*.example.com", "www.example.com", "*.int.example.com")
DELEGATED = "delegation.kgateway.dev"


class HubMaker:
    """Makes one hub."""

    def __init__(self, random: Random, every: Sequence[Shape]) -> None:
        """Chance and the shapes to choose from."""
        self._random = random
        self._every = every
        self.gateways: list[Object] = []
        self.routes: list[Object] = []
        self._sets: list[Object] = []
        self._policies: list[Object] = []

    def _is(self, chance: float) -> bool:
        return self._random.random() < chance

    def _one(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _few(self, most: int) -> range:
        return range(self._random.randint(0, most))

    def _labels(self) -> Object:
        return {"labels": {"tier": self._one(*TIERS)}}

    def hub(self) -> list[Object]:
        """Everything on it."""
        places = [(space, name) for space in NAMESPACES[:2] for name in ("web", "api")]
        chosen = self._random.sample(places, self._random.randint(1, 3))
        self.gateways = [self._gateway(*place) for place in chosen]
        self._sets = [self._set(f"s{number}") for number in self._few(1)]
        self.routes = [self._route(f"r{number}") for number in self._few(4)]
        self.routes += [self._child("child")] if self.routes and self._is(0.3) else []
        self._policies = [self._policy(f"p{number}") for number in range(self._one(1, 2, 3, 4))]
        self._policies += [
            made("gateway.kgateway.dev/v1alpha1/TrafficPolicy", name, f"f-{name}", {})
            for name in NAMESPACES
            if self._is(0.7)
        ]
        self._policies += [self._by_label(f"l{number}") for number in self._few(2)]
        spaces = [
            {
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": name, "labels": {"zone": self._one("a", "b")}},
            }
            for name in NAMESPACES
            if self._is(0.8)
        ]
        grants = [self._grant(f"g{number}") for number in self._few(2)]
        return [*self.gateways, *self._sets, *self.routes, *self._policies, *spaces, *grants]

    def _gateway(self, namespace: str, name: str) -> Object:
        names = self._random.sample(["http", "https", "admin"], self._random.randint(1, 3))
        spec = {
            "gatewayClassName": self._one("hub", "istio"),
            "listeners": [self._listener(each) for each in names],
            "allowedListeners": {"namespaces": {"from": self._one("All", "All", "Same")}},
        }
        return made(f"{GATEWAY_API}/v1/Gateway", namespace, name, spec, **self._labels())

    def _listener(self, name: str) -> Object:
        listener: Object = {
            "name": name,
            "port": self._one(80, 443),
            "protocol": self._one("HTTP", "HTTP", "HTTPS", "TLS"),
        }
        if self._is(0.4):
            listener["hostname"] = self._one(*HOSTNAMES)
        if self._is(0.9):
            listener["allowedRoutes"] = {"namespaces": self._admission()}
        return listener

    def _admission(self) -> Object:
        source = self._one("All", "All", "All", "Same", "Selector")
        selector = {"selector": {"matchLabels": {"zone": "a"}}} if source == "Selector" else {}
        return {"from": source, **selector}

    def _set(self, name: str) -> Object:
        namespace = self._one(*NAMESPACES)
        spec = {
            "parentRef": self._parent(self._one(*self.gateways), namespace),
            "listeners": [self._listener("extra")],
        }
        return made(f"{GATEWAY_API}/v1/ListenerSet", namespace, name, spec, **self._labels())

    def _parent(self, item: Object, namespace: str) -> Object:
        place = item["metadata"]
        entry = {"name": place["name"]}
        if place["namespace"] != namespace or self._is(0.3):
            entry["namespace"] = place["namespace"]
        return entry if item["kind"] == "Gateway" else entry | {"kind": item["kind"]}

    def _route(self, name: str) -> Object:
        kind, namespace = self._one(*ROUTES), self._one(*NAMESPACES)
        entries = []
        for parent in self._random.sample([*self.gateways, *self._sets], 1):
            entry = self._parent(parent, namespace)
            listener = self._one(*parent["spec"]["listeners"])
            if self._is(0.3):
                entry["sectionName"] = listener["name"]
            elif self._is(0.2):
                entry["port"] = listener["port"]
            entries.append(entry)
        if self._is(0.3):
            entries.append(self._parent(self._one(*self.gateways), namespace))
        entries = list({tuple(sorted(entry.items())): entry for entry in entries}.values())
        spec: Object = {"parentRefs": entries, "rules": [self._rule(kind, namespace)]}
        if kind != "TCPRoute" and self._is(0.7):
            pool = ["www.example.com", "a.int.example.com", "*.example.com", "b.example.com"]
            spec["hostnames"] = self._random.sample(pool, self._one(1, 1, 2))
        version = "v1" if kind in {"HTTPRoute", "GRPCRoute"} else "v1alpha2"
        return made(f"{GATEWAY_API}/{version}/{kind}", namespace, name, spec, **self._labels())

    def _rule(self, kind: str, namespace: str) -> Object:
        backend: Object = {"name": self._one("svc", "db"), "port": 80}
        rule: Object = {"name": "main"} if self._is(0.5) else {}
        if kind == "HTTPRoute" and self._is(0.2):
            group, name = self._one(
                (GATEWAY_API, "child"), (GATEWAY_API, "*"), (DELEGATED, "some"), (DELEGATED, "none")
            )
            named = "HTTPRoute" if group == GATEWAY_API else "label"
            space = self._one("team", "all") if named == "label" else "team"
            backend = {"group": group, "kind": named, "name": name, "namespace": space}
        if kind in {"HTTPRoute", "GRPCRoute"} and self._is(0.3):
            extension = {"group": "gateway.kgateway.dev", "kind": "TrafficPolicy"}
            extension["name"] = f"f-{namespace}"
            rule["filters"] = [{"type": "ExtensionRef", "extensionRef": extension}]
        return rule | {"backendRefs": [backend]}

    def _child(self, name: str) -> Object:
        marks = self._labels()
        marks["labels"][f"{DELEGATED}/label"] = "some"
        spec: Object = {"rules": [{"backendRefs": [{"name": "svc", "port": 80}]}]}
        if self._is(0.3):
            parent = self._one(*self.routes)["metadata"]
            spec["parentRefs"] = [
                {
                    "group": GATEWAY_API,
                    "kind": "HTTPRoute",
                    "name": parent["name"],
                    "namespace": parent["namespace"],
                }
            ]
        return made(f"{GATEWAY_API}/v1/HTTPRoute", "team", name, spec, **marks)

    def _policy(self, name: str) -> Object:
        selecting = [shape for shape in self._every if "matchLabels" in shape.fields]
        shape = self._one(*(selecting if self._is(0.4) else self._every))  # they are few
        namespace = self._one(*NAMESPACES)
        number = self._one(1, 1, 2) if shape.is_list else 1
        entries = [self._entry(shape, namespace) for _ in range(number)]
        unique = list({inline(entry): entry for entry in entries}.values())
        spec = {shape.key: unique if shape.is_list else unique[0]}
        beside = [
            other
            for other in self._every
            if (other.group, other.kind) == (shape.group, shape.kind) and other.key != shape.key
        ]
        if beside and shape.is_list and self._is(0.3):
            other = self._one(*beside)
            entry = self._entry(other, namespace)
            spec[other.key] = [entry] if other.is_list else entry
        return made(f"{shape.group}/{shape.version}/{shape.kind}", namespace, name, spec)

    def _entry(self, shape: Shape, namespace: str) -> Object:
        if "matchLabels" in shape.fields:
            return self._selector(shape)
        if shape.key in {"parentRefs", "gatewayRef"}:
            target = self._one(*self.gateways)
        else:
            pool = [*self.gateways, *self._sets, *self.routes]
            near = [item for item in pool if item["metadata"]["namespace"] == namespace]
            service = made("v1/Service", namespace, self._one("svc", "db"), None)
            target = self._one(*near, *near, *near, service)
        group, kind = identity(target)
        entry = {"group": group, "kind": kind, "name": target["metadata"]["name"]}
        if "namespace" in shape.fields and shape.key in {"parentRefs", "gatewayRef"}:
            entry["namespace"] = target["metadata"]["namespace"]
        sections = (
            [each["name"] for each in target["spec"].get("listeners", [])] if target["spec"] else []
        )
        if "sectionName" in shape.fields and sections and self._is(0.4):
            entry["sectionName"] = self._one(*sections)
        return entry

    def _selector(self, shape: Shape) -> Object:
        kind = self._one("Gateway", "Gateway", "HTTPRoute", "GRPCRoute", "ListenerSet")
        entry: Object = {"group": GATEWAY_API, "kind": kind, "matchLabels": {"tier": "gold"}}
        if "matchExpressions" in shape.fields and self._is(0.3):
            entry["matchExpressions"] = [{"key": "tier", "operator": "NotIn", "values": ["silver"]}]
        if "namespaces" in shape.fields and self._is(0.4):
            entry["namespaces"] = self._one(
                {"from": "All"},
                {"from": "Same"},
                {"from": "Selector", "selector": {"matchLabels": {"zone": "a"}}},
            )
        return entry

    def _by_label(self, name: str) -> Object:
        """By the labels of what a gateway generates: its own pods, or those it lets through."""
        gateway = self._one(*self.gateways)
        place = gateway["metadata"]
        labels: Object = {NAME_LABEL: place["name"]} if self._is(0.7) else {}
        if not labels or self._is(0.3):
            labels[CLASS_LABEL] = gateway["spec"]["gatewayClassName"]
        if self._is(0.5):
            spec: Object = {"selector": {"matchLabels": labels}}
            return made("security.istio.io/v1/AuthorizationPolicy", place["namespace"], name, spec)
        spec = {"podSelector": {"matchLabels": labels}}
        if self._is(0.5):
            peer = {"podSelector": {"matchLabels": {NAME_LABEL: place["name"]}}}
            spec = {"podSelector": {"matchLabels": {"app": "cart"}}, "ingress": [{"from": [peer]}]}
        return made("networking.k8s.io/v1/NetworkPolicy", place["namespace"], name, spec)

    def _grant(self, name: str) -> Object:
        policy = self._one(*self._policies)
        group, kind = identity(policy)
        referrer = {"group": group, "kind": kind, "namespace": policy["metadata"]["namespace"]}
        to = [{"group": GATEWAY_API, "kind": self._one("Gateway", "HTTPRoute", "GRPCRoute")}]
        namespace = self._one(*NAMESPACES)
        spec = {"from": [referrer], "to": to}
        return made(f"{GATEWAY_API}/v1beta1/ReferenceGrant", namespace, name, spec)


def identity(item: Object) -> tuple[str, str]:
    """Group and kind of an object."""
    return item["apiVersion"].rpartition("/")[0], item["kind"]
