"""Clusters for the law on what is in force: gateways, routes and policies of one sort."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter

from spokerender.model import GATEWAY_API
from tests.property.hubs import Draw, Object
from tests.property.sorts import APART, CONTROLLERS, ISOLATING, ORDERED, TLS_MODES, Sort
from tests.property.texts import inline
from tests.property.ways import PROTOCOLS, Traffic

HOSTNAMES = (
    "a.example.com",
    "b.example.com",
    "*.example.com",
    "x.a.example.com",
    "*.a.example.com",
)
_HERE, _THERE = "here", "there"


@dataclass(frozen=True)
class World:
    """A cluster, and the policies on it; ages are by name, the smaller the older.

    `controllers` are by GatewayClass.
    """

    sort: Sort
    controllers: dict[str, str]
    classes: list[Object]
    traffic: Traffic
    policies: list[Object]
    ages: dict[str, int]

    def _repr_pretty_(self, printer: RepresentationPrinter, _: bool) -> None:
        """Its objects, for whoever reads a counterexample."""
        for item in self.objects:
            printer.text(f"\n{inline(item)}")
        printer.text(f"\n{self.ages}")

    @property
    def objects(self) -> list[Object]:
        """All of it."""
        found = self.traffic
        others = (*found.gateways, *found.sets, *found.routes, *found.services)
        return [*self.classes, *others, *self.policies]


def worlds(sort: Sort) -> st.SearchStrategy[World]:
    """Clusters with policies of a sort."""
    return _worlds(sort)


@st.composite
def _worlds(draw: Draw, sort: Sort) -> World:
    names = ("g1", "g2")[: draw(st.integers(1, 2))]
    gateways = [_gateway(draw, name, can_differ=sort.elsewhere != "none") for name in names]
    sets = [_listener_set(draw)] if draw(st.booleans()) else []
    parents = [*gateways, *sets]
    routes = [_route(draw, f"r{n}", parents) for n in range(draw(st.integers(1, 3)))]
    services = [_service(name, space) for name in ("s1", "s2") for space in (_HERE, _THERE)]
    named = [*gateways, *sets, *routes]
    targets = [each for each in (*named, *services) if each["kind"] in sort.targets]
    count = draw(st.integers(1, 4)) if targets else 0
    policies = [_policy(draw, sort, f"p{number}", targets) for number in range(count)]
    if sort.is_alone:
        policies = list({str(_refs(each)): each for each in policies}.values())
    aged = [each["metadata"]["name"] for each in (*policies, *routes, *sets)]
    order = draw(st.permutations(range(len(aged))))
    on = {"class": sort.on, "other": draw(st.sampled_from(tuple(CONTROLLERS)))}
    traffic = Traffic(
        gateways,
        sets,
        routes,
        services,
        dict(zip(aged, order, strict=True)),
        {name: TLS_MODES.get(of, {}) for name, of in on.items()},
        frozenset(name for name, of in on.items() if of in ISOLATING),
        frozenset(name for name, of in on.items() if of in ORDERED),
        frozenset(name for name, of in on.items() if of in APART),
    )
    classes = [_class(name, CONTROLLERS[of]) for name, of in on.items()]
    return World(sort, on, classes, traffic, policies, traffic.ages)


def _refs(policy: Object) -> Any:
    return policy["spec"].get("targetRefs", policy["spec"].get("targetRef"))


def made(kind: str, name: str, namespace: str, spec: Object, version: str = "") -> Object:
    """An object."""
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    version = version or f"{GATEWAY_API}/v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def _class(name: str, controller: str) -> Object:
    return made("GatewayClass", name, "", {"controllerName": controller})


def _listeners(draw: Draw, most: int) -> list[Object]:
    found: dict[Any, Object] = {}
    for number in range(draw(st.integers(1, most))):
        protocol, mode = draw(st.sampled_from(_PROTOCOLS))
        port = {"HTTP": 80, "HTTPS": 443, "TLS": 443, "TCP": 90}[protocol]
        listener: Object = {"name": f"l{number}", "protocol": protocol, "port": port}
        hostname = draw(st.sampled_from((None, *HOSTNAMES[:3])))
        if hostname and protocol != "TCP":
            listener["hostname"] = hostname
        if mode:
            listener["tls"] = {"mode": mode}
        source = draw(st.sampled_from((None, "All", "Same")))
        if source:
            listener["allowedRoutes"] = {"namespaces": {"from": source}}
        if draw(st.integers(0, 5)) == 0:
            kinds = [{"kind": draw(st.sampled_from(tuple(PROTOCOLS)))}]
            listener.setdefault("allowedRoutes", {})["kinds"] = kinds
        found.setdefault((port, listener.get("hostname")), listener)
    return list(found.values())


_PROTOCOLS = (
    ("HTTP", ""),
    ("HTTP", ""),
    ("HTTP", ""),
    ("HTTPS", ""),
    ("TLS", "Passthrough"),
    ("TLS", "Terminate"),
    ("TCP", ""),
)


def _gateway(draw: Draw, name: str, *, can_differ: bool) -> Object:
    spec: Object = {"gatewayClassName": "class", "listeners": _listeners(draw, 3)}
    if name == "g2" and can_differ and draw(st.booleans()):
        spec["gatewayClassName"] = "other"
    source = draw(st.sampled_from((None, "Same", "All")))
    if source:
        spec["allowedListeners"] = {"namespaces": {"from": source}}
    return made("Gateway", name, _HERE, spec)


def _listener_set(draw: Draw) -> Object:
    namespace = draw(st.sampled_from((_HERE, _HERE, _THERE)))
    parent = {"name": "g1", "namespace": _HERE}
    return made(
        "ListenerSet", "ls", namespace, {"parentRef": parent, "listeners": _listeners(draw, 2)}
    )


def _route(draw: Draw, name: str, parents: list[Object]) -> Object:
    kind = draw(st.sampled_from(("HTTPRoute", "HTTPRoute", "HTTPRoute", *PROTOCOLS)))
    spec: Object = {
        "parentRefs": [_parent(draw, parents) for _ in range(draw(st.integers(1, 2)))],
        "rules": [_rule(draw, kind, number) for number in range(draw(st.integers(1, 2)))],
    }
    names = draw(st.lists(st.sampled_from(HOSTNAMES), max_size=2, unique=True))
    if names and kind != "TCPRoute":
        spec["hostnames"] = names
    return made(kind, name, draw(st.sampled_from((_HERE, _HERE, _THERE))), spec)


def _parent(draw: Draw, parents: list[Object]) -> Object:
    parent = draw(st.sampled_from(parents))
    metadata, listeners = parent["metadata"], parent["spec"]["listeners"]
    entry = {"kind": parent["kind"], "name": metadata["name"], "namespace": metadata["namespace"]}
    listener = draw(st.sampled_from(listeners))
    how = draw(st.sampled_from(("", "", "sectionName", "port")))
    value = listener["name"] if how == "sectionName" else listener["port"]
    return entry | ({how: value} if how else {})


def _rule(draw: Draw, kind: str, number: int) -> Object:
    backends = [
        {"name": draw(st.sampled_from(("s1", "s2"))), "port": draw(st.sampled_from((80, 81, 99)))}
        for _ in range(draw(st.integers(0, 2)))
    ]
    rule: Object = {"backendRefs": backends} if backends else {}
    if draw(st.booleans()):
        rule["name"] = f"n{number}"
    if kind == "HTTPRoute" and draw(st.booleans()):
        rule["matches"] = [{"path": {"value": draw(st.sampled_from(("/x", "/y")))}}]
    return rule


def _service(name: str, namespace: str) -> Object:
    ports = [{"name": f"p{port}", "port": port} for port in (80, 81)]
    return made("Service", name, namespace, {"ports": ports}, "v1")


def _policy(draw: Draw, sort: Sort, name: str, targets: list[Object]) -> Object:
    count = draw(st.integers(1, 2)) if sort.has_refs else 1
    chosen = [draw(st.sampled_from(targets)) for _ in range(count)]
    space, kind = chosen[0]["metadata"]["namespace"], chosen[0]["kind"]
    api, of = (sort.api, sort.kind)
    if sort.other and draw(st.integers(0, 2)) == 0 and kind != "GRPCRoute":
        api, of = sort.other
    entries = [
        _target(draw, sort, target)
        for target in chosen
        if target["metadata"]["namespace"] == space and target["kind"] == kind
    ]
    entries = list({(entry["kind"], entry["name"]): entry for entry in entries}.values())
    spec = sort.spec(draw, name)
    if of == "OIDCPolicy":
        spec = {"provider": {"by": name}} | (
            {"auth": {"claims": {}}} if draw(st.booleans()) else {}
        )
    spec |= {"targetRefs": entries} if sort.has_refs else {"targetRef": entries[0]}
    if sort.asks and kind.endswith("Route") and draw(st.booleans()):
        spec[sort.asks] = "JSONMerge"
    policy = made(of, name, space, spec, api)
    if sort.kind == "TrafficPolicy" and draw(st.integers(0, 3)) == 0:
        policy["metadata"]["annotations"] = {"kgateway.dev/policy-weight": "10"}
    return policy


def _target(draw: Draw, sort: Sort, target: Object) -> Object:
    entry: Object = {
        "group": GATEWAY_API,
        "kind": target["kind"],
        "name": target["metadata"]["name"],
    }
    if target["kind"] == "Service":
        entry["group"] = ""
    if sort.sections and draw(st.booleans()):
        entry["sectionName"] = draw(st.sampled_from(_sections(sort, target)))
    return entry


def _sections(sort: Sort, target: Object) -> list[str]:
    """Names of sections: those that it has, and one that it may not have."""
    if target["kind"] == "Service":
        return ["80", "81"] if sort.sections == "number" else ["p80", "p81", "p99"]
    if target["kind"].endswith("Route"):
        return ["n0", "n1", "rule-1", "rule-2"]
    return ["l0", "l1", "l2"]
